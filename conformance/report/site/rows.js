// Which rows there are: groups (clauses or areas) and, where a group is unfolded, its cases.

/** `flipped` are the groups that are not as `all` says. */
const view = { rows: [], ports: [], shown: [], flipped: new Set(), all: false, group: "clause" };

const GROUPS = {
  clause: {
    keys: (one) => one.clauses,
    order: CLAUSES.map((_, n) => n),
    label: (key) => ({ name: CLAUSES[key].id, says: CLAUSES[key].text, level: CLAUSES[key].level }),
  },
  area: {
    keys: (one) => [`${one.style}/${one.area}`],
    order: [...new Set(CASES.map((one) => `${one.style}/${one.area}`))],
    label: (key) => ({ name: key, says: "", level: "" }),
  },
};

/** Rows for the cases that passed the filter: {group, cases} and {one, group}. */
function makeRows(cases) {
  view.shown = cases;
  if (view.group === "none") {
    view.rows = cases.map((one) => ({ one, group: null }));
    return;
  }
  const { keys, order } = GROUPS[view.group];
  const members = new Map(order.map((key) => [key, []]));
  for (const one of cases) for (const key of keys(one)) members.get(key).push(one);
  view.rows = [];
  for (const [group, inside] of members) {
    if (!inside.length) continue;
    view.rows.push({ group, cases: inside });
    if (isUnfolded(group)) for (const one of inside) view.rows.push({ one, group });
  }
}

const isUnfolded = (group) => view.all !== view.flipped.has(group);

function fold(group, open) {
  if (isUnfolded(group) === open) return;
  if (view.flipped.has(group)) view.flipped.delete(group);
  else view.flipped.add(group);
  makeRows(view.shown);
}

function foldAll(open) {
  view.all = open;
  view.flipped.clear();
  makeRows(view.shown);
}

/** Where a case stands; its group is unfolded if need be. */
function rowOf(one) {
  const found = view.rows.findIndex((row) => row.one === one);
  if (found >= 0 || view.group === "none" || !view.shown.includes(one)) return found;
  fold(GROUPS[view.group].keys(one)[0], true);
  return view.rows.findIndex((row) => row.one === one);
}
