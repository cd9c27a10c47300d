//! A port adapter without a translator: the whole protocol, and a `skip` where your code goes.
//!
//!     cargo run        then type: {"op":"hello","protocol":1,"corpus":"1.0"}
//!
//! Copy this folder beside your translator and do the TODOs in order.
//! stdout belongs to the protocol; `eprintln!` is free.

use std::io::{BufRead, Write};
use std::panic::catch_unwind;

use serde_json::{json, Value};

fn hello() -> Value {
    json!({
        "op": "hello",
        "protocol": 1,
        // TODO 1: your port's name and version.
        "port": {"name": "my-port", "language": "rust", "version": "0.0.0"},
        // TODO 4: what it can do. A case that needs more is n/a, not wrong. Further words: openai, warnings, pointers,
        // toolkit, hooks, request_params, body_transform, declare, stream, and options of a client: retries, headers, …
        "capabilities": ["anthropic"],
        // serde_json's Value turns 1.10 into 1.1 and refuses 1e400. If your port reads JSON otherwise, take this away.
        "lacks": ["number-tokens"],
    })
}

/// One call of your translator. Make the client anew each time: nothing may stay from one message to the next.
fn translate(message: &Value) -> Value {
    // style, base_url, model, api_key, retries, …: honour them all, the key above all.
    let client = &message["client"];
    // The request as JSON, or its exact text where number tokens, duplicate keys or escapes are the subject.
    let request = match message["request_text"].as_str() {
        Some(text) => match serde_json::from_str(text) {
            Ok(request) => request,
            Err(wrong) => return skip(format!("serde_json does not read this request: {wrong}")),
        },
        None => message["request"].clone(),
    };
    // TODO 2: build a client from `client`, hand it `request` (`repeat` times, if it is there), and give back what it gave:
    // json!({"result": {"text": "…", "tool_calls": [{"id": "…", "name": "…", "arguments": "{…}"}],
    //        "finish_reason": "stop", "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}}})
    // TODO 3: where it fails: kind is invalid-request (before any call), provider, transport or invalid-response.
    // json!({"error": {"kind": "provider", "status": 429, "type": "rate_limit_error", "message": "…"}})
    skip(format!("no translator yet for {}, {} fields", client["style"], request.as_object().map_or(0, |r| r.len())))
}

fn skip(reason: String) -> Value {
    json!({"skip": {"reason": reason}})
}

/// A panic is no outcome of the contract, yet no reason to die: the next case is waiting.
fn answer(message: &Value) -> Value {
    let mut reply = match message["op"].as_str() {
        Some("translate") => catch_unwind(|| translate(message)).unwrap_or_else(|_| skip("the port panicked".into())),
        other => skip(format!("the port has no {}", other.unwrap_or("op"))), // also: declare, stream
    };
    reply["id"] = message["id"].clone();
    reply
}

fn main() -> std::io::Result<()> {
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|wrong| {
            // A lone surrogate or 1e400, which serde_json cannot hold: the id is all that an answer needs.
            json!({"op": format!("way to read it: {wrong}"), "id": line.split('"').nth(7)})
        });
        if message["op"] == "bye" {
            break; // and so does the end of input
        }
        let reply = if message["op"] == "hello" { hello() } else { answer(&message) };
        writeln!(std::io::stdout(), "{reply}")?;
        std::io::stdout().flush()?;
    }
    Ok(())
}
