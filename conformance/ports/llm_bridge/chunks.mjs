// An OpenAI event stream as its deltas and the answer they add up to, as any OpenAI client reads it.

/** The data of each event. */
export async function* events(stream) {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const whole = `${rest}${text}`.split("\n\n");
    rest = whole.pop();
    yield* whole.map((event) => event.replace(/^data: ?/, ""));
  }
}

/** Takes chunks one by one: `deltas` of each, and `result` of all. */
export class Answer {
  #said = { role: "assistant", content: null };
  #calls = new Map();
  #ended = { finish_reason: null, usage: null, model: null };

  /** The envelope goes; finish and usage, which stand beside the delta, are deltas of their own. */
  *deltas(chunk) {
    this.#ended.model = chunk.model || this.#ended.model;
    const { delta, finish_reason: finish } = chunk.choices?.[0] ?? {};
    if (delta && Object.keys(delta).length) {
      this.#add(delta);
      yield delta;
    }
    if (finish) {
      this.#ended.finish_reason = finish;
      yield { finish_reason: finish };
    }
    if (chunk.usage) {
      this.#ended.usage = chunk.usage;
      yield { usage: chunk.usage };
    }
  }

  #add({ content, tool_calls: calls }) {
    if (content) this.#said.content = (this.#said.content ?? "") + content;
    for (const { index, id, function: inner } of calls ?? []) {
      if (!this.#calls.has(index)) this.#calls.set(index, { id, name: inner.name, arguments: "" });
      this.#calls.get(index).arguments += inner.arguments;
    }
  }

  get result() {
    const calls = [...this.#calls.values()];
    const told = calls.map(({ id, ...inner }) => ({ id, type: "function", function: inner }));
    return {
      text: this.#said.content,
      tool_calls: calls,
      ...this.#ended,
      message: { ...this.#said, ...(told.length ? { tool_calls: told } : {}) },
    };
  }
}
