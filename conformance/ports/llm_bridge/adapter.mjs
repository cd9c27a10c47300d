// Speaks the port protocol, version 1, for llm-bridge: `translateBetweenProviders` for the request, its error functions
// for a refusal, `handleUniversalStreamRequest` for a stream. It translates no plain answer, so that is read here: of it
// only requests and errors judge the library.
//
//     node adapter.mjs BUILD      BUILD is the folder whose node_modules hold the library

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

import { Cannot, chatBody, error, serve, settings } from "../_adapter/peer.mjs";
import { Answer, events } from "./chunks.mjs";

const built = createRequire(`${process.argv[2] ?? process.cwd()}/package.json`);
const { handleUniversalStreamRequest, parseAnthropicError, translateBetweenProviders, translateError } = await import(
  pathToFileURL(built.resolve("llm-bridge")).href
);

const PORT = {
  name: "llm-bridge",
  language: "javascript",
  version: JSON.parse(readFileSync(built.resolve("llm-bridge").replace(/dist.*$/, "package.json"), "utf8")).version,
  url: "https://github.com/supermemoryai/llm-bridge",
};

const FINISH = { max_tokens: "length", refusal: "content_filter", model_context_window_exceeded: "length" };

async function translate(message) {
  const { response, wrong } = await asked(message, {});
  if (wrong) return error("invalid-request", wrong);
  const text = await response.text().catch(() => "");
  if (!response.ok) return refused(response, text);
  try {
    return resultOf(JSON.parse(text));
  } catch {
    throw new Cannot("the library converts no plain answer");
  }
}

async function stream(message, give) {
  const { response, wrong } = await asked(message, { stream: true });
  if (wrong) return error("invalid-request", wrong);
  if (!response.ok) return refused(response, await response.text().catch(() => ""));
  const answer = new Answer();
  for await (const event of events(handleUniversalStreamRequest(response.body, "anthropic", "openai"))) {
    if (event === "[DONE]") return { result: answer.result };
    const chunk = JSON.parse(event);
    if (chunk.error) return error("provider", chunk.error, { type: chunk.error.type, code: chunk.error.code });
    for (const delta of answer.deltas(chunk)) give(delta);
  }
  return error("invalid-response", new Error("the stream ended without [DONE]"));
}

/** The library's body, posted; or what the library said against the request. */
async function asked(message, more) {
  const client = settings(message);
  const given = { model: client.model, ...chatBody(message), ...more };
  if (new URL(client.base_url).pathname !== "/" || client.base_url.includes("?")) {
    throw new Cannot("the library converts bodies and makes no call: addresses are its caller's");
  }
  let body;
  try {
    body = translateBetweenProviders("openai", "anthropic", given);
  } catch (wrong) {
    if (/^UniversalTranslationError/.test(wrong.name)) return { wrong };
    throw wrong;
  }
  return { response: await posted(client, body) };
}

async function posted(client, body) {
  try {
    return await fetch(new URL("/v1/messages", client.base_url), {
      method: "POST",
      headers: {
        "x-api-key": client.api_key,
        "anthropic-version": "2023-06-01",
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
      redirect: "manual",
    });
  } catch {
    throw new Cannot("the library converts bodies, and there was none");
  }
}

/** The refusal as the library's OpenAI view of it. */
function refused(response, text) {
  let body = text;
  try {
    body = JSON.parse(text);
  } catch {
    // the library gets what a caller has
  }
  const universal = parseAnthropicError(body, response);
  const seen = translateError(universal, "openai");
  const inner = seen.body?.error ?? {};
  return error("provider", new Error(inner.message ?? universal.message), {
    status: seen.statusCode,
    type: inner.type,
    code: inner.code,
    param: inner.param,
    request_id: universal.requestId,
    retry_after: response.headers.get("retry-after"),
  });
}

function resultOf(answer) {
  const calls = answer.content
    .filter((block) => block.type === "tool_use")
    .map((block) => ({ id: block.id, name: block.name, arguments: JSON.stringify(block.input ?? {}) }));
  const usage = answer.usage ?? {};
  const prompt = (usage.input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
  return {
    result: {
      text: answer.content.filter((block) => block.type === "text").map((block) => block.text).join(""),
      tool_calls: calls,
      finish_reason: calls.length ? "tool_calls" : (FINISH[answer.stop_reason] ?? "stop"),
      usage: {
        prompt_tokens: prompt,
        completion_tokens: usage.output_tokens ?? 0,
        total_tokens: prompt + (usage.output_tokens ?? 0),
      },
      model: answer.model ?? null,
    },
  };
}

await serve(PORT, translate, stream);
