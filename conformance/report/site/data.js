// What the page was given, made ready for filtering, and a few small functions.

const DATA = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

/** An element with attributes (`on…` are listeners) and children; texts are never markup. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** Letter → name, sign, style; upper case letters count against the port. */
const STATES = {
  p: { name: "pass", sign: "✓", style: "s-pass" },
  e: { name: "equivalent", sign: "≈", style: "s-equal" },
  f: { name: "fail", sign: "✗", style: "s-fail" },
  n: { name: "n/a", sign: "–", style: "s-none" },
  s: { name: "skip", sign: "S", style: "s-skip" },
  r: { name: "not-run", sign: "○", style: "s-lost" },
  k: { name: "kit-error", sign: "!", style: "s-kit" },
  _: { name: "not in this run", sign: "", style: "s-none" },
};
const stateOf = (letter) => STATES[letter.toLowerCase()];
const isRed = (letter) => letter !== letter.toLowerCase();
/** What fails without counting against the port is drawn as an outline. */
const styleOf = (letter) => (!isRed(letter) && "fsr".includes(letter) ? "s-shown" : stateOf(letter).style);

const CLAUSES = DATA.clauses.map(([id, level, text, ref]) => ({ id, level, text, ref }));
const CASES = DATA.cases.map(([id, title, level, clauses], index) => {
  const [style, area = ""] = id.split("/");
  const words = [id, title, ...clauses.map((clause) => CLAUSES[clause].id)].join(" ").toLowerCase();
  const letters = DATA.states.map((states) => states[index]);
  return { id, title, level: DATA.levels[level], clauses, style, area, base: id.split("[", 1)[0], words, letters, index };
});
const CASE_BY_ID = new Map(CASES.map((one) => [one.id, one]));
const PORTS = DATA.ports;

/** How many case files of a list were checked on a port and hold; a variant that fails fails its file. */
function tally(cases, port) {
  const files = new Map();
  for (const one of cases) {
    const letter = one.letters[port];
    if (letter === "n" || letter === "_") continue;
    const good = !isRed(letter) && (letter === "p" || letter === "e");
    files.set(one.base, good && files.get(one.base) !== false);
  }
  let good = 0;
  for (const holds of files.values()) good += holds;
  return { good, checked: files.size };
}

/** The block of neighbouring cases that holds the details of one; resolves to that case's. */
const blocks = new Map();
async function details(index) {
  const number = Math.floor(index / DATA.block);
  if (!blocks.has(number)) blocks.set(number, unpacked(number));
  return (await blocks.get(number))[index % DATA.block];
}

let packed = null;
async function unpacked(number) {
  packed ??= byId("blocks").textContent.split("\n");
  const bytes = Uint8Array.from(atob(packed[number]), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).json();
}
