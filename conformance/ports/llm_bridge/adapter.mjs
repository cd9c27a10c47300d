// Speaks the port protocol, version 1, for llm-bridge: `translateBetweenProviders` for the request, its error functions
// for a refusal. It translates no plain answer, so the answer is read here: only requests and errors judge the library.
//
//     node adapter.mjs BUILD      BUILD is the folder whose node_modules hold the library

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

import { Cannot, chatBody, error, serve, settings } from "../_adapter/peer.mjs";

const built = createRequire(`${process.argv[2] ?? process.cwd()}/package.json`);
const { parseAnthropicError, translateBetweenProviders, translateError } = await import(
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
  const client = settings(message);
  const given = { model: client.model, ...chatBody(message) };
  if (new URL(client.base_url).pathname !== "/" || client.base_url.includes("?")) {
    throw new Cannot("the library converts bodies and makes no call: addresses are its caller's");
  }
  let body;
  try {
    body = translateBetweenProviders("openai", "anthropic", given);
  } catch (wrong) {
    if (/^UniversalTranslationError/.test(wrong.name)) return error("invalid-request", wrong);
    throw wrong;
  }
  const response = await posted(client, body);
  const text = await response.text().catch(() => "");
  if (!response.ok) return refused(response, text);
  try {
    return resultOf(JSON.parse(text));
  } catch {
    throw new Cannot("the library converts no plain answer");
  }
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

await serve(PORT, translate);
