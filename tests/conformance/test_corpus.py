"""Finding, reading and choosing."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import conformance
from conformance import corpus as corpora
from conformance.faults import CorpusFault, UsageFault

PACKAGE = Path(conformance.__file__).parent
CHECKOUT = PACKAGE.parent


def installed(place: Path) -> Path:
    """A folder that holds the package as an install does, without what this test does not need."""
    shutil.copytree(PACKAGE, place / "conformance", ignore=shutil.ignore_patterns("ports", "cli", "providers", "*.pyc"))
    return place


def found_from(place: Path) -> Path:
    program = "from conformance import corpus; print(corpus.find())"
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path.insert(0, {str(place)!r}); {program}"],
        cwd=place.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return Path(done.stdout.strip())


def test_a_checkout_reads_its_own_fixtures() -> None:
    assert corpora.find() == CHECKOUT / "fixtures"


def test_an_installed_wheel_reads_the_fixtures_inside_the_package(tmp_path: Path, folder: Any) -> None:
    place = installed(tmp_path / "site-packages")
    shutil.copytree(folder.path, place / "conformance" / "fixtures")
    (place / "fixtures").mkdir()  # another distribution's package of that name
    assert found_from(place) == place / "conformance" / "fixtures"


def test_a_checkout_never_reads_a_copy_left_inside_the_package(tmp_path: Path, folder: Any) -> None:
    place = installed(tmp_path / "repo")
    (place / "pyproject.toml").write_text("")
    shutil.copytree(folder.path, place / "fixtures")
    shutil.copytree(folder.path, place / "conformance" / "fixtures")
    assert found_from(place) == place / "fixtures"


def test_the_wheel_puts_the_corpus_into_the_package_and_an_editable_install_copies_nothing() -> None:
    build = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
    hatch = build["tool"]["hatch"]["build"]
    wheel = hatch["targets"]["wheel"]
    assert wheel["sources"]["fixtures"] == "conformance/fixtures"
    assert "force-include" not in wheel
    entry = build["project"]["entry-points"]["pytest11"]["toolnexus_pytest"]
    (folder,) = (source for source, target in wheel["sources"].items() if target == "")
    assert (CHECKOUT / folder / f"{entry}.py").is_file()
    assert hatch["dev-mode-dirs"] == [".", folder]


def test_another_folder_can_be_named(folder: Any) -> None:
    assert corpora.find(folder.path) == folder.path


def test_a_folder_without_cases_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match="no fixtures folder"):
        corpora.find(tmp_path)


def test_files_have_the_id_of_their_place_and_are_sorted(folder: Any) -> None:
    for name in ("openai/b/c", "anthropic/z/a", "anthropic/b/x"):
        folder.add(name)
    assert [name for name, _ in corpora.files(folder.path)] == ["anthropic/b/x", "anthropic/z/a", "openai/b/c"]


def test_only_the_named_files_are_read(folder: Any) -> None:
    folder.add("anthropic/text/good")
    folder.write("anthropic/text/broken", "{")
    assert [case.id for case in corpora.read(folder.path, ["anthropic/text/good"]).cases] == ["anthropic/text/good"]
    with pytest.raises(CorpusFault, match="broken"):
        corpora.read(folder.path)


def test_the_garbage_collector_is_put_back(folder: Any) -> None:
    import gc

    folder.write("anthropic/text/broken", "{")
    with pytest.raises(CorpusFault):
        corpora.read(folder.path)
    assert gc.isenabled()


@pytest.fixture
def corpus(folder: Any) -> corpora.Corpus:
    folder.add("anthropic/text/must")
    folder.add("anthropic/text/should", level="should", since="1.2")
    folder.add("anthropic/text/may", level="may", since="2.0", variants={"v": {"/title": "other"}})
    return corpora.read(folder.path)


def chosen(corpus: corpora.Corpus, **how: Any) -> list[str]:
    return [case.id.removeprefix("anthropic/text/") for case in corpora.choose(corpus, **how)]


def test_choosing_by_level(corpus: corpora.Corpus) -> None:
    assert chosen(corpus) == ["may", "may[v]", "must", "should"]
    assert chosen(corpus, level="should") == ["must", "should"]
    assert chosen(corpus, level="must") == ["must"]


def at_version(corpus: corpora.Corpus, version: str) -> corpora.Corpus:
    """The same cases in a corpus of that version."""
    clauses = corpus.fixtures / "clauses.json"
    clauses.write_text(clauses.read_text("utf-8").replace('"corpus": "1.0"', f'"corpus": "{version}"', 1), "utf-8")
    return corpora.Corpus(corpus.fixtures, corpus.cases)


def test_choosing_by_version_compares_numbers(corpus: corpora.Corpus) -> None:
    assert chosen(corpus, since="1.0") == ["must"]
    assert chosen(at_version(corpus, "1.10"), since="1.10") == ["must", "should"]
    with pytest.raises(UsageFault, match="no corpus version"):
        chosen(corpus, since="one")


def test_choosing_by_id_takes_variants_along(corpus: corpora.Corpus) -> None:
    assert chosen(corpus, ids=["anthropic/text/may"]) == ["may", "may[v]"]
    assert chosen(corpus, ids=["anthropic/text/may[v]", "anthropic/text/must"]) == ["may[v]", "must"]


def test_an_unknown_id_is_wrong_usage_and_guesses(corpus: corpora.Corpus) -> None:
    with pytest.raises(UsageFault, match=r"no case anthropic/text/shoud .*did you mean anthropic/text/should\?"):
        chosen(corpus, ids=["anthropic/text/shoud"])


def test_clauses_and_version_are_read(corpus: corpora.Corpus) -> None:
    assert corpus.version == "1.0"
    assert corpus.clauses["call.once"].level == "must"


@pytest.mark.parametrize(
    ("text", "where"), [("{", "line 1"), ("{}", "/"), ('{"corpus":"1.0","clauses":[{"id":"a"}]}', "/clauses/0")]
)
def test_broken_clauses_are_a_fault(folder: Any, text: str, where: str) -> None:
    (folder.path / "clauses.json").write_text(text)
    with pytest.raises(CorpusFault) as caught:
        _ = corpora.read(folder.path).clauses
    assert caught.value.where == where
