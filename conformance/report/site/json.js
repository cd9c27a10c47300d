// JSON as it was written: numbers keep their tokens, texts their escapes, objects their order and their duplicates.
// A word in brackets is what the kit writes for a value that JSON cannot hold.

const SPACE = /[ \t\r\n]*/y, STRING = /"(?:[^"\\]|\\.)*"/y, WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|\([^()]*\)/y;

/** A tree of {kind: "object"|"array"|"scalar", items: [[key, node]…]|[node…], raw}; null for what is no JSON. */
function parseJson(text) {
  let at = 0;
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (!found) throw new SyntaxError("no JSON");
    at = pattern.lastIndex;
    return found[0];
  };
  const next = (sign) => {
    take(SPACE);
    if (text[at] !== sign) return false;
    at += 1;
    return true;
  };
  const list = (close, item) => {
    const items = [];
    if (next(close)) return items;
    do items.push(item()); while (next(","));
    if (!next(close)) throw new SyntaxError("no JSON");
    return items;
  };
  const member = () => {
    take(SPACE);
    const key = take(STRING);
    if (!next(":")) throw new SyntaxError("no JSON");
    return [key, value()];
  };
  const value = () => {
    if (next("{")) return { kind: "object", items: list("}", member) };
    if (next("[")) return { kind: "array", items: list("]", value) };
    return { kind: "scalar", raw: text[at] === '"' ? take(STRING) : take(WORD) };
  };
  try {
    const tree = value();
    take(SPACE);
    return at === text.length ? tree : null;
  } catch {
    return null;
  }
}

const unquoted = (raw) => { try { return JSON.parse(raw); } catch { return raw; } };
const step = (pointer, key) => `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** The lines of a tree, indented by two; `lead` is what stands before the first, `tail` after the last. */
function printed(node, depth = 0, lead = "", tail = "") {
  const pad = "  ".repeat(depth);
  if (node.kind === "scalar") return [pad + lead + node.raw + tail];
  const [open, close] = node.kind === "object" ? "{}" : "[]";
  if (!node.items.length) return [pad + lead + open + close + tail];
  const last = node.items.length - 1;
  const inner = node.items.flatMap((item, n) => {
    const comma = n < last ? "," : "";
    return node.kind === "object" ? printed(item[1], depth + 1, `${item[0]}: `, comma) : printed(item, depth + 1, "", comma);
  });
  return [pad + lead + open, ...inner, pad + close + tail];
}

/** Text for people: JSON indented, everything else as it is. */
function pretty(text) {
  const tree = text ? parseJson(text) : null;
  return tree ? printed(tree).join("\n") : text;
}
