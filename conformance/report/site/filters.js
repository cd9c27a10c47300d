// The filter: which cases and which ports are shown.

const FIELDS = ["text", "level", "style", "area", "port", "state", "group"];
const field = Object.fromEntries(FIELDS.map((name) => [name, byId(`f-${name}`)]));

/** What a state filter asks of the letters of the shown ports. */
const WANTED = {
  "": () => true,
  red: (letters) => letters.some(isRed),
  differ: (letters) => new Set(letters.filter((letter) => letter !== "_").map((letter) => stateOf(letter).name)).size > 1,
};
for (const letter of "pefnsrk") WANTED[stateOf(letter).name] = (letters) => letters.some((found) => found.toLowerCase() === letter);

function fillSelects() {
  const options = (values) => values.map(([value, text]) => element("option", { value }, text));
  const unique = (values) => [...new Set(values)].map((value) => [value, value]);
  field.level.append(...options([["", "all"], ...unique(DATA.levels)]));
  field.style.append(...options([["", "all"], ...unique(CASES.map((one) => one.style))]));
  field.port.append(...options([["", "all"], ...PORTS.map((port, n) => [n, port.slug])]));
  field.group.append(...options([["clause", "clause"], ["area", "area"], ["none", "nothing"]]));
  field.state.append(...options([["", "all"], ["red", "counts against a port"], ["differ", "ports differ"],
    ...[..."pefnsrk"].map((letter) => [stateOf(letter).name, `${stateOf(letter).sign} ${stateOf(letter).name}`])]));
  fillAreas();
}

function fillAreas() {
  const kept = field.area.value, style = field.style.value;
  const areas = [...new Set(CASES.filter((one) => !style || one.style === style).map((one) => one.area))].sort();
  field.area.replaceChildren(...["", ...areas].map((area) => element("option", { value: area }, area || "all")));
  field.area.value = areas.includes(kept) ? kept : "";
}

/** Apply the filter and draw; its time is measured as `filter`. */
function applyFilter() {
  const start = performance.now();
  const words = field.text.value.toLowerCase().split(/\s+/).filter(Boolean);
  const { level, style, area, port, state, group } = Object.fromEntries(FIELDS.map((key) => [key, field[key].value]));
  const narrowed = words.length > 0 || state !== "";
  view.ports = port === "" ? PORTS.map((_, n) => n) : [Number(port)];
  view.group = group || "clause";
  if (narrowed !== applyFilter.narrowed) {
    applyFilter.narrowed = narrowed;
    view.all = narrowed;
    view.flipped.clear();
  }
  const wanted = WANTED[state];
  makeRows(CASES.filter((one) =>
    (!level || one.level === level) && (!style || one.style === style) && (!area || one.area === area)
    && words.every((word) => one.words.includes(word))
    && (state === "" || wanted(view.ports.map((n) => one.letters[n])))));
  showFolding();
  drawHead();
  grid.scrollTop = 0;
  redraw();
  byId("count").value = `${view.shown.length} of ${CASES.length} cases`;
  performance.measure("filter", { start, end: performance.now() });
}
applyFilter.narrowed = false;

function showFolding() {
  const button = byId("unfold");
  button.textContent = view.all ? "Fold all" : "Unfold all";
  button.setAttribute("aria-pressed", String(view.all));
  button.disabled = view.group === "none";
}

function resetFilter() {
  byId("filters").reset();
  fillAreas();
  applyFilter();
}
