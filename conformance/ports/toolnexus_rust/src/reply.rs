//! From what the port gives back to an outcome of the protocol.

use serde_json::{Value, json};
use toolnexus::client::{ClientError, ProviderError, TranslateResult};

pub fn outcome(got: Result<TranslateResult, ClientError>) -> Value {
    match got {
        Ok(result) => json!({"result": result_of(&result)}),
        Err(wrong) => json!({"error": error_of(&wrong)}),
    }
}

fn result_of(result: &TranslateResult) -> Value {
    let mut message = json!({"role": "assistant", "content": Value::Null});
    if !result.text.is_empty() {
        message["content"] = json!(result.text);
    }
    if !result.tool_calls.is_empty() {
        message["tool_calls"] = json!(result.tool_calls_json()); // what the port offers for the next request's history
    }
    let usage = &result.usage;
    json!({
        "text": result.text,
        "tool_calls": result.tool_calls.iter().map(|call| json!({
            "id": call.id, "name": call.name, "arguments": call.arguments,
        })).collect::<Vec<_>>(),
        "finish_reason": result.finish_reason,
        "usage": {
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "total_tokens": usage.total_tokens,
            "cached_tokens": usage.cache_read_tokens,
            "cache_write_tokens": usage.cache_write_tokens,
        },
        "model": result.model,
        "message": message,
        "raw": result.raw,
    })
}

fn error_of(wrong: &ClientError) -> Value {
    let message = wrong.to_string();
    match wrong {
        ClientError::Provider(refusal) => provider_error(refusal, message),
        ClientError::Decode(_) => json!({"kind": "invalid-response", "message": message}),
        ClientError::Transport(_) | ClientError::Cancelled | ClientError::RunTimeout { .. } => {
            // The port gives a text alone, which says so where its own deadline ended the call, and otherwise nothing.
            let timeout = message.contains("timeout").then_some("timeout");
            json!({"kind": "transport", "message": message, "type": timeout})
        }
        _ => json!({"kind": "invalid-request", "message": message}),
    }
}

/// The port gives status, Retry-After and the whole body; type and message are read from that, as a caller would.
fn provider_error(refusal: &ProviderError, message: String) -> Value {
    let mut said = json!({"kind": "provider", "status": refusal.status, "message": message});
    if !refusal.retry_after.is_empty() {
        said["retry_after"] = json!(refusal.retry_after);
    }
    let Ok(Value::Object(body)) = serde_json::from_str(&refusal.body) else { return said };
    if let Some(id) = body.get("request_id") {
        said["request_id"] = id.clone();
    }
    for name in ["type", "message", "param", "code"] {
        // A caller makes nothing of another shape than a text, or a code that is a number.
        let readable = |value: &&Value| value.is_string() || (name == "code" && value.is_number());
        if let Some(value) = body.get("error").and_then(|inner| inner.get(name)).filter(readable) {
            said[name] = value.clone();
        }
    }
    said
}
