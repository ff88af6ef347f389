//! What the tests of all clients share.

use std::future::Future;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// How a test ends: what is wrong, if anything.
pub type Checked = Result<(), String>;

/// A model to ask.
#[derive(Clone, Copy)]
pub struct Subject {
    pub model: &'static str,
    pub thinks: bool,
    /// Whether a caller may see what it thinks.
    pub shows: bool,
    /// Whether the vendor signs what the model thinks. Gemini 2.5 and DeepSeek do not in the simulation.
    pub signs: bool,
}

const fn subject(model: &'static str, thinks: bool, shows: bool, signs: bool) -> Subject {
    Subject { model, thinks, shows, signs }
}

/// Models of all four kinds of vendor: with reasoning by effort, by a budget, and without reasoning.
pub const SUBJECTS: [Subject; 7] = [
    subject("openai/gpt-4.1", false, false, false),
    subject("openai/gpt-5.4", true, false, true),
    subject("anthropic/claude-sonnet-4-5", true, true, true),
    subject("anthropic/claude-sonnet-5-5", true, true, true),
    subject("google/gemini-2.5-flash", true, true, false),
    subject("google/gemini-3.8-flash", true, true, true),
    subject("deepseek/deepseek-v4-flash", true, true, false),
];

/// A part of the environment that test/clients/rust.test.ts sets.
pub fn environment(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is missing: test/clients/rust.test.ts sets it"))
}

/// Reports a test under the name `client/vendor/model/what`.
pub async fn test(client: &str, model: &str, what: &str, checked: impl Future<Output = Checked>) {
    let output = checked.await.err();
    let name = format!("{client}/{model}/{what}");
    println!("{}", json!({ "name": name, "passed": output.is_none(), "output": output.unwrap_or_default() }));
}

/// Both ways to ask, and what each is called in the name of a test.
pub const WAYS: [(bool, &str); 2] = [(false, "whole"), (true, "stream")];

/// A request of a client, from JSON: each field must be one that the client's own types have.
pub fn typed<T: DeserializeOwned>(request: Value) -> Result<T, String> {
    serde_json::from_value(request).map_err(|error| format!("the client has no such request: {error}"))
}

pub fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}

pub fn check(holds: bool, problem: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(problem()) }
}

pub fn contains(text: &str, part: &str) -> Checked {
    check(text.contains(part), || format!("{part:?} is not in {text:?}"))
}

/// The sandbox calls what a prompt names before a `then`, and what it names after it once the results are there.
pub const STEPS: &str =
    "Use find_city, then get_weather and get_time, then send_mail, for the weather in Oslo.";

pub const TOOLS: [&str; 4] = ["find_city", "get_weather", "get_time", "send_mail"];

const CALLED: [&[&str]; 4] = [&["find_city"], &["get_weather", "get_time"], &["send_mail"], &[]];

pub fn city_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "city": { "type": "string", "description": "The name of the city" } },
        "required": ["city"],
        "additionalProperties": false,
    })
}

pub fn result_of(step: usize) -> String {
    format!("Result of step {step}")
}

/// The name and the city of a call.
pub struct Call {
    pub name: String,
    pub city: Value,
}

impl Call {
    /// @param arguments JSON
    pub fn new(name: &str, arguments: &str) -> Result<Self, String> {
        let read: Value = serde_json::from_str(arguments)
            .map_err(|_| format!("{name} has no JSON as arguments: {arguments:?}"))?;
        Ok(Self { name: name.to_owned(), city: read["city"].clone() })
    }
}

/// Whether the dialogue goes on after this step, which called what was asked for, or ends with the last result.
pub fn check_step(step: usize, calls: &[Call], text: &str) -> Result<bool, String> {
    let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
    check(names == CALLED[step], || format!("step {step}: called were {names:?}; text {text:?}"))?;
    check(calls.iter().all(|call| call.city == "Oslo"), || {
        format!("step {step}: another city was asked for")
    })?;
    if calls.is_empty() {
        contains(text, "Result of step 2")?;
    }
    Ok(!calls.is_empty())
}

pub const PERSON_PROMPT: &str = "Who is 42 years old?";

pub fn person_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "age": { "type": "integer" } },
        "required": ["name", "age"],
        "additionalProperties": false,
    })
}

/// Whether the text is what `person_schema` demands, and nothing else.
pub fn check_person(text: &str) -> Checked {
    let read: Value = serde_json::from_str(text).map_err(|error| format!("{error}: {text:?}"))?;
    let fields = read.as_object().map(|fields| fields.len());
    let is_person = fields == Some(2) && read["name"].is_string() && read["age"] == 42;
    check(is_person, || format!("this is not the person: {text}"))
}
