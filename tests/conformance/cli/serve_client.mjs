// A test suite of another language: node --test serve_client.mjs, with SERVICE set to what `serve` printed.
import assert from "node:assert/strict";
import test from "node:test";

const service = process.env.SERVICE;
const address = (id) => `${service}/cases/${id.split("/").map(encodeURIComponent).join("/")}`;
const get = async (url) => (await fetch(url)).json();
const post = (url, body) => fetch(url, { method: "POST", body: JSON.stringify(body) });

/** A small translator: texts there, texts back. */
async function translate(client, request) {
  const { model, base_url, api_key } = client;
  const answer = await fetch(`${base_url}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": api_key, "content-type": "application/json" },
    body: JSON.stringify({ model, max_tokens: request.max_tokens, messages: request.messages }),
  });
  const { content, usage } = await answer.json();
  const text = content.map((block) => block.text).join("");
  const total_tokens = usage.input_tokens + usage.output_tokens;
  return { text, tool_calls: [], finish_reason: "stop", usage: { total_tokens } };
}

async function attempt(id, change = (result) => result) {
  const { id: number, client, request } = await get(address(id));
  const result = change(await translate(client, request));
  return (await post(`${address(id)}/result`, { id: number, result })).json();
}

test("every text case passes", async () => {
  const cases = await get(`${service}/cases?style=anthropic&area=text&level=must`);
  assert.deepEqual(cases.map(({ id }) => id), ["anthropic/text/hello", "anthropic/text/hello[other]"]);
  for (const { id } of cases) assert.equal((await attempt(id)).state, "pass");
});

test("what differs is told, and what was expected there", async () => {
  const id = "anthropic/text/hello";
  const verdict = await attempt(id, (result) => ({ ...result, text: "good day" }));
  assert.equal(verdict.state, "fail");
  assert.equal(verdict.red, true);
  const { differences } = verdict.checks.find(({ state }) => state === "fail");
  assert.deepEqual(differences, [{ where: "/text", kind: "value", want: '"hello"', got: '"good day"' }]);
  assert.deepEqual(await get(`${address(id)}/verdict`), verdict);
});

test("a result without its call fails", async () => {
  const id = "anthropic/text/hello";
  await get(address(id));
  const result = { text: "hello", tool_calls: [], finish_reason: "stop" };
  const { checks } = await (await post(`${address(id)}/result`, { result })).json();
  assert.equal(checks.find(({ name }) => name === "calls").state, "fail");
});

test("attempts at one case do not disturb each other", async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => attempt("anthropic/text/hello")));
  assert.deepEqual(new Set(all.map(({ state }) => state)), new Set(["pass"]));
});

test("expected values are never sent", async () => {
  const message = await get(address("anthropic/text/hello"));
  assert.deepEqual(Object.keys(message), ["op", "id", "case", "client", "deadline_ms", "request"]);
});

test("faults are JSON with a status", async () => {
  const hello = address("anthropic/text/hello");
  const fine = { result: { text: "", tool_calls: [], finish_reason: "stop" } };
  const expected = [
    [fetch(address("anthropic/text/nope")), 404],
    [fetch(`${service}/nowhere`), 404],
    [fetch(`${service}/cases?color=red`), 400],
    [post(`${hello}/result`, { text: "no reply" }), 400],
    [fetch(`${hello}/result`, { method: "POST", body: "no JSON" }), 400],
    [post(`${hello}/result`, { ...fine, id: "no such attempt" }), 409],
    [fetch(`${hello}/result`), 405],
    [fetch(`${address("anthropic/text/unjudged")}/verdict`), 404],
  ];
  for (const [asked, status] of expected) {
    const answer = await asked;
    assert.equal(answer.status, status);
    assert.equal(typeof (await answer.json()).error, "string");
  }
});
