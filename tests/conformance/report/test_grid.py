"""The grid in a real browser: what it shows, what it opens, how it is used, and how fast it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from playwright.sync_api import Browser, Page, expect

from conformance.report import html
from conformance.report.events import CaseJudged
from conformance.report.merge import Column
from tests.conformance.report.browser import chromium
from tests.conformance.report.conftest import case_of, results_of

CASES, PORTS = 200, 5

#: What the page must be fast for.
MANY_CASES, MANY_PORTS = 1000, 15

#: A CI machine may be this much slower than a desk; measured there are 0.2 s to open and 20 ms to filter.
SLACK = 3
LEVELS = ("must", "must", "should", "may")
STATES = ("pass", "pass", "pass", "fail", "equivalent", "n/a", "pass", "skip", "pass", "not-run", "kit-error", "pass")
AREAS = ("text", "tools", "replies", "retry")
CLAUSES = (("call.once",), ("anthropic.tool-result",), ("call.once", "anthropic.tool-result"))


def _name(number: int) -> str:
    style = "openai" if number % 3 == 0 else "anthropic"
    return f"{style}/{AREAS[number % 4]}/case-{number // 2:03}" + ("[variant]" if number % 2 else "")


def _state(number: int, port: int) -> str:
    return STATES[crc32(f"{number} on {port}".encode()) % len(STATES)] if port else "pass"


def _columns(cases: int, ports: int) -> list[Column]:
    return [Column(f"port-{port}", results_of(_cases(cases, port), port=f"port-{port}")) for port in range(ports)]


def _cases(count: int, port: int) -> Iterator[CaseJudged]:
    for n in range(count):
        yield case_of(_name(n), _state(n, port), level=LEVELS[n % 4], clauses=CLAUSES[n % 3], ms=n / 10)


COLUMNS = _columns(CASES, PORTS)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`index.html`, and `many.html` with more of everything."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "index.html").write_text(html.page(COLUMNS), "utf-8")
    (folder / "many.html").write_text(html.page(_columns(MANY_CASES, MANY_PORTS)), "utf-8")
    return folder


@pytest.fixture
def visit(browser: Browser, site: Path) -> Iterator[Callable[..., Page]]:
    """Opens the page; afterwards there must have been no error and no request but for the page itself."""
    contexts, wrong = [], []

    def load(
        link: str = "", name: str = "index", *, width: int = 1440, height: int = 900, theme: Any = "light"
    ) -> Page:
        address = (site / f"{name}.html").as_uri()
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme, offline=True)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
        page.on("request", lambda request: None if request.url.startswith(address) else wrong.append(request.url))
        page.goto(address + link)
        page.wait_for_selector("html[data-ready]")
        return page

    yield load
    for context in contexts:
        context.close()
    assert wrong == []


def choose(page: Page, **fields: str) -> None:
    for name, value in fields.items():
        if name == "text":
            page.fill("#f-text", value)
        else:
            page.select_option(f"#f-{name}", value)


def place(page: Page, selector: str) -> Any:
    """Where an element is, in pixels."""
    return page.locator(selector).bounding_box()


def count(page: Page) -> int:
    return int(page.locator("#count").inner_text().split()[0])


def of(test: Callable[[Any], bool], columns: list[Column] = COLUMNS) -> int:
    return len({case.id for column in columns for case in column.results.cases if test(case)})


# -- speed ------------------------------------------------------------------------------------------------------------


def test_a_thousand_cases_on_fifteen_ports_open_within_a_second(visit: Callable[..., Page]) -> None:
    page = visit(name="many")
    times = [page.evaluate("performance.getEntriesByName('ready')[0].startTime")]
    for _ in range(2):
        page.reload()
        page.wait_for_selector("html[data-ready]")
        times.append(page.evaluate("performance.getEntriesByName('ready')[0].startTime"))
    assert min(times) < 1000 * SLACK, times


FILTERED = """async ([id, value]) => {
  const field = document.getElementById(id), times = [];
  for (const next of [value, "", value, "", value, ""]) {
    performance.clearMeasures("filter");
    const start = performance.now();
    field.value = id === "f-group" && !next ? "clause" : next;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    document.body.offsetHeight;
    if (performance.getEntriesByName("filter").length !== 1) throw new Error("not filtered");
    if (next) times.push(performance.now() - start);
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  }
  return Math.min(...times);
}"""


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("text", "case-1"),
        ("level", "must"),
        ("style", "openai"),
        ("area", "tools"),
        ("port", "3"),
        ("state", "fail"),
        ("state", "differ"),
        ("group", "none"),
    ],
)
def test_filtering_takes_less_than_fifty_milliseconds(field: str, value: str, visit: Callable[..., Page]) -> None:
    page = visit(name="many")
    page.click("#unfold")
    assert page.evaluate(FILTERED, [f"f-{field}", value]) < 50 * SLACK


def test_only_the_rows_in_sight_exist(visit: Callable[..., Page]) -> None:
    page = visit(name="many")
    page.click("#unfold")
    assert int(page.locator("#grid").get_attribute("aria-rowcount") or 0) > MANY_CASES
    assert page.locator("#rows .row").count() < 100
    page.evaluate("document.getElementById('grid').scrollTop = 20000")
    expect(page.locator("#rows .row").first).to_have_attribute("aria-rowindex", re.compile(r"^6\d\d$"))
    assert page.locator("#rows .row").count() < 100


# -- what it shows ----------------------------------------------------------------------------------------------------


def test_clauses_come_first_with_what_holds_on_each_port(visit: Callable[..., Page]) -> None:
    page = visit()
    rows = page.locator("#rows .row.group")
    assert rows.count() == 2
    expect(rows.nth(0).locator(".name")).to_contain_text("call.once")
    files = {case.name for case in COLUMNS[0].results.cases if "call.once" in case.clauses}
    expect(rows.nth(0).locator(".cell").first).to_have_text(f"{len(files)}/{len(files)}")
    rows.nth(0).click(position={"x": 20, "y": 10})
    assert page.locator("#rows .row.case").count() > 10


@pytest.mark.parametrize(
    ("fields", "test"),
    [
        ({"level": "must"}, lambda case: case.level == "must"),
        ({"style": "openai"}, lambda case: case.id.startswith("openai/")),
        ({"area": "tools"}, lambda case: "/tools/" in case.id),
        ({"style": "openai", "area": "tools"}, lambda case: case.id.startswith("openai/tools/")),
        ({"text": "CASE-04 once"}, lambda case: "case-04" in case.id and "call.once" in case.clauses),
        ({"state": "fail"}, lambda case: case.state == "fail"),
        ({"state": "n/a"}, lambda case: case.state == "n/a"),
        ({"state": "not-run"}, lambda case: case.state == "not-run"),
        ({"state": "red"}, lambda case: case.red),
        ({"state": "red", "level": "may"}, lambda case: case.red and case.level == "may"),
    ],
)
def test_a_filter_keeps_what_it_says(fields: dict[str, str], test: Any, visit: Callable[..., Page]) -> None:
    page = visit()
    choose(page, **fields)
    assert 0 < count(page) == of(test) < CASES


def test_a_port_is_looked_at_alone(visit: Callable[..., Page]) -> None:
    page = visit()
    choose(page, port="4", state="fail")
    assert page.locator("#head .cell").count() == 1
    assert count(page) == of(lambda case: case.state == "fail", COLUMNS[4:5])
    assert set(page.locator("#rows .case .cell").all_inner_texts()) == {"✗"}


def test_ports_that_differ_are_found(visit: Callable[..., Page]) -> None:
    page = visit()
    choose(page, state="differ")
    assert count(page) == sum(len({_state(n, port) for port in range(PORTS)}) > 1 for n in range(CASES))


def test_nothing_left_is_said_and_reset_brings_all_back(visit: Callable[..., Page]) -> None:
    page = visit()
    choose(page, text="no such case")
    expect(page.locator("#rows")).to_have_text("No case passes the filter.")
    page.click("#clear")
    assert count(page) == CASES


def test_areas_follow_the_style(visit: Callable[..., Page]) -> None:
    page = visit()
    choose(page, group="area")
    expect(page.locator("#rows .group .name").first).to_contain_text("anthropic/replies")
    choose(page, group="none")
    expect(page.locator("#rows .case .id").first).to_have_text("anthropic/replies/case-001")


def test_header_and_names_stay_in_sight(visit: Callable[..., Page]) -> None:
    page = visit(width=900)
    page.click("#unfold")
    before = place(page, "#head"), place(page, "#rows .name >> nth=3")
    page.evaluate("Object.assign(document.getElementById('grid'), { scrollTop: 3000, scrollLeft: 400 })")
    page.wait_for_timeout(100)
    after = place(page, "#head"), place(page, "#rows .name >> nth=3")
    assert after[0]["y"] == before[0]["y"]
    assert after[1]["x"] == before[1]["x"]
    assert place(page, "#head .name")["x"] == 0


# -- what a cell opens ------------------------------------------------------------------------------------------------


FAILS = next(n for n in range(CASES) if _state(n, 3) == "fail" and LEVELS[n % 4] == "must")
LINK = f"#{_name(FAILS)}:port-3"


def test_a_link_opens_its_cell_with_all_that_is_known(visit: Callable[..., Page]) -> None:
    panel = visit(LINK).locator("#detail")
    expect(panel.locator("h2")).to_have_text(f"Title of {_name(FAILS)}")
    assert panel.locator("h3").all_inner_texts() == [
        "Differences",
        "What was asked of the port",
        "What the provider received",
        "What it answered",
        "What came back",
    ]
    assert panel.locator("table").first.locator("tbody td").all_inner_texts() == ["request: /max_tokens", "64", "4096"]
    marked = panel.locator("table").filter(has_text="received").locator("td.want, td.got")
    assert [text.strip() for text in marked.all_inner_texts()] == ['"max_tokens": 64,', '"max_tokens": 4096,']
    expect(panel).to_contain_text('"text": "hello"')
    expect(panel.locator(".bar strong")).to_have_text("fail")


def test_a_cell_has_a_link_that_can_be_shared(visit: Callable[..., Page]) -> None:
    page = visit()
    choose(page, group="none")
    page.locator("#rows .case").nth(5).locator(".cell").nth(2).click()
    expect(page.locator("#detail")).to_be_visible()
    link = page.evaluate("location.hash")
    assert re.fullmatch(r"#anthropic/\w+/case-\d+(\[variant\]|%5Bvariant%5D)?:port-2", link)
    assert page.locator("#detail a").get_attribute("href") == link
    title = page.locator("#detail h2").inner_text()
    again = visit(link)
    expect(again.locator("#detail h2")).to_have_text(title)
    again.go_back()


def test_a_link_to_what_the_filter_hides_shows_it(visit: Callable[..., Page]) -> None:
    page = visit()
    choose(page, text="no such case")
    page.evaluate("(link) => { location.hash = link; }", LINK)
    expect(page.locator("#detail h2")).to_have_text(f"Title of {_name(FAILS)}")
    assert count(page) == CASES
    expect(page.locator("#rows .row.lit")).to_be_visible()


def test_going_back_closes(visit: Callable[..., Page]) -> None:
    page = visit()
    choose(page, group="none")
    page.locator("#rows .case .cell").first.click()
    expect(page.locator("#detail")).to_be_visible()
    page.go_back()
    expect(page.locator("#detail")).to_be_hidden()


@pytest.mark.parametrize("link", ["#nothing", "#a/b:c", f"#{_name(0)}:no-such-port"])
def test_a_link_to_nothing_opens_nothing(link: str, visit: Callable[..., Page]) -> None:
    expect(visit(link).locator("#detail")).to_be_hidden()


def test_the_neighbours_can_be_looked_at_in_turn(visit: Callable[..., Page]) -> None:
    page = visit(LINK)
    panel = page.locator("#detail")
    panel.get_by_role("button", name="port ▸").click()
    expect(panel).to_contain_text("· port-4 ")
    panel.get_by_role("button", name="▾ case").click()
    expect(panel.locator("h2")).not_to_have_text(f"Title of {_name(FAILS)}")
    expect(panel).to_contain_text("· port-4 ")
    panel.get_by_role("button", name="close").click()
    expect(panel).to_be_hidden()


# -- without a mouse --------------------------------------------------------------------------------------------------


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"))


def test_it_is_used_without_a_mouse(visit: Callable[..., Page]) -> None:
    page = visit()
    page.keyboard.press("/")
    page.keyboard.type("case-00")
    assert page.locator("#f-text").input_value() == "case-00"
    page.locator("#clear").focus()
    page.keyboard.press("Tab")
    assert "call.once" in focused(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    here = focused(page)
    assert re.fullmatch(r"[\w/-]+(, does not count)?: \w+/\w+/case-00\d(\[variant\])? on port-1", here)
    page.keyboard.press("Enter")
    expect(page.locator("#detail h2")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#detail")).to_be_hidden()
    assert focused(page) == here


def test_the_focus_travels_through_rows_that_do_not_exist_yet(visit: Callable[..., Page]) -> None:
    page = visit()
    choose(page, group="none")
    page.locator("#rows .case .cell").first.focus()
    page.keyboard.press("Control+End")
    assert "openai/" in focused(page)
    page.keyboard.press("Home")
    page.keyboard.press("PageUp")
    assert int(page.evaluate("document.activeElement.parentElement.getAttribute('aria-rowindex')")) < CASES
    page.keyboard.press("Control+Home")
    for _ in range(25):
        page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.parentElement.getAttribute('aria-rowindex')") == "27"
    box = page.evaluate(
        "(() => { const b = document.activeElement.getBoundingClientRect(); return [b.top, b.bottom]; })()"
    )
    grid = place(page, "#grid")
    assert grid["y"] < box[0] < box[1] < grid["y"] + grid["height"] + 1  # pixels have fractions


def test_groups_fold_by_key(visit: Callable[..., Page]) -> None:
    page = visit()
    page.locator("#rows .group .name").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#rows .group .name").first).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Enter")
    expect(page.locator("#rows .group .name").first).to_have_attribute("aria-expanded", "false")
    assert "call.once" in focused(page)


# -- for every eye ----------------------------------------------------------------------------------------------------

STYLES = ("pass", "fail", "part", "equal", "none", "skip", "lost", "kit", "shown")
COLOURS = """(names) => Object.fromEntries(names.map((name) => {
  const made = document.createElement('div');
  made.className = `cell s-${name}`;
  document.body.append(made);
  const style = getComputedStyle(made), ground = getComputedStyle(document.body).backgroundColor;
  const found = [style.color, style.backgroundColor === 'rgba(0, 0, 0, 0)' ? ground : style.backgroundColor];
  made.remove();
  return [name, found];
}))"""


def light(colour: str) -> float:
    """The relative luminance of WCAG 2."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    bright, dark = sorted((light(one), light(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_can_be_read_in_both_themes_and_without_telling_colours_apart(
    theme: str, visit: Callable[..., Page]
) -> None:
    page = visit(theme=theme)
    found = page.evaluate(COLOURS, STYLES)
    for name, (ink, ground) in found.items():
        assert contrast(ink, ground) >= (3 if name == "none" else 4.5), (theme, name)
    assert contrast(found["pass"][1], found["fail"][1]) >= 3  # bright and dark, not only blue and orange
    signs = [text.strip() for text in page.locator("#legend .chip").all_inner_texts()[:7]]
    assert len(set(signs)) == 7
    page_is_dark = light(page.evaluate("getComputedStyle(document.body).backgroundColor")) < 0.5
    assert page_is_dark == (theme == "dark")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_a_picture_shows_the_grid(theme: str, width: int, visit: Callable[..., Page], tmp_path: Path) -> None:
    page = visit(theme=theme, width=width, height=844)
    choose(page, text="case-0")
    picture = page.screenshot(path=tmp_path / "grid.png")
    assert len(picture) > 20_000  # a blank page of this size is a tenth of that


def test_on_a_phone_nothing_is_cut_off(visit: Callable[..., Page]) -> None:
    page = visit(width=390, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect(page.locator("#f-level")).to_be_hidden()
    page.locator("#more summary").click()
    expect(page.locator("#f-level")).to_be_visible()
    choose(page, group="none")
    assert place(page, "#rows .case .cell >> nth=0")["x"] < 390 - 40
    page.locator("#rows .case .cell").first.click()
    assert place(page, "#detail") == {"x": 0, "y": 0, "width": 390, "height": 844}
    page.get_by_role("button", name="close").click()
    expect(page.locator("#detail")).to_be_hidden()


def test_what_is_not_compared_is_not_held_against_the_port(visit: Callable[..., Page]) -> None:
    panel = visit(f"#{_name(0)}:port-0").locator("#detail")
    came_back = panel.locator("table").filter(has_text="got").first
    assert "hello" in came_back.inner_text()
    assert "usage" not in came_back.inner_text()
    panel.get_by_text("all that came back").click()
    expect(panel.locator("details[open] pre")).to_contain_text('"usage"')


def test_the_cell_stays_in_sight_beside_what_it_opened(visit: Callable[..., Page]) -> None:
    page = visit(f"#{_name(0)}:port-4", width=1100)
    expect(page.locator("#detail h2")).to_be_visible()
    cell, grid = place(page, '#rows [tabindex="0"]'), place(page, "#grid")
    names = place(page, "#head .name")
    assert names["x"] + names["width"] <= cell["x"] + 1
    assert cell["x"] + cell["width"] <= grid["x"] + grid["width"] + 1


def test_a_known_failure_says_what_is_known(browser: Browser, tmp_path: Path) -> None:
    case = case_of("a/b/c", "fail", red=False, known=("request: no PDFs yet (o/r#1)",))
    (tmp_path / "index.html").write_text(html.page([Column("p", results_of([case]))]), "utf-8")
    page = browser.new_page()
    page.goto(f"{(tmp_path / 'index.html').as_uri()}#a/b/c:p")
    expect(page.locator("#detail .bar strong")).to_have_text("fail, known")
    expect(page.locator("#detail")).to_contain_text("no PDFs yet (o/r#1)")
    expect(page.locator("#rows .case .cell")).to_have_class(re.compile("s-shown"))
    page.close()
