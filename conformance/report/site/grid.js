// Drawing: only the rows in sight exist. The focus roves: one cell can be tabbed to, arrows move it.

const grid = byId("grid"), head = byId("head"), body = byId("rows");
const active = { row: 0, column: -1 };
const SPARE = 6;
let high = 30, drawn = null;

function drawHead() {
  const cells = view.ports.map((port, n) => {
    const { name, slug, version } = PORTS[port], must = mustOf(port);
    return element("div", { class: "cell", role: "columnheader", "aria-colindex": n + 2, title: `${slug} ${version}: ${must}` },
      element("b", {}, name === slug ? name : slug), element("small", {}, `${version}`), element("small", {}, must));
  });
  head.replaceChildren(element("div", { class: "name", role: "columnheader", "aria-colindex": 1 },
    { clause: "clause and cases", area: "area and cases", none: "case" }[view.group]), ...cells);
  const narrow = matchMedia("(max-width: 40rem)").matches;
  grid.classList.toggle("many", view.ports.length > 7 || narrow);
  grid.setAttribute("aria-colcount", view.ports.length + 1);
}

function mustOf(port) {
  const checked = CASES.filter((one) => one.level === "must" && !"n_".includes(one.letters[port]));
  return checked.length ? `must ${checked.filter((one) => !isRed(one.letters[port])).length}/${checked.length}` : "must –";
}

/** Draw everything again: rows or ports have changed. */
function redraw() {
  high = parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--high"));
  body.style.height = `${view.rows.length * high}px`;
  grid.setAttribute("aria-rowcount", view.rows.length + 1);
  active.row = Math.min(active.row, Math.max(0, view.rows.length - 1));
  active.column = Math.min(active.column, view.ports.length - 1);
  drawn = null;
  drawRows();
}

/** Draw the rows in sight, unless they are there already. */
function drawRows() {
  const first = Math.max(0, Math.floor(grid.scrollTop / high) - SPARE);
  const end = Math.min(view.rows.length, Math.ceil((grid.scrollTop + grid.clientHeight) / high) + SPARE);
  if (drawn && drawn.first <= first && drawn.end >= end && drawn.end - drawn.first <= 3 * (end - first)) return;
  const focused = body.contains(document.activeElement);
  drawn = { first, end };
  const rows = [];
  for (let n = first; n < end; n += 1) rows.push(drawRow(view.rows[n], n));
  if (!view.rows.length) rows.push(element("p", { class: "empty" }, "No case passes the filter."));
  body.replaceChildren(...rows);
  markActive();
  if (focused) (activeCell() ?? grid).focus({ preventScroll: true });
}

function drawRow(row, n) {
  const made = element("div", { class: row.one ? "row case" : "row group", role: "row", "aria-rowindex": n + 2,
    style: `transform:translateY(${n * high}px)` });
  made.dataset.row = n;
  made.append(row.one ? caseName(row.one) : groupName(row));
  view.ports.forEach((port, column) => made.append(row.one ? caseCell(row.one, port, column) : groupCell(row, port, column)));
  if (row.one && opened && row.one === opened.one) made.classList.add("lit");
  return made;
}

function cell(column, style, text, label) {
  const made = element("div", { class: `cell ${style}`, role: "gridcell", tabindex: -1, "aria-colindex": column + 2, "aria-label": label, title: label }, text);
  made.dataset.column = column;
  return made;
}

function name(attributes, ...children) {
  const made = element("div", { class: "name", role: "rowheader", tabindex: -1, "aria-colindex": 1, ...attributes }, ...children);
  made.dataset.column = -1;
  return made;
}

function caseName(one) {
  const shown = view.group === "area" ? one.id.split("/").slice(2).join("/") : one.id;
  return name({ title: `${one.id}\n${one.title}` }, element("span", { class: "id" }, shown),
    view.group === "clause" ? null : element("span", { class: `level ${one.level}` }, one.level),
    element("span", { class: "says" }, one.title));
}

function groupName(row) {
  const { name: title, says, level } = GROUPS[view.group].label(row.group), open = isUnfolded(row.group);
  return name({ title: says ? `${title}: ${says}` : title, "aria-expanded": String(open) },
    element("span", { class: "twist", "aria-hidden": "true" }, open ? "▾" : "▸"), element("b", {}, title),
    level ? element("span", { class: `level ${level}` }, level) : null, element("span", { class: "says" }, says));
}

function caseCell(one, port, column) {
  const letter = one.letters[port], { name: state, sign } = stateOf(letter);
  const aside = !isRed(letter) && "fsr".includes(letter) ? ", does not count" : "";
  return cell(column, styleOf(letter), sign, `${state}${aside}: ${one.id} on ${PORTS[port].slug}`);
}

function groupCell(row, port, column) {
  const { good, checked } = tally(row.cases, port);
  const style = !checked ? "s-none" : good === checked ? "s-pass" : good ? "s-part" : "s-fail";
  const label = GROUPS[view.group].label(row.group).name;
  return cell(column, style, checked ? `${good}/${checked}` : "–", `${checked ? `${good} of ${checked} hold` : "nothing checked"}: ${label} on ${PORTS[port].slug}`);
}

// -- moving -----------------------------------------------------------------------------------------------------------

function activeCell() {
  return body.querySelector(`[data-row="${active.row}"] > [data-column="${active.column}"]`);
}

function markActive() {
  for (const old of body.querySelectorAll('[tabindex="0"]')) old.tabIndex = -1;
  const found = activeCell();
  if (found) found.tabIndex = 0;
  grid.tabIndex = found ? -1 : 0;
}

/** Move the focus to a cell, and the cell into sight. */
function moveTo(row, column, focus = true) {
  active.row = Math.max(0, Math.min(view.rows.length - 1, row));
  active.column = Math.max(-1, Math.min(view.ports.length - 1, column));
  const top = active.row * high, room = grid.clientHeight - head.offsetHeight;
  if (top < grid.scrollTop) grid.scrollTop = top;
  else if (top + high > grid.scrollTop + room) grid.scrollTop = top + high - room;
  drawRows();
  markActive();
  const found = activeCell();
  if (!found) return;
  sideways(found);
  if (focus) found.focus({ preventScroll: true });
}

/** Scroll sideways so that the cell is not under the names. */
function sideways(found) {
  if (active.column < 0) return;
  const box = found.getBoundingClientRect(), room = grid.getBoundingClientRect(), names = head.firstChild.offsetWidth;
  if (box.left < room.left + names) grid.scrollLeft -= room.left + names - box.left;
  else if (box.right > room.left + grid.clientWidth) grid.scrollLeft += box.right - room.left - grid.clientWidth;
}

const page = () => Math.max(1, Math.floor((grid.clientHeight - head.offsetHeight) / high) - 1);
const MOVES = {
  ArrowUp: () => [active.row - 1, active.column],
  ArrowDown: () => [active.row + 1, active.column],
  ArrowLeft: () => [active.row, active.column - 1],
  ArrowRight: () => [active.row, active.column + 1],
  PageUp: () => [active.row - page(), active.column],
  PageDown: () => [active.row + page(), active.column],
  Home: (event) => (event.ctrlKey ? [0, active.column] : [active.row, -1]),
  End: (event) => (event.ctrlKey ? [view.rows.length - 1, active.column] : [active.row, view.ports.length - 1]),
};
