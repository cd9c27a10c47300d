// Speaks the port protocol, version 1, for the Vercel AI SDK: `generateText` and `streamText` with
// `@ai-sdk/anthropic`.
//
//     node adapter.mjs BUILD      BUILD is the folder whose node_modules hold the SDK

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

import { Cannot, chatBody, connectionFault, error, headersOf, isObject, serve, settings } from "../_adapter/peer.mjs";
import { deltasOf, finishOf, usageOf } from "./deltas.mjs";
import { marked, messagesOf } from "./history.mjs";

globalThis.AI_SDK_LOG_WARNINGS = false;

const built = createRequire(`${process.argv[2] ?? process.cwd()}/package.json`);
const load = (name) => import(pathToFileURL(built.resolve(name)).href);
const { APICallError, AISDKError, generateText, jsonSchema, Output, streamText, tool } = await load("ai");
const { createAnthropic } = await load("@ai-sdk/anthropic");

const PORT = {
  name: "vercel-ai",
  language: "javascript",
  version: `${built("ai/package.json").version} + @ai-sdk/anthropic ${built("@ai-sdk/anthropic/package.json").version}`,
  url: "https://github.com/vercel/ai",
};

/** Chat Completions params in the SDK's words. */
const PARAMS = {
  max_tokens: (value) => ({ maxOutputTokens: value }),
  max_completion_tokens: (value) => ({ maxOutputTokens: value }),
  temperature: (value) => ({ temperature: value }),
  top_p: (value) => ({ topP: value }),
  top_k: (value) => ({ topK: value }),
  stop: (value) => ({ stopSequences: typeof value === "string" ? [value] : value }),
  seed: (value) => ({ seed: value }),
  presence_penalty: (value) => ({ presencePenalty: value }),
  frequency_penalty: (value) => ({ frequencyPenalty: value }),
  response_format: (value) => ({ output: outputOf(value) }),
};

const OPTIONS = {
  parallel_tool_calls(value) {
    if (typeof value !== "boolean") throw new Cannot("the SDK has no such parallel_tool_calls");
    return { disableParallelToolUse: !value };
  },
  user: (value) => ({ metadata: { userId: value } }),
};

async function translate(message) {
  const { asked, reached } = askedOf(message, chatBody(message));
  try {
    return resultOf(await generateText(asked));
  } catch (wrong) {
    return errorOf(wrong, reached());
  }
}

async function stream(message, give) {
  // That it is this function says `stream: true`, and it counts always: OpenAI's two switches have no part in it.
  const { stream: streamed, stream_options: counted, ...body } = chatBody(message);
  const { asked, reached } = askedOf(message, body);
  try {
    const answer = streamText({ ...asked, onError: () => {} }); // the stream tells of errors, too
    for await (const delta of deltasOf(answer.fullStream)) give(delta);
    return resultOf(await settled(answer));
  } catch (wrong) {
    return streamErrorOf(wrong, reached());
  }
}

/** What both functions are asked, and whether the SDK came as far as a call. */
function askedOf(message, { messages, tools, tool_choice: choice, ...params }) {
  const client = settings(message, "headers", "anthropic_version", "read_timeout_ms");
  let reached = false;
  const base = client.base_url.replace(/\/+$/, "");
  const anthropic = createAnthropic({
    baseURL: base.endsWith("/v1") ? base : `${base}/v1`, // the SDK's addresses end in /v1
    apiKey: client.api_key,
    headers: headersOf(client),
    fetch: (...call) => {
      reached = true;
      return fetch(...call);
    },
  });
  const asked = {
    model: anthropic(client.model),
    messages: messagesOf(messages),
    maxRetries: 0,
    ...paramsOf(params),
    ...(tools === undefined || tools.length === 0 ? {} : { tools: toolsOf(tools) }),
    ...(choice === undefined ? {} : choiceOf(choice)),
    ...(client.read_timeout_ms ? { abortSignal: AbortSignal.timeout(client.read_timeout_ms) } : {}),
  };
  return { asked, reached: () => reached };
}

function paramsOf(params) {
  const asked = {};
  const options = {};
  if (params.max_completion_tokens !== undefined) delete params.max_tokens; // the SDK has one limit: the newer name is meant
  for (const [name, value] of Object.entries(params)) {
    if (Object.hasOwn(PARAMS, name)) Object.assign(asked, PARAMS[name](value));
    else if (Object.hasOwn(OPTIONS, name)) Object.assign(options, OPTIONS[name](value));
    else throw new Cannot(`the SDK has no setting for ${name}`);
  }
  return Object.keys(options).length ? { ...asked, providerOptions: { anthropic: options } } : asked;
}

function toolsOf(tools) {
  if (!Array.isArray(tools)) throw new Cannot("the SDK has no such tools");
  const made = {};
  for (const given of tools) {
    const { name, description, parameters, strict, ...more } = given?.function ?? {};
    if (given?.type !== "function" || Object.keys(more).length || Object.hasOwn(made, name)) {
      throw new Cannot("the SDK declares function tools only, each under a name of its own");
    }
    made[name] = tool({
      description: description ?? undefined,
      inputSchema: jsonSchema(parameters ?? { type: "object", properties: {} }),
      ...(strict === undefined || strict === null ? {} : { strict }),
      ...marked(given),
    });
  }
  return made;
}

/** What the answer has to look like, by the SDK's three ways to say it. */
function outputOf(format) {
  const { type, json_schema: wanted } = isObject(format) ? format : {};
  if (type === "text") return Output.text();
  if (type === "json_object") return Output.json();
  if (type !== "json_schema" || !isObject(wanted?.schema)) throw new Cannot("the SDK has no such response_format");
  const { name, description, schema } = wanted;
  return Output.object({ name, description, schema: jsonSchema(schema) });
}

function choiceOf(choice) {
  if (typeof choice === "string") return { toolChoice: choice };
  if (choice.type === "function" && isObject(choice.function)) {
    return { toolChoice: { type: "tool", toolName: choice.function.name } };
  }
  const { mode, tools } = choice.type === "allowed_tools" ? (choice.allowed_tools ?? {}) : {};
  if (!mode || !tools?.every((allowed) => allowed.type === "function")) throw new Cannot("the SDK has no such tool choice");
  return { toolChoice: mode, activeTools: tools.map((allowed) => allowed.function.name) };
}

function resultOf(answer) {
  const calls = answer.toolCalls.map((call) => ({
    id: call.toolCallId,
    name: call.toolName,
    arguments: typeof call.input === "string" ? call.input : JSON.stringify(call.input ?? {}),
  }));
  const signed = answer.reasoning
    .map((part) => [part.text, part.providerMetadata?.anthropic ?? {}])
    .filter(([, more]) => more.signature || more.redactedData)
    .map(([text, more]) =>
      more.redactedData
        ? { type: "redacted_thinking", data: more.redactedData }
        : { type: "thinking", thinking: text, signature: more.signature },
    );
  return {
    result: {
      text: answer.text,
      tool_calls: calls,
      finish_reason: finishOf(answer.finishReason),
      usage: usageOf(answer.usage),
      model: answer.response.modelId,
      reasoning: answer.reasoningText ?? null,
      message: {
        role: "assistant",
        content: answer.text || null,
        ...(calls.length
          ? { tool_calls: calls.map(({ id, ...inner }) => ({ id, type: "function", function: inner })) }
          : {}),
        ...(answer.reasoningText ? { reasoning_content: answer.reasoningText } : {}),
        ...(signed.length ? { thinking_blocks: signed } : {}),
      },
      raw: answer.response.body ?? null,
    },
  };
}

/** What `streamText` promises, once it is there. */
async function settled(answer) {
  const names = ["text", "toolCalls", "reasoning", "reasoningText", "finishReason", "usage", "response"];
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await answer[name]])));
}

function errorOf(wrong, reached) {
  if (APICallError.isInstance(wrong)) {
    if (wrong.statusCode === undefined) return error("transport", wrong, { type: connectionFault(wrong) });
    if (wrong.statusCode < 300) return error("invalid-response", wrong);
    const headers = wrong.responseHeaders ?? {};
    const inner = wrong.data?.error ?? {};
    return error("provider", wrong, {
      status: wrong.statusCode,
      type: inner.type,
      request_id: headers["request-id"],
      retry_after: headers["retry-after"],
    });
  }
  if (["TimeoutError", "AbortError"].includes(wrong.name)) return error("transport", wrong, { type: "timeout" });
  if (AISDKError.isInstance(wrong)) return error(reached ? "invalid-response" : "invalid-request", wrong);
  throw wrong;
}

/** In a stream the SDK hands the provider's error event on as it is: a type and a message, no error of its own. */
function streamErrorOf(wrong, reached) {
  if (isObject(wrong) && !(wrong instanceof Error)) return error("provider", wrong, { type: wrong.type });
  return errorOf(wrong, reached);
}

await serve(PORT, translate, stream);
