// The parts of the SDK's `fullStream` as OpenAI deltas. Each part that has an OpenAI word is written by itself; what the
// SDK does not say is not said here.

/** OpenAI's word for the SDK's; the two differ in how they join words. */
export const finishOf = (reason) => reason?.replace("-", "_");

export function usageOf(usage) {
  return {
    prompt_tokens: usage.inputTokens ?? 0,
    completion_tokens: usage.outputTokens ?? 0,
    total_tokens: usage.totalTokens ?? 0,
    cached_tokens: usage.inputTokenDetails?.cacheReadTokens ?? 0,
    cache_write_tokens: usage.inputTokenDetails?.cacheWriteTokens ?? 0,
    reasoning_tokens: usage.outputTokenDetails?.reasoningTokens ?? 0,
  };
}

/** Throws what an `error` part holds: after it the stream is no answer, whatever the SDK still sends. */
export async function* deltasOf(parts) {
  const calls = new Calls();
  for await (const part of parts) {
    switch (part.type) {
      case "start-step": // the first thing of the answer came
        yield { role: "assistant" };
        break;
      case "text-delta":
        yield { content: part.text };
        break;
      case "reasoning-delta":
        yield { reasoning_content: part.text };
        break;
      case "tool-input-start":
        yield calls.begin(part.id, part.toolName);
        break;
      case "tool-input-delta":
        yield calls.fragment(part.id, part.delta);
        break;
      case "tool-call":
        yield* calls.whole(part);
        break;
      case "finish":
        yield { finish_reason: finishOf(part.finishReason) };
        if (part.totalUsage.totalTokens !== undefined) yield { usage: usageOf(part.totalUsage) };
        break;
      case "error":
        throw part.error;
      case "abort":
        throw new DOMException(part.reason ?? "aborted", "AbortError");
      default: // begins and ends of parts, sources, files: OpenAI's deltas have no word for them
    }
  }
}

/** The calls of one stream: OpenAI counts them, the SDK names them by id. */
class Calls {
  #begun = new Map();

  begin(id, name) {
    const call = { index: this.#begun.size, fragments: false };
    this.#begun.set(id, call);
    return { tool_calls: [{ index: call.index, id, type: "function", function: { name, arguments: "" } }] };
  }

  fragment(id, text) {
    const call = this.#begun.get(id);
    call.fragments = true;
    return { tool_calls: [{ index: call.index, function: { arguments: text } }] };
  }

  /** The SDK ends each call with its whole input; where no fragment came, this is all there is of it. */
  *whole({ toolCallId: id, toolName: name, input }) {
    if (!this.#begun.has(id)) yield this.begin(id, name);
    if (this.#begun.get(id).fragments) return;
    yield this.fragment(id, typeof input === "string" ? input : JSON.stringify(input ?? {}));
  }
}
