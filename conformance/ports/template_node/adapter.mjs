// A port adapter without a translator: the whole protocol, and a `skip` where your code goes.
//
//     node adapter.mjs        then type: {"op":"hello","protocol":1,"corpus":"1.0"}
//
// Copy this file beside your translator and do the TODOs in order. stdout belongs to the protocol: console.error is
// free, console.log is not.

import readline from "node:readline";

const hello = () => ({
  op: "hello",
  protocol: 1,
  // TODO 1: your port's name and version.
  port: { name: "my-port", language: "javascript", version: "0.0.0" },
  // TODO 4: what it can do. A case that needs more is n/a, not wrong. Further words: openai, warnings, pointers,
  // toolkit, hooks, request_params, body_transform, declare, stream, and options of a client: retries, headers, …
  capabilities: ["anthropic"],
  // JSON.parse turns 1.10 into 1.1 and 9007199254740993 into …992. If your port reads JSON otherwise, take this away.
  lacks: ["number-tokens"],
  max_in_flight: 4, // as many messages may come before the first is answered; answer in any order
});

// One call of your translator. Make the client anew each time: nothing may stay from one message to the next.
async function translate(message) {
  const { client } = message; // style, base_url, model, api_key, retries, …: honour them all, the key above all
  // The request as JSON, or its exact text where number tokens, duplicate keys or escapes are the subject.
  const request = message.request ?? JSON.parse(message.request_text);
  // TODO 2: build a client from `client`, hand it `request` (`repeat` times, if it is there), and give back what it gave:
  // return { result: { text: "…", tool_calls: [{ id: "…", name: "…", arguments: "{…}" }], finish_reason: "stop",
  //                    usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } } };
  // TODO 3: where it fails: kind is invalid-request (before any call), provider, transport or invalid-response.
  // return { error: { kind: "provider", status: 429, type: "rate_limit_error", message: "…" } };
  return { skip: { reason: `no translator yet for ${client.style}: ${Object.keys(request)}` } };
}

const operations = { translate }; // also: declare, stream

async function answer(message) {
  const operation = operations[message.op];
  if (!operation) return { skip: { reason: `the port has no ${message.op}` } };
  try {
    return await operation(message);
  } catch (wrong) { // no outcome of the contract, yet no reason to die: the next case is waiting
    return { skip: { reason: `the port threw ${wrong}` } };
  }
}

const say = (reply) => process.stdout.write(`${JSON.stringify(reply)}\n`);
const lines = readline.createInterface({ input: process.stdin, crlfDelay: Infinity });
lines.on("line", async (line) => {
  const message = JSON.parse(line);
  if (message.op === "hello") say(hello());
  else if (message.op === "bye") lines.close(); // so does the end of input; node ends when all is answered
  else say({ id: message.id, ...(await answer(message)) });
});
