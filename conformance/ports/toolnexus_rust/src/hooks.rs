//! A case's hooks and body transform as the port takes them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Map, Value, json};
use toolnexus::client::{ClientOptions, ErrorTier, LlmOverride};

/// How often each hook was called.
#[derive(Default)]
pub struct Fired {
    before_llm: AtomicUsize,
    after_llm: AtomicUsize,
    on_error: AtomicUsize,
    before_tool: AtomicUsize,
    after_tool: AtomicUsize,
}

impl Fired {
    pub fn counts(&self) -> Value {
        let count = |counter: &AtomicUsize| counter.load(Ordering::SeqCst);
        json!({
            "before_llm": count(&self.before_llm),
            "after_llm": count(&self.after_llm),
            "on_error": count(&self.on_error),
            "before_tool": count(&self.before_tool),
            "after_tool": count(&self.after_tool),
        })
    }
}

pub fn install(options: &mut ClientOptions, wanted: &Map<String, Value>, fired: &Arc<Fired>) {
    let raised = |name: &str| wanted.get(name).and_then(|hook| hook.get("raise")).and_then(Value::as_str);

    let (counts, raise, replace) = (fired.clone(), raised("before_llm").map(String::from), replacement(wanted));
    options.hooks.before_llm = Some(Arc::new(move |_| {
        counts.before_llm.fetch_add(1, Ordering::SeqCst);
        let outcome = raise.clone().map_or_else(|| Ok(replace.clone()), Err);
        Box::pin(async move { outcome })
    }));
    let (counts, raise) = (fired.clone(), raised("after_llm").map(String::from));
    options.hooks.after_llm = Some(Arc::new(move |_| {
        counts.after_llm.fetch_add(1, Ordering::SeqCst);
        let outcome = raise.clone().map_or(Ok(()), Err);
        Box::pin(async move { outcome })
    }));
    let counts = fired.clone();
    options.hooks.before_tool = Some(Arc::new(move |_| {
        counts.before_tool.fetch_add(1, Ordering::SeqCst);
        Box::pin(async { Ok(None) })
    }));
    let counts = fired.clone();
    options.hooks.after_tool = Some(Arc::new(move |_| {
        counts.after_tool.fetch_add(1, Ordering::SeqCst);
        Box::pin(async { Ok(None) })
    }));

    let Some(decisions) = wanted.get("on_error").and_then(Value::as_array).cloned() else { return };
    let counts = fired.clone();
    options.on_error = Some(Arc::new(move |info| {
        let asked = counts.on_error.fetch_add(1, Ordering::SeqCst);
        match decisions.get(asked.min(decisions.len() - 1)).and_then(Value::as_str) {
            Some("retry") => ErrorTier::Retry,
            Some("default") if info.retryable => ErrorTier::Retry,
            _ => ErrorTier::Fail,
        }
    }));
}

fn replacement(wanted: &Map<String, Value>) -> Option<LlmOverride> {
    let replace = wanted.get("before_llm")?.get("replace")?;
    Some(LlmOverride {
        messages: replace.get("messages").and_then(Value::as_array).cloned(),
        tools: replace.get("tools").and_then(Value::as_array).cloned(),
        model: replace.get("model").and_then(Value::as_str).map(String::from),
    })
}

/// RFC 7396.
pub fn merge_patch(target: Value, patch: &Value) -> Value {
    let Value::Object(changes) = patch else { return patch.clone() };
    let mut merged = match target {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    for (name, change) in changes {
        let before = merged.remove(name);
        if !change.is_null() {
            merged.insert(name.clone(), merge_patch(before.unwrap_or(Value::Null), change));
        }
    }
    Value::Object(merged)
}
