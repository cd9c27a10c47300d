"""Skills: folders with a SKILL.md, behind one tool that loads them by name (clause toolkit.skill)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import Literal

import msgspec

from .declaration import Tool
from .status import Loaded, SourceStatus, failed
from .switches import Switches, chosen, unknown

FILE_NAME = "SKILL.md"
LARGEST_FILE = 1 << 20
"""Bytes of a SKILL.md that are read; a larger one is no instruction for a model."""
LARGEST_HEAD = 1 << 16
"""Characters of frontmatter that are parsed."""

Reason = Literal["missing-name", "malformed-frontmatter", "duplicate-name", "unreadable", "too-large", "no-parser"]


class Skill(msgspec.Struct, frozen=True):
    """One skill: `path` is its SKILL.md, absolute; `body` the text below the frontmatter, trimmed."""

    name: str
    description: str
    path: str
    body: str


class Skipped(msgspec.Struct, frozen=True):
    """A SKILL.md that gives no skill, and why."""

    path: str
    reason: Reason
    detail: str = ""


class Skills(msgspec.Struct, frozen=True):
    """What some folders hold, in the order found."""

    found: tuple[Skill, ...] = ()
    skipped: tuple[Skipped, ...] = ()


def discover(*roots: str | PathLike[str]) -> Skills:
    """Every `**/SKILL.md` below the folders, links followed, each folder once; the first of a name wins.

    What cannot be used is named in `skipped`. Raises `NotADirectoryError` for a root that is no folder.
    """
    found: dict[str, Skill] = {}
    skipped: list[Skipped] = []
    for path in _files(roots, skipped):
        outcome = _read(path)
        if isinstance(outcome, Skill) and outcome.name in found:
            outcome = Skipped(outcome.path, "duplicate-name", f"{outcome.name} is at {found[outcome.name].path}")
        if isinstance(outcome, Skill):
            found[outcome.name] = outcome
        else:
            skipped.append(outcome)
    return Skills(tuple(found.values()), tuple(skipped))


def skill_tool() -> Tool:
    """The one tool `skill`, which loads a skill by name."""
    description = (
        "Load a skill: instructions for one kind of task, and the files that belong to them. Call it when the task at "
        "hand fits one of the skills listed in the system prompt, with the name given there."
    )
    name = {"type": "string", "description": "The skill's name, as listed."}
    return Tool("skill", description, {"type": "object", "properties": {"name": name}, "required": ["name"]}, "skill")


def prompt(skills: Iterable[Skill]) -> str:
    """The catalogue for the system prompt: the described skills by name, "" where there are none."""
    described = sorted((skill for skill in skills if skill.description), key=lambda skill: skill.name)
    if not described:
        return ""
    lines = [f"- **{skill.name}**: {' '.join(skill.description.split())}" for skill in described]
    head = (
        "Skills hold instructions for particular tasks. When a task fits one below, load it with the skill tool first."
    )
    return "\n".join((head, "", "## Available Skills", *lines))


def load(roots: Iterable[str | PathLike[str]], switches: Switches = None) -> tuple[Loaded, tuple[Skill, ...]]:
    """The `skill` tool for all the folders together, and the skills it can load."""
    usable: list[str | PathLike[str]] = []
    statuses: list[SourceStatus] = []
    for root in roots:
        if Path(root).is_dir():
            usable.append(root)
        else:
            statuses.extend(failed("skill", os.fspath(root), "is no folder").statuses)
    skills = discover(*usable)
    names = [skill.name for skill in skills.found]
    kept = set(chosen(names, switches))
    found = tuple(skill for skill in skills.found if skill.name in kept)
    tools = (skill_tool(),) if found else ()
    statuses += [SourceStatus("skill", os.fspath(root), "loaded", len(tools)) for root in usable]
    statuses += [_skip(item.path, f"{item.reason}: {item.detail}".removesuffix(": ")) for item in skills.skipped]
    statuses += [_skip(name, "there is no such skill") for name in unknown(names, switches)]
    return Loaded(tools, tuple(statuses)), found


def _skip(name: str, detail: str) -> SourceStatus:
    return SourceStatus("skill", name, "skipped", detail=detail)


def _files(roots: Iterable[str | PathLike[str]], skipped: list[Skipped]) -> Iterator[Path]:
    """The SKILL.md files below the roots, sorted in each folder; a folder reached twice (a loop) is entered once."""
    entered: set[str] = set()

    def unreadable(error: OSError) -> None:
        skipped.append(Skipped(str(error.filename), "unreadable", error.strerror or ""))

    for root in roots:
        if not Path(root).is_dir():
            raise NotADirectoryError(os.fspath(root))
        for folder, folders, files in os.walk(Path(root).absolute(), followlinks=True, onerror=unreadable):
            real = os.path.realpath(folder)
            if real in entered:
                folders.clear()
                continue
            entered.add(real)
            folders.sort()
            if FILE_NAME in files:
                yield Path(folder, FILE_NAME)


def _read(path: Path) -> Skill | Skipped:
    try:
        text = _text(path)
    except _TooLargeError as error:
        return Skipped(str(path), "too-large", str(error))
    except UnicodeDecodeError:
        return Skipped(str(path), "unreadable", "no UTF-8")
    except OSError as error:
        return Skipped(str(path), "unreadable", error.strerror or str(error))
    head, body = _split(text)
    try:
        fields = _fields(head)
    except ModuleNotFoundError as error:
        return Skipped(str(path), "no-parser", f"needs the extra [skills]: {error}")
    except ValueError as error:
        return Skipped(str(path), "malformed-frontmatter", str(error))
    name = fields.get("name", "")
    if not name:
        return Skipped(str(path), "missing-name")
    return Skill(name, fields.get("description", ""), str(path), body.strip())


class _TooLargeError(Exception):
    pass


def _text(path: Path) -> str:
    size = path.stat()
    if not stat.S_ISREG(size.st_mode):
        raise OSError("is no regular file")
    if size.st_size > LARGEST_FILE:
        raise _TooLargeError(f"{size.st_size} bytes, more than {LARGEST_FILE}")
    return path.read_bytes().decode("utf-8-sig")


def _split(text: str) -> tuple[str, str]:
    """The frontmatter between the first two lines `---`, and what follows; no fence, no frontmatter."""
    lines = text.splitlines(keepends=True)
    if not lines or lines[0].rstrip() != "---":
        return "", text
    for index, line in enumerate(lines[1:], 1):
        if line.rstrip() == "---":
            return "".join(lines[1:index]), "".join(lines[index + 1 :])
    return "", text


def _fields(head: str) -> dict[str, str]:
    """The scalars of the frontmatter as written, trimmed: `1.10` stays `1.10`. Raises `ValueError` for bad YAML."""
    if not head.strip():
        return {}
    if len(head) > LARGEST_HEAD:
        raise ValueError(f"{len(head)} characters, more than {LARGEST_HEAD}")
    import yaml

    try:
        # The C loader where there is one: the other takes quadratic time for nested brackets.
        root = yaml.compose(head, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(" ".join(str(error).split())) from None
    if not isinstance(root, yaml.MappingNode):
        raise ValueError("no map of keys to values")
    return {
        key.value: "" if value.tag.endswith(":null") else value.value.strip()
        for key, value in root.value
        if isinstance(key, yaml.ScalarNode) and isinstance(value, yaml.ScalarNode)
    }
