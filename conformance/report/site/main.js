// Start, and what keys, clicks and links do.

function activate(row, column) {
  const found = view.rows[row];
  if (!found) return;
  moveTo(row, column);
  if (found.one) {
    open(found.one, view.ports[Math.max(0, column)]);
    return;
  }
  fold(found.group, !isUnfolded(found.group));
  redraw();
  moveTo(row, column);
}

/** Open what the link names, `#case:port`; whatever the filter hides of it is shown. */
function followLink() {
  const text = decodeURIComponent(location.hash.slice(1)), cut = text.lastIndexOf(":");
  const one = CASE_BY_ID.get(text.slice(0, cut)), port = PORTS.findIndex((known) => known.slug === text.slice(cut + 1));
  if (!one || port < 0) {
    if (!text) close();
    return;
  }
  if (opened && opened.one === one && opened.port === port) return;
  if (!view.shown.includes(one) || !view.ports.includes(port)) resetFilter();
  const row = rowOf(one);
  redraw();
  moveTo(row, view.ports.indexOf(port), false);
  open(one, port, { history: false });
}

function onGridKey(event) {
  const move = MOVES[event.key];
  if (move && !event.altKey && !event.metaKey) moveTo(...move(event));
  else if (event.key === "Enter" || event.key === " ") activate(active.row, active.column);
  else return;
  event.preventDefault();
}

function onGridClick(event) {
  const found = event.target.closest("[data-column]");
  if (found) activate(Number(found.parentElement.dataset.row), Number(found.dataset.column));
}

/** Wherever the focus comes from, arrows go on from there. */
function onGridFocus(event) {
  const { column } = event.target.dataset, { row } = event.target.parentElement.dataset;
  if (column === undefined || row === undefined) return;
  Object.assign(active, { row: Number(row), column: Number(column) });
  markActive();
}

function onPageKey(event) {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "");
  if (event.key === "Escape" && opened) close();
  else if (event.key === "/" && !typing) {
    field.text.focus();
    event.preventDefault();
  }
}

function drawLegend() {
  const state = (letter) => element("span", {}, element("span", { class: `chip ${styleOf(letter)}` }, stateOf(letter).sign), ` ${stateOf(letter).name}`);
  const keys = (text, ...names) => element("span", { class: "keys" }, ...names.map((key) => element("kbd", {}, key)), ` ${text}`);
  byId("legend").append(..."PEFNSRK".split("").map((letter) => state(letter)),
    element("span", {}, element("span", { class: "chip s-shown" }, "✗"), " shown only, or known"),
    element("span", {}, element("span", { class: "chip s-part" }, "3/4"), " case files that hold, of those checked"),
    keys("move", "↑", "↓", "←", "→"), keys("open", "Enter"), keys("close", "Esc"), keys("filter", "/"));
}

let waiting = 0;
grid.addEventListener("scroll", () => {
  waiting ||= requestAnimationFrame(() => { waiting = 0; drawRows(); });
}, { passive: true });
grid.addEventListener("keydown", onGridKey);
grid.addEventListener("click", onGridClick);
grid.addEventListener("focusin", onGridFocus);
document.addEventListener("keydown", onPageKey);
new ResizeObserver(() => { drawHead(); redraw(); }).observe(grid);
addEventListener("hashchange", followLink);
byId("filters").addEventListener("submit", (event) => event.preventDefault());
for (const key of FIELDS) field[key].addEventListener("input", () => {
  if (key === "style") fillAreas();
  applyFilter();
});
byId("clear").addEventListener("click", resetFilter);
byId("unfold").addEventListener("click", () => { foldAll(!view.all); showFolding(); redraw(); });
if (matchMedia("(max-width: 40rem)").matches) byId("more").open = false;

fillSelects();
drawLegend();
applyFilter();
performance.clearMeasures("filter");
followLink();
performance.mark("ready");
document.documentElement.dataset.ready = "yes";
