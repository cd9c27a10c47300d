// An OpenAI history in the AI SDK's own messages, as a user who moves over would write it.
//
// Only what those messages have a place for is carried; anything else is `Cannot`, never dropped here.

import { Cannot, isObject } from "../_adapter/peer.mjs";

const KNOWN = {
  system: ["role", "content", "cache_control"],
  developer: ["role", "content", "cache_control"],
  user: ["role", "content", "cache_control"],
  assistant: ["role", "content", "tool_calls", "thinking_blocks", "reasoning_content", "cache_control"],
  tool: ["role", "content", "tool_call_id", "cache_control"],
};

const PART_KEYS = {
  text: ["type", "text"],
  image_url: ["type", "image_url"],
  file: ["type", "file", "mimeType", "data", "url", "name"],
  input_audio: ["type", "input_audio"],
  image: ["type", "mimeType", "data", "url", "name"],
  audio: ["type", "mimeType", "data", "url", "name"],
};

/** `cache_control` in the SDK's words. */
export const marked = (item) =>
  item.cache_control ? { providerOptions: { anthropic: { cacheControl: item.cache_control } } } : {};

export function messagesOf(history) {
  if (!Array.isArray(history)) throw new Cannot("the SDK's history is typed: it takes no such messages");
  const names = new Map();
  return history.map((message) => {
    if (!isObject(message) || !Object.hasOwn(KNOWN, message.role)) {
      throw new Cannot("the SDK's history is typed: it takes no such message");
    }
    nothingElse(message, KNOWN[message.role], "a message");
    return { ...ROLES[message.role](message, names), ...marked(message) };
  });
}

const ROLES = {
  system: (message) => ({ role: "system", content: textOf(message.content) }),
  developer: (message) => ({ role: "system", content: textOf(message.content) }),
  user: (message) => ({ role: "user", content: contentOf(message.content) }),
  assistant: assistantOf,
  tool: (message, names) => ({
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: message.tool_call_id ?? "",
        toolName: names.get(message.tool_call_id) ?? "",
        output: outputOf(message.content),
      },
    ],
  }),
};

function assistantOf(message, names) {
  const parts = (message.thinking_blocks ?? []).map(reasoning);
  const content = contentOf(message.content ?? []);
  parts.push(...(typeof content === "string" ? [{ type: "text", text: content }] : content));
  const calls = message.tool_calls ?? [];
  if (!Array.isArray(calls)) throw new Cannot("the SDK's history has no such call");
  for (const call of calls) {
    if (!isObject(call?.function)) throw new Cannot("the SDK's history has no such call");
    names.set(call.id, call.function.name);
    parts.push({
      type: "tool-call",
      toolCallId: call.id ?? "",
      toolName: call.function.name ?? "",
      input: inputOf(call.function.arguments),
    });
  }
  return { role: "assistant", content: parts };
}

/** The SDK's calls hold values, not text; text that is no JSON stands for itself, as in the SDK's own failed calls. */
function inputOf(given) {
  if (typeof given !== "string") return given ?? {};
  if (!given.trim()) return {};
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

function reasoning(block) {
  if (block.type === "redacted_thinking") {
    return { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: block.data } } };
  }
  return { type: "reasoning", text: block.thinking, providerOptions: { anthropic: { signature: block.signature } } };
}

function outputOf(content) {
  const parts = contentOf(content);
  if (typeof parts === "string") return { type: "text", value: parts };
  return { type: "content", value: parts.map(resultPart) };
}

function resultPart(part) {
  if (part.type === "text") return part;
  const given = part.image ?? part.data;
  const kind = part.type === "image" ? "image" : "file";
  const marks = part.providerOptions ? { providerOptions: part.providerOptions } : {};
  if (given instanceof URL) return { type: `${kind}-url`, url: given.href, ...marks };
  const [mediaType, data] = split(given, part.mediaType);
  return { type: `${kind}-data`, data, mediaType, ...marks };
}

function split(data, mediaType) {
  const found = /^data:([^;,]*);base64,(.*)$/s.exec(data);
  return found ? [found[1], found[2]] : [mediaType, data];
}

function textOf(content) {
  const parts = contentOf(content);
  if (typeof parts === "string") return parts;
  if (parts.some((part) => part.type !== "text" || part.providerOptions)) throw new Cannot("only text has a place here");
  return parts.map((part) => part.text).join("");
}

function contentOf(content) {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw new Cannot("the SDK's history is typed: it takes no such content");
  return content.map((part) => {
    if (!isObject(part) || !Object.hasOwn(PARTS, part.type)) {
      throw new Cannot(`the SDK's history has no such part (${part?.type})`);
    }
    nothingElse(part, [...PART_KEYS[part.type], "cache_control"], "a part");
    return { ...PARTS[part.type](part), ...marked(part) };
  });
}

const PARTS = {
  text: (part) => ({ type: "text", text: part.text }),
  image_url(part) {
    const url = part.image_url?.url;
    if (typeof url !== "string") throw new Cannot("an image is given by a URL");
    if ((part.image_url.detail ?? "auto") !== "auto") throw new Cannot("an image's detail has no place");
    return { type: "image", image: source(url) };
  },
  file(part) {
    if (!part.file) return neutral(part);
    if (typeof part.file.file_data !== "string") throw new Cannot("a file is given by its data or a URL");
    const [mediaType] = split(part.file.file_data);
    if (mediaType === undefined) throw new Cannot("a file's media type must be said");
    return { type: "file", data: source(part.file.file_data), mediaType, filename: part.file.filename };
  },
  input_audio(part) {
    const mediaType = { wav: "audio/wav", mp3: "audio/mpeg" }[part.input_audio?.format];
    if (!mediaType) throw new Cannot("the SDK has no such audio");
    return { type: "file", data: part.input_audio.data, mediaType };
  },
  image: neutral,
  audio: neutral,
};

function neutral(part) {
  const data = part.data ?? (part.url === undefined ? undefined : source(part.url));
  if (part.data !== undefined && part.url !== undefined) throw new Cannot("a part has data or a URL, not both");
  if (data === undefined || (part.type !== "image" && !part.mimeType)) throw new Cannot("a file has data and media type");
  if (part.type === "image" && !part.name) return { type: "image", image: data, mediaType: part.mimeType };
  return { type: "file", data, mediaType: part.mimeType, filename: part.name };
}

const source = (url) => (/^https?:/.test(url) ? new URL(url) : url);

function nothingElse(item, known, what) {
  const unknown = Object.keys(item).filter((name) => !known.includes(name) && item[name] && item[name]?.length !== 0);
  if (unknown.length) throw new Cannot(`${what} has no place for ${unknown.sort().join(", ")}`);
}
