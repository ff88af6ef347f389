//! async-openai, over chat-completions. Its messages have no field for thoughts, so it neither shows nor keeps them.

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::error::OpenAIError;
use async_openai::types::chat::{ChatCompletionMessageToolCalls, CreateChatCompletionRequest, FinishReason};
use futures::StreamExt;
use serde_json::{Value, json};

use crate::harness::{
    Call, Checked, PERSON_PROMPT, STEPS, SUBJECTS, TOOLS, WAYS, check, check_person, check_step, city_schema,
    contains, environment, person_schema, result_of, test, told, typed,
};

const NAME: &str = "AsyncOpenaiChat";

pub fn client(key: &str) -> Client<OpenAIConfig> {
    let url = environment("GATEWAY_URL") + "/v1";
    Client::with_config(OpenAIConfig::new().with_api_base(url).with_api_key(key))
}

pub async fn run() {
    for subject in SUBJECTS {
        let model = subject.model;
        for (stream, way) in WAYS {
            test(NAME, model, way, hello(model, stream)).await;
            test(NAME, model, &format!("tools/{way}"), tools(model, stream)).await;
            test(NAME, model, &format!("structured/{way}"), person(model, stream)).await;
        }
    }
    test(NAME, "openai/gpt-4.1", "errors", errors()).await;
    test(NAME, "openai/gpt-4.1", "models", models()).await;
}

async fn hello(model: &str, stream: bool) -> Checked {
    let answer = ask(json!({ "model": model, "messages": [user("Say hello to Mary")] }), stream).await?;
    contains(&answer.text, "Say hello to Mary")?;
    check(answer.finish == Some(FinishReason::Stop), || format!("it ended with {:?}", answer.finish))?;
    check(answer.tokens > 0, || "no tokens were counted".to_owned())
}

async fn tools(model: &str, stream: bool) -> Checked {
    let offered: Vec<Value> = TOOLS
        .iter()
        .map(|name| json!({ "type": "function", "function": { "name": name, "parameters": city_schema() } }))
        .collect();
    let mut messages = vec![user(STEPS)];
    for step in 0.. {
        let request = json!({ "model": model, "messages": messages, "tools": offered });
        let answer = ask(request, stream).await?;
        let calls = answer.calls.iter().map(|[_, name, arguments]| Call::new(name, arguments));
        if !check_step(step, &calls.collect::<Result<Vec<_>, _>>()?, &answer.text)? {
            break;
        }
        let calls = answer.calls.iter().map(|[id, name, arguments]| {
            json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
        });
        messages.push(json!({ "role": "assistant", "tool_calls": calls.collect::<Vec<_>>() }));
        for [id, ..] in &answer.calls {
            messages.push(json!({ "role": "tool", "tool_call_id": id, "content": result_of(step) }));
        }
    }
    Ok(())
}

async fn person(model: &str, stream: bool) -> Checked {
    let format = json!({
        "type": "json_schema",
        "json_schema": { "name": "person", "schema": person_schema(), "strict": true },
    });
    let request = json!({ "model": model, "messages": [user(PERSON_PROMPT)], "response_format": format });
    check_person(&ask(request, stream).await?.text)
}

/// The errors of the gateway and those of a vendor are the client's own.
async fn errors() -> Checked {
    let cases = [
        ("wrong", json!({ "model": "openai/gpt-4.1" }), 401, "invalid_api_key"),
        ("", json!({ "model": "openai/nothing" }), 404, "model_not_found"),
        ("", json!({ "model": "openai/gpt-4.1", "temperature": 9 }), 400, "decimal_above_max_value"),
    ];
    for (key, mut request, status, code) in cases {
        request["messages"] = json!([user("hi")]);
        let request: CreateChatCompletionRequest = typed(request)?;
        let key = if key.is_empty() { environment("GATEWAY_KEY") } else { key.to_owned() };
        match client(&key).chat().create(request).await {
            Err(OpenAIError::ApiError(error)) => {
                let read = (error.status_code.as_u16(), error.api_error.code.as_deref());
                check(read == (status, Some(code)), || format!("{read:?} is not {status} {code}"))?;
            }
            other => return Err(format!("this is no error of the API: {other:?}")),
        }
    }
    Ok(())
}

async fn models() -> Checked {
    let client = client(&environment("GATEWAY_KEY"));
    let listed = client.models().list().await.map_err(told)?.data;
    for subject in SUBJECTS {
        check(listed.iter().any(|model| model.id == subject.model), || format!("no {}", subject.model))?;
        let model = client.models().retrieve(subject.model).await.map_err(told)?;
        check(model.id == subject.model, || format!("{} is not {}", model.id, subject.model))?;
    }
    Ok(())
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

#[derive(Default)]
struct Answer {
    text: String,
    /// The id, name and arguments of each call.
    calls: Vec<[String; 3]>,
    finish: Option<FinishReason>,
    tokens: u32,
}

async fn ask(request: Value, stream: bool) -> Result<Answer, String> {
    let client = client(&environment("GATEWAY_KEY"));
    if stream {
        return ask_streamed(&client, request).await;
    }
    let request: CreateChatCompletionRequest = typed(request)?;
    let response = client.chat().create(request).await.map_err(told)?;
    let choice = response.choices.into_iter().next().ok_or("there is no choice")?;
    let calls = choice.message.tool_calls.unwrap_or_default().into_iter().map(|call| match call {
        ChatCompletionMessageToolCalls::Function(call) => {
            Ok([call.id, call.function.name, call.function.arguments])
        }
        ChatCompletionMessageToolCalls::Custom(call) => Err(format!("a custom call: {call:?}")),
    });
    Ok(Answer {
        text: choice.message.content.unwrap_or_default(),
        calls: calls.collect::<Result<_, _>>()?,
        finish: choice.finish_reason,
        tokens: response.usage.map_or(0, |usage| usage.completion_tokens),
    })
}

async fn ask_streamed(client: &Client<OpenAIConfig>, mut request: Value) -> Result<Answer, String> {
    request["stream_options"] = json!({ "include_usage": true });
    let request: CreateChatCompletionRequest = typed(request)?;
    let mut stream = client.chat().create_stream(request).await.map_err(told)?;
    let mut answer = Answer::default();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(told)?;
        answer.tokens = chunk.usage.map_or(answer.tokens, |usage| usage.completion_tokens);
        for choice in chunk.choices {
            answer.text += choice.delta.content.as_deref().unwrap_or_default();
            answer.finish = choice.finish_reason.or(answer.finish);
            for piece in choice.delta.tool_calls.unwrap_or_default() {
                let at = piece.index as usize;
                answer.calls.resize_with(answer.calls.len().max(at + 1), Default::default);
                let function = piece.function.unwrap_or_default();
                let pieces = [piece.id, function.name, function.arguments];
                for (part, piece) in answer.calls[at].iter_mut().zip(pieces) {
                    *part += piece.as_deref().unwrap_or_default();
                }
            }
        }
    }
    Ok(answer)
}
