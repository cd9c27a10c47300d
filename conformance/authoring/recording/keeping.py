"""Writing the drafts of a recording, unless something in them looks like a secret."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from conformance.authoring import casefile
from conformance.authoring.recording.draft import Draft
from conformance.faults import Fault, UsageFault


class LeakFault(Fault):
    """A draft holds what looks like a secret; nothing was written."""

    exit_code = 1


def keep(drafts: Sequence[Draft], place: Callable[[str], Path], tell: Callable[[str], None]) -> list[Path]:
    """Write every draft and tell what was replaced; raises `LeakFault` before anything is written."""
    places = [place(str(draft.tree["id"])) for draft in drafts]
    for draft in drafts:
        _refuse_leaks(draft)
    for path in places:
        if path.exists():
            raise UsageFault(f"{path} is there already; ids never change, so write another name")
    for draft, path in zip(drafts, places, strict=True):
        casefile.write(path, draft.tree)
        replaced = ", ".join(f"{count} {kind}" for kind, count in sorted(draft.replaced.items())) or "nothing"
        tell(f"replaced: {replaced}; headers are dropped. Names and texts are yours to judge: read the file")
        if draft.left_out:
            tell(f"not in the request, which has no place for it: {', '.join(draft.left_out)}")
    return places


def _refuse_leaks(draft: Draft) -> None:
    if not draft.leaks:
        return
    told = "; ".join(str(leak) for leak in draft.leaks[:5])
    more = f"; and {len(draft.leaks) - 5} more" if len(draft.leaks) > 5 else ""
    raise LeakFault(f"nothing written: {told}{more}. --allow TEXT takes a text for harmless")
