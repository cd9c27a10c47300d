"""Docstrings in three styles give the same descriptions."""

from __future__ import annotations

import pytest

from toolnexus.toolkit.docstring import parse

GOOGLE = """
    Finds flights.

    Looks at every airline.

    Args:
        origin (str): Where it starts:
            an airport code.
        when (dict[str, int], optional): The day.
        seats: How many, e.g. "2 (two)": a number.

    Returns:
        origin: not this one.

    Raises:
        ValueError: seats: wrong.
"""
NUMPY = """
    Finds flights.

    Looks at every airline.

    Parameters
    ----------
    origin : str
        Where it starts:
        an airport code.
    when : dict[str, int], optional
        The day.
    seats
        How many, e.g. "2 (two)": a number.

    Returns
    -------
    origin
        not this one.
"""
SPHINX = """
    Finds flights.

    Looks at every airline.

    :param str origin: Where it starts:
        an airport code.
    :type origin: str
    :param when: The day.
    :parameter int seats: How many, e.g. "2 (two)": a number.
    :returns: origin: not this one.
    :raises ValueError: seats: wrong.
"""
NAMES = ("origin", "when", "seats")


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_each_style_gives_description_and_parameters(text: str) -> None:
    doc = parse(text, NAMES)
    assert doc.description == "Finds flights.\n\nLooks at every airline."
    assert doc.parameters == {
        "origin": "Where it starts: an airport code.",
        "when": "The day.",
        "seats": 'How many, e.g. "2 (two)": a number.',
    }


@pytest.mark.parametrize("text", [None, "", "   \n  "])
def test_no_docstring_says_nothing(text: str | None) -> None:
    assert parse(text, NAMES) == ("", {})


def test_prose_alone_is_all_description() -> None:
    assert parse("One line: with a colon.", NAMES).description == "One line: with a colon."
    assert parse("Look at\n:ref:`seats` and:\n\n    indented code", NAMES).description == (
        "Look at\n:ref:`seats` and:\n\n    indented code"
    )


def test_parameters_may_come_before_any_prose() -> None:
    assert parse("Args:\n    seats: How many.", NAMES) == ("", {"seats": "How many."})
    assert parse(":param seats: How many.", NAMES) == ("", {"seats": "How many."})


def test_a_line_that_begins_no_known_name_goes_on_with_the_text() -> None:
    doc = parse("X.\n\nArgs:\n    seats: One of\n        first: the best\n        second: the rest\n", NAMES)
    assert doc.parameters == {"seats": "One of first: the best second: the rest"}


def test_an_unknown_parameter_is_not_taken_for_the_text_of_the_one_before() -> None:
    doc = parse("X.\n\nArgs:\n    seats: How many.\n    other: Not here.\n    when: A day.\n", NAMES)
    assert doc.parameters == {"seats": "How many.", "when": "A day."}


def test_numpy_entries_may_share_a_text() -> None:
    doc = parse("X.\n\nParameters\n----------\nseats, when : int\n    Both.\n*rest\n    No.\n", NAMES)
    assert doc.parameters == {"seats": "Both.", "when": "Both."}


def test_several_sections_add_up() -> None:
    doc = parse("X.\n\nArgs:\n    seats: A.\n\nKeyword Args:\n    when: B.\n\nNote:\n    origin: no.\n", NAMES)
    assert doc.parameters == {"seats": "A.", "when": "B."}
    doc = parse(
        "X.\n\nParameters\n----------\nseats\n    A.\n\nOther Parameters\n----------------\nwhen\n    B.\n", NAMES
    )
    assert doc.parameters == {"seats": "A.", "when": "B."}


def test_paragraphs_of_a_parameter_become_one_line() -> None:
    assert parse("X.\n\nArgs:\n    seats: One.\n\n        Two.\n\n    when: Day.", NAMES).parameters == {
        "seats": "One. Two.",
        "when": "Day.",
    }
    assert parse("X.\n\n:param seats: One.\n\n    Two.\n:param when:\n    Day.", NAMES).parameters == {
        "seats": "One. Two.",
        "when": "Day.",
    }


def test_an_empty_text_is_none() -> None:
    assert parse("X.\n\nArgs:\n    seats:\n    when: Day.", NAMES).parameters == {"when": "Day."}


def test_epytext_fields_are_read_as_well() -> None:
    assert parse("X.\n\n@param seats: How many.\n@return: y", NAMES) == ("X.", {"seats": "How many."})


def test_stars_before_a_name_do_not_count() -> None:
    assert parse("X.\n\nArgs:\n    **when: Day.\n    *seats (int): Many.", NAMES).parameters == {
        "when": "Day.",
        "seats": "Many.",
    }
