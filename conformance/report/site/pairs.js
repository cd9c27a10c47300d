// Two JSON trees side by side: the same place on the same line, and marked where the verdict found a difference.

/** Rows of [left line or null, right line or null, differs?]; `marks` are the pointers of the differences. */
function paired(want, got, marks) {
  const rows = [];
  const differs = (pointer) => marks.some((mark) => pointer === mark || pointer.startsWith(`${mark}/`));
  const beside = (left, right, marked) => {
    for (let n = 0; n < Math.max(left.length, right.length); n += 1) rows.push([left[n] ?? null, right[n] ?? null, marked]);
  };
  const walk = (left, right, pointer, depth, heads, tails) => {
    if (!left || !right || left.kind !== right.kind || left.kind === "scalar" || !(left.items.length + right.items.length)) {
      const text = (node, side) => (node ? printed(node, depth, heads[side], tails[side]) : []);
      beside(text(left, 0), text(right, 1), differs(pointer));
      return;
    }
    const pad = "  ".repeat(depth), [open, close] = left.kind === "object" ? "{}" : "[]";
    const pairs = left.kind === "object" ? byKey(left.items, right.items) : byIndex(left.items, right.items);
    const lastOf = (side) => pairs.findLastIndex((pair) => pair[1 + side]);
    const last = [lastOf(0), lastOf(1)];
    rows.push([pad + heads[0] + open, pad + heads[1] + open, false]);
    pairs.forEach(([key, ...nodes], n) => {
      const head = left.kind === "object" ? `${key}: ` : "";
      const comma = [0, 1].map((side) => (n < last[side] ? "," : ""));
      walk(...nodes, step(pointer, left.kind === "object" ? unquoted(key) : key), depth + 1, [head, head], comma);
    });
    rows.push([pad + close + tails[0], pad + close + tails[1], false]);
  };
  walk(want, got, "", 0, ["", ""], ["", ""]);
  return rows;
}

/** Members of two objects by key, in the order of the first, then what only the second has. */
function byKey(left, right) {
  const rest = new Map(right);
  const pairs = left.map(([key, node]) => {
    const other = rest.get(key);
    rest.delete(key);
    return [key, node, other];
  });
  return [...pairs, ...[...rest].map(([key, node]) => [key, undefined, node])];
}

function byIndex(left, right) {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, n) => [n, left[n], right[n]]);
}

/** The table of two texts: JSON by its structure, anything else line by line. */
function pairTable(wantText, gotText, marks, heads) {
  const want = wantText ? parseJson(wantText) : null, got = gotText ? parseJson(gotText) : null;
  const json = (want || !wantText) && (got || !gotText);
  const rows = json
    ? paired(want ?? undefined, got ?? undefined, marks)
    : byIndex(pretty(wantText).split("\n"), pretty(gotText).split("\n")).map(([, left, right]) => [left ?? null, right ?? null, marks.length > 0 && left !== right]);
  return element("table", { class: "pairs mono" },
    element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", {}, ...rows.map(pairRow)));
}

function pairRow([left, right, differs]) {
  const side = (text, name) => element("td", { class: differs && text !== null ? name : "" }, text ?? "");
  return element("tr", {}, side(left, "want"), side(right, "got"));
}
