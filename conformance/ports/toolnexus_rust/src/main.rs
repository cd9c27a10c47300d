//! Speaks the port protocol, version 1, for the `toolnexus` published on crates.io.
//!
//! One JSON message a line on stdin, one reply a line on stdout. The client, and with it everything a call could
//! leave behind, is made anew for each message.

mod ask;
mod hooks;
mod reply;

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Stdout};
use tokio::sync::Mutex;

use ask::Message;

const CAPABILITIES: [&str; 13] = [
    "anthropic",
    "openai",
    "toolkit",
    "hooks",
    "request_params",
    "body_transform",
    "declare",
    "system_prompt",
    "headers",
    "anthropic_version",
    "retries",
    "retryable_statuses",
    "timeout_ms",
];

type Out = Arc<Mutex<Stdout>>;

#[tokio::main(worker_threads = 2)]
async fn main() -> std::io::Result<()> {
    let out: Out = Arc::new(Mutex::new(tokio::io::stdout()));
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut running = tokio::task::JoinSet::new();
    while let Some(line) = lines.next_line().await? {
        let message: Message = match serde_json::from_str(&line) {
            Ok(message) => message,
            Err(wrong) => {
                // Half a surrogate pair or 1e400 outside the request: the id is all that an answer needs.
                let reason = format!("serde_json does not read this message: {wrong}");
                say(&out, &json!({"id": line.split('"').nth(7), "skip": {"reason": reason}})).await?;
                continue;
            }
        };
        match message.op.as_str() {
            "bye" => break,
            "hello" => say(&out, &hello()).await?,
            _ => {
                running.spawn(answer(out.clone(), message));
            }
        }
    }
    while running.join_next().await.is_some() {}
    Ok(())
}

fn hello() -> Value {
    json!({
        "op": "hello",
        "protocol": 1,
        "port": {
            "name": "toolnexus",
            "language": "rust",
            "version": "0.23.0",
            "url": "https://github.com/muthuishere/toolnexus",
        },
        "capabilities": CAPABILITIES,
        "max_in_flight": 4,
    })
}

async fn answer(out: Out, message: Message) {
    let id = message.id.clone();
    // A task of its own: where the port panics, its case is answered all the same.
    let work = tokio::spawn(async move {
        match message.op.as_str() {
            "translate" => ask::translate(&message).await,
            "declare" => ask::declare(&message).await,
            other => Err(format!("the port has no {other}")),
        }
    });
    let mut reply = match work.await {
        Ok(Ok(reply)) => reply,
        Ok(Err(reason)) => json!({"skip": {"reason": reason}}),
        Err(wrong) => json!({"skip": {"reason": format!("the port panicked: {wrong}")}}),
    };
    reply["id"] = json!(id);
    if let Err(wrong) = say(&out, &reply).await {
        eprintln!("stdout: {wrong}");
    }
}

/// One line, ASCII-escaped.
async fn say(out: &Out, reply: &Value) -> std::io::Result<()> {
    let mut line = String::new();
    for c in reply.to_string().chars() {
        if c.is_ascii() {
            line.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                line.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    line.push('\n');
    let mut out = out.lock().await;
    out.write_all(line.as_bytes()).await?;
    out.flush().await
}
