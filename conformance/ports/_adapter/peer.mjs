// What the JavaScript adapters of other people's translators share: the protocol loop, and both ends' plain shapes.
//
// An adapter gives `serve` a function from a message to a reply, and one for streams where the library has them. It asks
// the library in the library's own words and reads the answer as a user would: nothing lost is repaired here, nothing
// kept is spoiled.

import { createInterface } from "node:readline";

/** The library has no way to be asked for this; the text says what is missing. */
export class Cannot extends Error {}

/** The request as one Chat Completions body without `model`: params beside the rest, top-level nulls left out. */
export function chatBody(message) {
  const request = message.request ?? parsed(message.request_text);
  if (String(request.system ?? "").trim()) throw new Cannot("there is no system override beside the messages");
  const { params, system, model, ...rest } = request;
  if (!isObject(params ?? {})) throw new Cannot("params are a body's other fields: there is no such body");
  const body = { ...params, ...rest };
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (wrong) {
    throw new Cannot(`JSON.parse does not read this request: ${wrong.message}`);
  }
}

const ALWAYS = ["style", "base_url", "model", "api_key", "retries", "retry_base_ms"];

/** The client's settings; throws for one that is not `known`. Retries are off: they are no part of translating. */
export function settings(message, ...known) {
  const client = message.client;
  if (client.retries !== 0) throw new Cannot("retries are off: how a library tries again is no part of translating");
  const unknown = Object.keys(client).filter((name) => !ALWAYS.includes(name) && !known.includes(name));
  if (unknown.length) throw new Cannot(`there is no setting for ${unknown.sort().join(", ")}`);
  return client;
}

/** The configured headers; the provider's version is one. */
export function headersOf(client) {
  const version = client.anthropic_version ? { "anthropic-version": client.anthropic_version } : {};
  return { ...version, ...client.headers };
}

export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** An error of a kind; what has no value is left out. */
export function error(kind, wrong, more = {}) {
  const said = { kind, message: wrong.message || wrong.name, ...more };
  return { error: Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined && value !== null)) };
}

/** `connect`, `timeout` or `reset`, by the codes of the causes underneath. */
export function connectionFault(wrong) {
  for (let cause = wrong; cause; cause = cause.cause) {
    if (/timeout/i.test(`${cause.name} ${cause.code}`)) return "timeout";
    if (cause.code === "ECONNREFUSED") return "connect";
  }
  return "reset";
}

/**
 * Answers messages until `bye` or the end of input. `translate` may throw `Cannot`; what else it throws is a crash.
 * `stream`, where the library has streams, also gets a function that takes each OpenAI delta as it comes; it returns how
 * the stream ended, as `translate` does: a result or an error.
 */
export async function serve(port, translate, stream) {
  for (const name of ["log", "info", "debug"]) console[name] = console.error; // what a library prints is no protocol
  const ops = new Map([["translate", translate], ...(stream ? [["stream", collected(stream)]] : [])]);
  const capabilities = ["anthropic", ...(stream ? ["stream"] : [])];
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    const message = JSON.parse(line);
    if (message.op === "bye") break;
    if (message.op === "hello") say({ op: "hello", protocol: 1, port, capabilities });
    else say({ id: message.id, ...(await answer(message, ops.get(message.op))) });
  }
}

/** What had come, and how it ended; where nothing had come, that is said. */
function collected(stream) {
  return async (message) => {
    const deltas = [];
    const end = await stream(message, (delta) => deltas.push(delta));
    return { deltas, ...end };
  };
}

async function answer(message, ask) {
  if (!ask || message.client.style !== "anthropic") {
    return { skip: { reason: `the adapter has no ${message.op} in this style` } };
  }
  try {
    let reply;
    for (let turn = 0; turn < (message.repeat ?? 1); turn += 1) reply = await ask(message);
    return reply;
  } catch (wrong) {
    const reason = wrong instanceof Cannot ? wrong.message : `the library raised ${wrong.name}: ${wrong.message}`;
    return { skip: { reason: reason.slice(0, 500) } };
  }
}

function say(reply) {
  // ASCII only: whatever the library gave, a line is a line.
  const line = JSON.stringify(reply).replace(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
  process.stdout.write(`${line}\n`);
}
