"""Skills folders (clause toolkit.skill)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from toolnexus.toolkit import create_toolkit, discover


def write(root: Path, folder: str, text: str) -> Path:
    path = root / folder / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def skill(name: str, description: str = "Does it.", body: str = "Do it.") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}\n"


def test_a_folder_gives_one_tool_and_a_sorted_prompt(tmp_path: Path) -> None:
    write(tmp_path, "z/deep/er", skill("alpha", "First."))
    write(tmp_path, "a", skill("beta", "Second."))
    write(tmp_path, "b", skill("silent", '""'))
    kit = create_toolkit(skills_dir=tmp_path, builtins=False)
    assert kit.names() == ("skill",)
    [tool] = kit
    assert (tool.source, tool.input_schema["required"]) == ("skill", ["name"])
    assert tool.input_schema["properties"]["name"]["type"] == "string"
    head, _, catalogue = kit.skills_prompt().partition("\n\n")
    assert "skill tool" in head
    assert catalogue == "## Available Skills\n- **alpha**: First.\n- **beta**: Second."


def test_several_folders_share_the_one_tool(tmp_path: Path) -> None:
    write(tmp_path / "one", "a", skill("a"))
    write(tmp_path / "two", "b", skill("b"))
    kit = create_toolkit(skills_dir=[tmp_path / "one", str(tmp_path / "two")], builtins=False)
    assert kit.names() == ("skill",)
    assert kit.skills_prompt().count("- **") == 2


def test_a_skill_has_its_text_for_the_caller(tmp_path: Path) -> None:
    path = write(tmp_path, "a", skill("a", "x", "\nLine.\n\n---\nMore.\n"))
    [found] = discover(tmp_path).found
    assert (found.name, found.description, found.path, found.body) == ("a", "x", str(path), "Line.\n\n---\nMore.")


@pytest.mark.parametrize(
    ("yaml", "name", "description"),
    [
        ("name: a\ndescription: >\n  Folded\n  text.\n", "a", "Folded text."),
        ("name: a\ndescription: |-\n  Two\n  lines.\n", "a", "Two\nlines."),
        ("name: 'it''s'\ndescription: \"a: b # c\"\n", "it's", "a: b # c"),
        ("name: 1.10\ndescription: yes\n", "1.10", "yes"),
        ("name: 2026-01-02\ndescription: ~\n", "2026-01-02", ""),
        ("# note\nname: a # end\ndescription:\nallowed-tools: [x, y]\nmetadata: {k: v}\n", "a", ""),
        ("base: &b a\nname: *b\n", "a", ""),
    ],
)
def test_frontmatter_is_yaml_and_scalars_stay_as_written(
    tmp_path: Path, yaml: str, name: str, description: str
) -> None:
    write(tmp_path, "a", f"---\n{yaml}---\nBody")
    [found] = discover(tmp_path).found
    assert (found.name, found.description) == (name, description)


def test_windows_files_are_read(tmp_path: Path) -> None:
    write(tmp_path, "a", "x").write_bytes(b"\xef\xbb\xbf---\r\nname: a\r\ndescription: d\r\n---\r\nBody\r\n")
    [found] = discover(tmp_path).found
    assert (found.name, found.description, found.body) == ("a", "d", "Body")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("No frontmatter.", "missing-name"),
        ("---\nname: a\nno end", "missing-name"),
        ("---\n---\nBody", "missing-name"),
        ("---\ndescription: x\n---\n", "missing-name"),
        ("---\nname:\n---\n", "missing-name"),
        ("---\nname: [a]\n---\n", "missing-name"),
        ("---\nname: 'a\n---\n", "malformed-frontmatter"),
        ("---\nname: a: b\n---\n", "malformed-frontmatter"),
        ("---\n- a\n---\n", "malformed-frontmatter"),
        ("---\n" + "[" * 3000 + "\n---\n", "malformed-frontmatter"),
        ("---\nname: a\n" + "# x\n" * (1 << 14) + "---\n", "malformed-frontmatter"),
        ("---\nname: a\n---\n" + "x" * (1 << 20), "too-large"),
    ],
)
def test_a_file_that_gives_no_skill_is_named_with_its_reason(tmp_path: Path, text: str, reason: str) -> None:
    bad = write(tmp_path, "bad", text)
    write(tmp_path, "good", skill("good"))
    skills = discover(tmp_path)
    assert [found.name for found in skills.found] == ["good"]
    assert [(item.path, item.reason) for item in skills.skipped] == [(str(bad), reason)]
    kit = create_toolkit(skills_dir=tmp_path, builtins=False)
    whole, part = (entry for entry in kit.status() if entry.kind == "skill")
    assert (whole.name, whole.state) == (str(tmp_path), "loaded")
    assert (part.name, part.state, part.detail.split(":")[0]) == (str(bad), "skipped", reason)


def test_other_encodings_and_other_kinds_of_files_are_unreadable(tmp_path: Path) -> None:
    write(tmp_path, "a", "x").write_bytes(b"---\nname: \xff\n---\n")
    (tmp_path / "b").mkdir()
    os.mkfifo(tmp_path / "b" / "SKILL.md")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "SKILL.md").symlink_to(tmp_path / "gone")
    assert [item.reason for item in discover(tmp_path).skipped] == ["unreadable"] * 3


def test_the_first_of_a_name_wins(tmp_path: Path) -> None:
    first = write(tmp_path, "a", skill("same", "First."))
    second = write(tmp_path, "b", skill("same", "Second."))
    skills = discover(tmp_path)
    assert [found.path for found in skills.found] == [str(first)]
    assert [(item.path, item.reason) for item in skills.skipped] == [(str(second), "duplicate-name")]
    assert str(first) in skills.skipped[0].detail


def test_links_are_followed_and_loops_end(tmp_path: Path) -> None:
    write(tmp_path / "elsewhere", "x", skill("linked"))
    root = tmp_path / "root"
    write(root, "own", skill("own"))
    (root / "link").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (root / "own" / "loop").symlink_to(root, target_is_directory=True)
    (root / "again").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (root / "file").mkdir()
    (root / "file" / "SKILL.md").symlink_to(write(tmp_path / "third", "y", skill("third")))
    skills = discover(root)
    assert sorted(found.name for found in skills.found) == ["linked", "own", "third"]
    assert skills.skipped == ()


def test_switches_choose_skills(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        write(tmp_path, name, skill(name))
    kit = create_toolkit(skills_dir=tmp_path, skills={"b": True, "z": True}, builtins=False)
    assert kit.skills_prompt().endswith("## Available Skills\n- **b**: Does it.")
    assert ("z", "skipped") in [(entry.name, entry.state) for entry in kit.status()]
    assert create_toolkit(skills_dir=tmp_path, skills={"a": False}, builtins=False).skills_prompt().count("- **") == 2


def test_no_skills_no_tool(tmp_path: Path) -> None:
    kit = create_toolkit(skills_dir=tmp_path, builtins=False)
    assert (kit.names(), kit.skills_prompt()) == ((), "")
    assert create_toolkit(builtins=False).skills_prompt() == ""


def test_a_folder_that_is_none_is_reported(tmp_path: Path) -> None:
    write(tmp_path, "a", skill("a"))
    kit = create_toolkit(skills_dir=[tmp_path / "gone", tmp_path], builtins=False)
    assert kit.names() == ("skill",)
    assert [(entry.name, entry.state, entry.detail) for entry in kit.status() if entry.kind == "skill"] == [
        (str(tmp_path / "gone"), "failed", "is no folder"),
        (str(tmp_path), "loaded", ""),
    ]
    with pytest.raises(NotADirectoryError):
        discover(tmp_path / "gone")


def test_descriptions_take_one_line_in_the_prompt(tmp_path: Path) -> None:
    write(tmp_path, "a", "---\nname: a\ndescription: |\n  Two\n  lines.\n---\n")
    assert create_toolkit(skills_dir=tmp_path).skills_prompt().endswith("- **a**: Two lines.")
