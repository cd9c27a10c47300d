//! From a message of the protocol to a call of the port.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use toolnexus::client::{Client, ClientOptions, Style, TranslateRequest, create_client};
use toolnexus::{BuiltinsConfig, Tool, ToolResult, ToolSource, Toolkit, ToolkitOptions, create_toolkit};

use crate::hooks::{self, Fired};
use crate::reply;

#[derive(Deserialize)]
pub struct Message {
    pub op: String,
    #[serde(default)]
    pub id: String,
    client: Option<Map<String, Value>>,
    request: Option<Box<RawValue>>,
    request_text: Option<String>,
    toolkit: Option<Vec<Map<String, Value>>>,
    hooks: Option<Map<String, Value>>,
    request_params: Option<Map<String, Value>>,
    body_transform: Option<Value>,
    repeat: Option<usize>,
}

/// The call's outcome, or why the port cannot be asked for it.
pub async fn translate(message: &Message) -> Result<Value, String> {
    let wanted = message.client.as_ref().ok_or("a translate without a client")?;
    let request = request_of(message)?;
    let fired = Arc::new(Fired::default());
    let client = client_of(message, wanted, params_of(&request)?, &fired)?;
    let toolkit = match &message.toolkit {
        Some(tools) => Some(toolkit_of(tools, Some(wanted)).await?),
        None => None,
    };
    let mut outcome = Value::Null;
    for _ in 0..message.repeat.unwrap_or(1) {
        outcome = reply::outcome(client.translate(translate_request(&request, toolkit.clone())?).await);
    }
    if message.hooks.is_some() {
        outcome["fired"] = fired.counts();
    }
    Ok(outcome)
}

pub async fn declare(message: &Message) -> Result<Value, String> {
    let tools = message.toolkit.as_deref().unwrap_or_default();
    let toolkit = toolkit_of(tools, None).await?;
    Ok(json!({"openai": toolkit.to_openai(), "anthropic": toolkit.to_anthropic(), "gemini": toolkit.to_gemini()}))
}

/// The request as a caller of the port would have it: read by serde_json as the port is built with it.
fn request_of(message: &Message) -> Result<Map<String, Value>, String> {
    let text = match (&message.request, &message.request_text) {
        (Some(raw), _) => raw.get(),
        (None, Some(text)) => text,
        (None, None) => return Err("a translate without a request".into()),
    };
    serde_json::from_str(text).map_err(|wrong| format!("serde_json does not read this request: {wrong}"))
}

/// What `translate` takes. Everything else of a Chat Completions body is a param, save the model, which the client has.
const FIELDS: [&str; 5] = ["messages", "tools", "tool_choice", "system", "max_tokens"];

/// The further fields that say something.
fn params_of(request: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    let params = match request.get("params") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(params)) => params.clone(),
        Some(_) => return Err("the port has no params, so none of a wrong type".into()),
    };
    let known = |name: &str| FIELDS.contains(&name) || name == "params" || name == "model";
    let mut found: Map<String, Value> = request.clone();
    found.retain(|name, _| !known(name));
    found.extend(params);
    found.retain(|_, value| ![Value::Null, json!([]), json!({})].contains(value));
    Ok(found)
}

/// The fields in the port's own types; a value that these cannot hold is a reason to skip.
fn translate_request(request: &Map<String, Value>, toolkit: Option<Toolkit>) -> Result<TranslateRequest, String> {
    let given = |name: &str| request.get(name).filter(|value| !value.is_null());
    let list = |name: &str| match given(name) {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => Ok(items.clone()),
        Some(other) => Err(format!("TranslateRequest.{name} is a Vec and cannot hold {other}")),
    };
    Ok(TranslateRequest {
        messages: list("messages")?,
        tools: list("tools")?,
        toolkit,
        tool_choice: given("tool_choice").cloned(),
        system: match given("system") {
            None => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => return Err(format!("TranslateRequest.system is a String and cannot hold {other}")),
        },
        max_tokens: match given("max_tokens") {
            None => 0,
            Some(value) => value
                .as_u64()
                .and_then(|number| usize::try_from(number).ok())
                .ok_or_else(|| format!("TranslateRequest.max_tokens is a usize and cannot hold {value}"))?,
        },
    })
}

/// The options of a case's client that the port has.
const OPTIONS: [&str; 13] = [
    "style",
    "base_url",
    "model",
    "api_key",
    "headers",
    "system_prompt",
    "anthropic_version",
    "retries",
    "retry_base_ms",
    "retryable_statuses",
    "timeout_ms",
    "connect_timeout_ms",
    "read_timeout_ms",
];

fn client_of(
    message: &Message,
    wanted: &Map<String, Value>,
    params: Map<String, Value>,
    fired: &Arc<Fired>,
) -> Result<Client, String> {
    if let Some(unknown) = wanted.keys().find(|name| !OPTIONS.contains(&name.as_str())) {
        return Err(format!("the client has no option for {unknown}"));
    }
    let text = |name: &str| wanted.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let number = |name: &str| wanted.get(name).and_then(Value::as_u64);
    let style = if text("style") == "anthropic" { Style::Anthropic } else { Style::OpenAI };
    if style == Style::Anthropic && !params.is_empty() {
        let names: Vec<&str> = params.keys().map(String::as_str).collect();
        return Err(format!("translate takes no params ({}) and maps none to Anthropic", names.join(", ")));
    }
    let doubled = |name: &str| FIELDS.contains(&name) || name == "model";
    if let Some(name) = params.keys().find(|name| doubled(name)) {
        return Err(format!("the port has no params that {name} could stand in"));
    }
    let mut request_params = params; // the port's way to send further fields
    request_params.extend(message.request_params.clone().unwrap_or_default());
    let mut options = ClientOptions {
        base_url: text("base_url"),
        style,
        model: text("model"),
        api_key: text("api_key"),
        system_prompt: text("system_prompt"),
        timeout_ms: number("timeout_ms").unwrap_or(0),
        request_params,
        http_client: Some(http_client(number("connect_timeout_ms"), number("read_timeout_ms"))?),
        // The port's 0 stands for its default; -1 is no retry, and 1 ms the shortest base there is.
        retries: match number("retries") {
            None => 0,
            Some(0) => -1,
            Some(count) => i32::try_from(count).map_err(|wrong| wrong.to_string())?,
        },
        retry_base_ms: number("retry_base_ms").map_or(0, |ms| ms.max(1)),
        ..Default::default()
    };
    if wanted.contains_key("anthropic_version") {
        options.headers.insert("anthropic-version".into(), text("anthropic_version")); // the port's way to say so
    }
    for (name, value) in wanted.get("headers").and_then(Value::as_object).into_iter().flatten() {
        options.headers.insert(name.clone(), value.as_str().unwrap_or_default().into());
    }
    for status in wanted.get("retryable_statuses").and_then(Value::as_array).into_iter().flatten() {
        let status = status.as_u64().and_then(|status| u16::try_from(status).ok());
        options.retryable_statuses.push(status.ok_or("a retryable status that is none")?);
    }
    if let Some(patch) = message.body_transform.clone() {
        options.body_transform = Some(Arc::new(move |body| Some(hooks::merge_patch(body, &patch))));
    }
    if let Some(wanted) = &message.hooks {
        hooks::install(&mut options, wanted, fired);
    }
    Ok(create_client(options))
}

/// The port takes its timeouts of one attempt from the HTTP client it is handed.
///
/// The stub speaks plain HTTP. To read the system's certificates for each client would hold up the cases beside it for so
/// long that their timeouts pass.
fn http_client(connect: Option<u64>, read: Option<u64>) -> Result<reqwest::Client, String> {
    let mut builder = reqwest::Client::builder().tls_certs_only([]);
    if let Some(ms) = connect {
        builder = builder.connect_timeout(Duration::from_millis(ms));
    }
    if let Some(ms) = read {
        builder = builder.read_timeout(Duration::from_millis(ms));
    }
    builder.build().map_err(|wrong| format!("no HTTP client: {wrong}"))
}

/// A real toolkit, whose tools raise the stub's alarm when they run.
async fn toolkit_of(tools: &[Map<String, Value>], client: Option<&Map<String, Value>>) -> Result<Toolkit, String> {
    let text = |from: &Map<String, Value>, name: &str| from.get(name).and_then(Value::as_str).unwrap_or("").to_owned();
    let (url, key) = match client {
        Some(client) => (alarm_url(&text(client, "base_url")), text(client, "api_key")),
        None => (String::new(), String::new()),
    };
    let tool = |tool: &Map<String, Value>| {
        let (url, key) = (url.clone(), key.clone());
        let source = tool.get("source").cloned().unwrap_or_else(|| json!("native"));
        Ok(Tool {
            name: text(tool, "name"),
            description: text(tool, "description"),
            input_schema: tool.get("inputSchema").cloned().unwrap_or_else(|| json!({})),
            source: serde_json::from_value::<ToolSource>(source).map_err(|wrong| wrong.to_string())?,
            hints: None,
            execute: Arc::new(move |_, _| {
                let alarm = reqwest::Client::new().post(&url).header("x-api-key", &key);
                Box::pin(async move {
                    let _ = alarm.send().await;
                    ToolResult::ok("ran")
                })
            }),
        })
    };
    let name_of = |tool: &Map<String, Value>| text(tool, "name");
    for builtin in tools.iter().filter(|tool| text(tool, "source") == "builtin") {
        if tools.iter().filter(|tool| name_of(tool) == name_of(builtin)).count() > 1 {
            return Err(
                "a builtin with a schema of the case's own cannot be put beside another tool of its name".into()
            );
        }
    }
    let extra_tools = tools.iter().map(tool).collect::<Result<Vec<Tool>, String>>()?;
    let options = ToolkitOptions { extra_tools, builtins: Some(BuiltinsConfig::off()), ..Default::default() };
    create_toolkit(options).await.map_err(|wrong| wrong.to_string())
}

fn alarm_url(base: &str) -> String {
    let host = base.find("://").map_or(0, |at| at + 3);
    let end = base[host..].find('/').map_or(base.len(), |at| host + at);
    format!("{}/_alarm", &base[..end])
}
