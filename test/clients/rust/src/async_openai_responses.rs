//! async-openai, over responses.

use async_openai::error::OpenAIError;
use async_openai::types::responses::{
    CreateResponse, InputItem, OutputItem, ReasoningItemContent, Response, ResponseStreamEvent, Status,
    SummaryPart, TokenCountsBody,
};
use futures::StreamExt;
use serde_json::{Value, json};

use crate::async_openai_chat::client;
use crate::harness::{
    Call, Checked, PERSON_PROMPT, STEPS, SUBJECTS, Subject, TOOLS, WAYS, check, check_person, check_step,
    city_schema, contains, environment, person_schema, result_of, test, told, typed,
};
use crate::recorded::check_signatures;

const NAME: &str = "AsyncOpenaiResponses";

pub async fn run() {
    for subject in SUBJECTS {
        let model = subject.model;
        for (stream, way) in WAYS {
            test(NAME, model, way, hello(model, stream)).await;
            test(NAME, model, &format!("tools/{way}"), tools(subject, stream)).await;
            if subject.thinks {
                test(NAME, model, &format!("thinking/{way}"), thinking(subject, stream)).await;
            }
            test(NAME, model, &format!("structured/{way}"), person(model, stream)).await;
        }
    }
    test(NAME, "openai/gpt-4.1", "count", count("openai/gpt-4.1")).await;
    test(NAME, "openai/gpt-4.1", "errors", errors()).await;
}

async fn hello(model: &str, stream: bool) -> Checked {
    let answer = ask(json!({ "model": model, "input": "Say hello to Mary" }), stream).await?;
    contains(&answer.output_text().unwrap_or_default(), "Say hello to Mary")?;
    check(answer.status == Status::Completed, || format!("it is {:?}", answer.status))?;
    let tokens = answer.usage.map_or(0, |usage| usage.output_tokens);
    check(tokens > 0, || "no tokens were counted".to_owned())
}

/// Every item of an answer goes back as the client converts it.
async fn tools(subject: Subject, stream: bool) -> Checked {
    let tag = format!("({NAME} {} {stream})", subject.model);
    let offered: Vec<Value> = TOOLS
        .iter()
        .map(|name| json!({ "type": "function", "name": name, "parameters": city_schema(), "strict": true }))
        .collect();
    let mut input = vec![json!({ "role": "user", "content": format!("{STEPS} {tag}") })];
    for step in 0.. {
        let mut request = asking(subject);
        request["input"] = json!(input);
        request["tools"] = json!(offered);
        let answer = ask(request, stream).await?;
        let mut calls = Vec::new();
        for item in &answer.output {
            if let OutputItem::FunctionCall(call) = item {
                calls.push(Call::new(&call.name, &call.arguments)?);
            }
        }
        let text = answer.output_text().unwrap_or_default();
        if !check_step(step, &calls, &text)? {
            break;
        }
        let ids = answer.output.iter().filter_map(|item| match item {
            OutputItem::FunctionCall(call) => Some(call.call_id.clone()),
            _ => None,
        });
        let results: Vec<Value> = ids
            .map(|id| json!({ "type": "function_call_output", "call_id": id, "output": result_of(step) }))
            .collect();
        for item in answer.output {
            input.push(serde_json::to_value(InputItem::from(item)).map_err(told)?);
        }
        input.extend(results);
    }
    check_signatures(&tag, subject).await
}

async fn thinking(subject: Subject, stream: bool) -> Checked {
    let mut request = asking(subject);
    request["input"] = json!("Why is the sky blue?");
    let answer = ask(request, stream).await?;
    let thought = answer.output.iter().find_map(|item| match item {
        OutputItem::Reasoning(reasoning) => Some(reasoning),
        _ => None,
    });
    let thought = thought.ok_or("there is no reasoning item")?;
    let summary = thought.summary.iter().map(|SummaryPart::SummaryText(part)| part.text.as_str());
    let content = thought.content.iter().flatten().map(|part| match part {
        ReasoningItemContent::ReasoningText(part) => part.text.as_str(),
    });
    let text: String = summary.chain(content).collect();
    check(!text.is_empty() || !subject.shows, || format!("no thought is shown: {thought:?}"))?;
    let details = answer.usage.map(|usage| usage.output_tokens_details.reasoning_tokens);
    check(details.unwrap_or_default() > 0, || "no tokens of thoughts were counted".to_owned())
}

async fn person(model: &str, stream: bool) -> Checked {
    let format =
        json!({ "type": "json_schema", "name": "person", "schema": person_schema(), "strict": true });
    let request = json!({ "model": model, "input": PERSON_PROMPT, "text": { "format": format } });
    check_person(&ask(request, stream).await?.output_text().unwrap_or_default())
}

async fn count(model: &str) -> Checked {
    let request: TokenCountsBody = typed(json!({ "model": model, "input": "Say hello to Mary" }))?;
    let client = client(&environment("GATEWAY_KEY"));
    let counted = client.responses().get_input_token_counts(request).await.map_err(told)?;
    check(counted.input_tokens > 0, || "no tokens were counted".to_owned())
}

/// The errors of the gateway and those of a vendor are the client's own, before a stream too.
async fn errors() -> Checked {
    let cases = [
        ("wrong", json!({ "model": "openai/gpt-4.1", "input": "hi" }), 401, "invalid_api_key"),
        ("", json!({ "model": "openai/nothing", "input": "hi" }), 404, "model_not_found"),
        (
            "",
            json!({ "model": "openai/gpt-4.1", "input": "hi", "temperature": 9 }),
            400,
            "decimal_above_max_value",
        ),
    ];
    for (key, request, status, code) in cases {
        let request: CreateResponse = typed(request)?;
        let key = if key.is_empty() { environment("GATEWAY_KEY") } else { key.to_owned() };
        match client(&key).responses().create(request).await {
            Err(OpenAIError::ApiError(error)) => {
                let read = (error.status_code.as_u16(), error.api_error.code.as_deref());
                check(read == (status, Some(code)), || format!("{read:?} is not {status} {code}"))?;
            }
            other => return Err(format!("this is no error of the API: {other:?}")),
        }
    }
    Ok(())
}

/// A request without its input: nothing is stored, and thoughts are shown if there are any.
fn asking(Subject { model, thinks, .. }: Subject) -> Value {
    let mut request = json!({ "model": model, "store": false });
    if thinks {
        request["reasoning"] = json!({ "effort": "medium", "summary": "auto" });
        request["include"] = json!(["reasoning.encrypted_content"]);
    }
    request
}

async fn ask(request: Value, stream: bool) -> Result<Response, String> {
    let client = client(&environment("GATEWAY_KEY"));
    let request: CreateResponse = typed(request)?;
    if !stream {
        return client.responses().create(request).await.map_err(told);
    }
    let mut stream = client.responses().create_stream(request).await.map_err(told)?;
    let (mut text, mut items, mut response) = (String::new(), Vec::new(), None);
    while let Some(event) = stream.next().await {
        match event.map_err(told)? {
            ResponseStreamEvent::ResponseOutputTextDelta(event) => text += &event.delta,
            ResponseStreamEvent::ResponseOutputItemDone(event) => items.push(event.item),
            ResponseStreamEvent::ResponseCompleted(event) => response = Some(event.response),
            _ => {}
        }
    }
    let response = response.ok_or("the response did not complete")?;
    let (done, held) = (items.len(), response.output.len());
    check(done == held, || format!("{done} items were done, and {held} are in the response"))?;
    let whole = response.output_text().unwrap_or_default();
    check(text == whole, || format!("{text:?} was streamed, and {whole:?} is the text"))?;
    Ok(response)
}
