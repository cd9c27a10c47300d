// One case on one port: what was sent, what the provider received and answered, what came back.

let opened = null;
const panel = byId("detail");
const linkTo = (one, port) => `#${encodeURI(one.id)}:${PORTS[port].slug}`;

async function open(one, port, { focus = true, history: kept = true } = {}) {
  const first = !opened, here = { one, port };
  opened = here;
  if (kept) history[first ? "pushState" : "replaceState"](null, "", linkTo(one, port));
  let found;
  try {
    found = await details(one.index);
  } catch (wrong) {
    found = { about: null, ports: [], wrong: `The details cannot be read: ${wrong.message}` };
  }
  if (opened !== here) return;
  panel.hidden = false;
  panel.replaceChildren(...told(one, port, found));
  panel.scrollTop = 0;
  drawn = null;
  drawRows();
  if (activeCell()) sideways(activeCell());
  if (focus) panel.querySelector("h2").focus({ preventScroll: true });
  performance.mark("opened");
}

function close() {
  if (!opened) return;
  opened = null;
  panel.hidden = true;
  panel.replaceChildren();
  history.replaceState(null, "", "#");
  drawn = null;
  drawRows();
  (activeCell() ?? grid).focus({ preventScroll: true });
}

const section = (title, ...children) => [element("h3", {}, title), ...children];
const labelled = (title, text) => (text ? [element("h4", {}, title), element("pre", {}, text)] : []);

function told(one, port, found) {
  const cell = found.ports[port], about = found.about;
  return [
    bar(one, port, cell),
    element("h2", { tabindex: -1 }, one.title || one.id),
    element("p", {}, element("code", {}, one.id), ` · ${one.level} · ${PORTS[port].slug} ${PORTS[port].version}`,
      cell ? ` · ${cell.ms.toFixed(1)} ms` : ""),
    ...(found.wrong ? [element("p", {}, found.wrong)] : []),
    ...(about?.why ? [element("p", {}, about.why)] : []),
    element("ul", {}, ...one.clauses.map((clause) => element("li", {}, element("b", {}, CLAUSES[clause].id), ` ${CLAUSES[clause].text}`))),
    ...(cell ? [...reasons(cell), ...differences(cell), ...sent(about), ...received(about, cell), ...answered(cell), ...back(about, cell), ...again(cell)]
      : [element("p", {}, "This case is not in the port's run.")]),
  ];
}

function bar(one, port, cell) {
  const letter = one.letters[port], { name: state, sign } = stateOf(letter);
  const link = element("a", { href: linkTo(one, port) }, "link");
  const copy = (event) => navigator.clipboard?.writeText(link.href).then(() => { event.target.textContent = "copied"; });
  return element("div", { class: "bar" },
    element("span", { class: `chip ${styleOf(letter)}` }, sign || "·"),
    element("strong", { class: "grow" }, cell && !cell.red && "fsr".includes(letter) ? `${state}, ${cell.known.length ? "known" : "shown only"}` : state),
    element("button", { type: "button", title: "the same case, the port before", onclick: () => neighbour(0, -1) }, "◂ port"),
    element("button", { type: "button", title: "the same case, the next port", onclick: () => neighbour(0, 1) }, "port ▸"),
    element("button", { type: "button", title: "the case above", onclick: () => neighbour(-1, 0) }, "▴ case"),
    element("button", { type: "button", title: "the case below", onclick: () => neighbour(1, 0) }, "▾ case"),
    link, element("button", { type: "button", onclick: copy }, "copy"),
    element("button", { type: "button", title: "Esc", onclick: close }, "close"));
}

/** Open the next case or port in sight. */
function neighbour(rows, columns) {
  if (!opened) return;
  let row = rowOf(opened.one), column = view.ports.indexOf(opened.port) + columns;
  if (column < 0 || column >= view.ports.length) return;
  do row += rows; while (rows && view.rows[row] && !view.rows[row].one);
  if (!view.rows[row]?.one) return;
  moveTo(row, column, false);
  open(view.rows[row].one, view.ports[column]);
}

function reasons(cell) {
  return [...(cell.reason ? [element("p", {}, cell.reason)] : []), ...labelled("a known failure", cell.known.join("\n")), ...labelled("the provider would say", cell.provider)];
}

function differences(cell) {
  const rows = cell.checks.flatMap((check) => (check.differences ?? []).map((row) => [check, row]));
  if (!rows.length) return [];
  const side = (text, name) => element("td", { class: text === undefined ? "gone" : name }, text ?? "(absent)");
  const heads = ["where", "expected", "got"].map((head, n) => element("th", { scope: "col", class: n ? "" : "where" }, head));
  return section("Differences", element("table", { class: "pairs mono" },
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, ...rows.map(([check, row]) =>
      element("tr", {}, element("td", {}, `${check.name}: ${row.where || "/"}`), side(row.want, "want"), side(row.got, "got"))))));
}

function sent(about) {
  if (!about) return [];
  const repeated = about.repeat > 1 ? `, ${about.repeat} times on one client` : "";
  return section(`What was asked of the port${repeated}`, ...labelled("client", pretty(about.client ?? "")),
    ...labelled("request", pretty(about.request ?? "")), ...labelled("beside it", pretty(about.parts ?? "")));
}

const checkOf = (cell, name) => cell.checks.find((check) => check.name === name)?.differences ?? [];

function received(about, cell) {
  const wanted = Array.from({ length: about?.repeat ?? 1 }, () => about?.wanted ?? []).flat();
  const calls = cell.evidence?.calls ?? [], count = Math.max(wanted.length, calls.length);
  const strays = (cell.evidence?.strays ?? []).flatMap((call) => labelled("a call that belongs to no script", shownCall(call)));
  if (!count) return section("What the provider received", element("p", {}, cell.evidence ? "Nothing, and nothing was expected." : "Nothing is known of it."), ...strays);
  const each = Array.from({ length: count }, (_, n) => oneCall(wanted[n], calls[n], callMarks(cell, n, wanted.length > 1), count > 1 ? n + 1 : 0));
  return section("What the provider received", ...each.flat(), ...strays);
}

/** The pointers that the request check found in the nth call. */
function callMarks(cell, n, several) {
  const lead = several ? `call ${n + 1} ` : "";
  return checkOf(cell, "request").map((row) => row.where).filter((where) => where.startsWith(lead)).map((where) => where.slice(lead.length));
}

function oneCall(want, call, marks, number) {
  const heads = ["expected", "received"], title = number ? [element("h4", {}, `call ${number}`)] : [];
  if (!want) return [...title, ...labelled("not expected", shownCall(call))];
  const line = (one) => [one?.method, one?.path].filter(Boolean).join(" ");
  const unlike = marks.some((mark) => mark === "method" || mark === "path" || mark.startsWith("header "));
  const top = [[line(want), call ? line(call) : "(no call)", marks.includes("method") || marks.includes("path") || !call]];
  const headers = (call?.headers ?? []).map((pair) => pair.join(": "));
  const width = Math.max(1, headers.length);
  const expected = want.headers ? want.headers.split("\n") : [];
  for (let n = 0; n < Math.max(expected.length, width); n += 1) {
    if (expected[n] !== undefined || headers[n] !== undefined) top.push([expected[n] ?? null, headers[n] ?? null, false]);
  }
  const bodies = call && want.body ? pairTable(want.body, call.body ?? "", marks.includes("body") ? [""] : marks.filter((mark) => mark === "" || mark.startsWith("/")), heads) : null;
  return [...title,
    element("details", { open: unlike || !want.body }, element("summary", {}, "line and headers"),
      element("table", { class: "pairs mono" }, element("tbody", {}, ...top.map(pairRow)))),
    ...(bodies ? [bodies] : labelled(call ? "received body" : "expected body", pretty(call ? call.body ?? "" : want.body)))];
}

const shownCall = (call) => [`${call.method} ${call.path}`, ...(call.headers ?? []).map((pair) => pair.join(": ")), "", pretty(call.body ?? "")].join("\n");

function answered(cell) {
  const calls = cell.evidence?.calls ?? [];
  return calls.length ? section("What it answered", ...calls.flatMap((call, n) => labelled(calls.length > 1 ? `to call ${n + 1}` : "", shownReply(call.reply)))) : [];
}

function shownReply(reply) {
  if (!reply) return "422, by the stub: the case has no such call in its script";
  const line = reply.status ? [`${reply.status}`] : [];
  const fault = reply.fault ? [`(${reply.fault})`] : [];
  return [...line, ...(reply.headers ?? []).map((pair) => pair.join(": ")), ...fault, "", pretty(reply.body ?? "")].join("\n").trim();
}

/** Expected and given, side by side, for each part of the outcome. */
function back(about, cell) {
  if (!cell.evidence) return [];
  const want = parseJson(about?.outcome ?? ""), got = parseJson(cell.evidence.answer ?? "");
  if (!want || !got) return section("What came back", ...labelled("expected", pretty(about?.outcome ?? "")), ...labelled("got", pretty(cell.evidence.answer ?? "")));
  const marks = checkOf(cell, "result").map((row) => row.where);
  const prefixed = marks.map((mark) => (/^\/(deltas|fired)(\/|$)/.test(mark) ? mark : mark === "outcome" ? "" : mark && !mark.startsWith("/") ? null : `/${mainPart(want)}${mark}`));
  const items = got.items.filter(([key]) => key !== '"warnings"');
  const given = { kind: "object", items: mainPart(want) === "declare" ? [['"declare"', { kind: "object", items }]] : items };
  const text = (tree) => printed(tree).join("\n");
  const warnings = got.items.find(([key]) => key === '"warnings"');
  return section("What came back",
    pairTable(text(want), text(compared(want, given)), prefixed.filter((mark) => mark !== null), ["expected", "got"]),
    element("h4", {}, "warnings (code and pointer are compared)"),
    pairTable(about.warnings || "[]", warnings ? text(warnings[1]) : "[]", checkOf(cell, "warnings").length ? [""] : [], ["expected", "got"]),
    element("details", {}, element("summary", {}, "all that came back"), element("pre", {}, pretty(cell.evidence.answer))));
}

/** What came back without what is not compared: of a result, an error, usage and firings only the keys the case lists. */
function compared(want, got) {
  const listed = new Map(want.items);
  const items = got.items.map(([key, node]) => {
    const model = listed.get(key);
    if (!LISTED.has(key) || model?.kind !== "object" || node.kind !== "object") return [key, node];
    const keys = new Set(model.items.map(([name]) => name));
    return [key, compared(model, { kind: "object", items: node.items.filter(([name]) => keys.has(name)) })];
  });
  return { kind: "object", items };
}
const LISTED = new Set(['"result"', '"error"', '"usage"', '"fired"']);

const mainPart = (want) => want.items.map(([key]) => unquoted(key)).find((key) => ["result", "error", "declare"].includes(key));

function again(cell) {
  const rows = [...labelled("with pytest", cell.again), ...labelled("by hand", cell.by_hand), ...labelled("the port's stderr", (cell.stderr ?? []).join("\n"))];
  return rows.length ? section("Again", ...rows) : [];
}
