//! rig, with its providers for OpenAI, Anthropic and Gemini.

use futures::StreamExt;
use rig_core::DynModel;
use rig_core::completion::message::{Message, ToolResultContent};
use rig_core::completion::options::{Effort, Reasoning};
use rig_core::completion::{CompletionRequest, CompletionResponse, ToolDefinition};
use rig_core::error::ProviderError;
use rig_core::operation::Completion;
use rig_core::providers::anthropic::AnthropicConfig;
use rig_core::providers::gemini::GeminiConfig;
use rig_core::providers::openai::OpenAIConfig;
use rig_core::streaming::Item;
use serde_json::{Value, json};

use crate::harness::{
    Call, Checked, PERSON_PROMPT, STEPS, SUBJECTS, Subject, TOOLS, WAYS, check, check_person, check_step,
    city_schema, contains, environment, person_schema, result_of, test, told, typed,
};
use crate::recorded::check_signatures;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Provider {
    Chat,
    Responses,
    Anthropic,
    Gemini,
}

const PROVIDERS: [(&str, Provider); 4] = [
    ("RigChat", Provider::Chat),
    ("RigResponses", Provider::Responses),
    ("RigAnthropic", Provider::Anthropic),
    ("RigGemini", Provider::Gemini),
];

pub async fn run() {
    for (name, provider) in PROVIDERS {
        for subject in SUBJECTS {
            for (stream, way) in WAYS {
                let tried = Tried { provider, subject, stream };
                let model = subject.model;
                test(name, model, way, tried.hello()).await;
                test(name, model, &format!("tools/{way}"), tried.tools()).await;
                test(name, model, &format!("structured/{way}"), tried.person()).await;
            }
        }
        test(name, "openai/gpt-4.1", "errors", errors(provider)).await;
    }
}

#[derive(Clone, Copy)]
struct Tried {
    provider: Provider,
    subject: Subject,
    stream: bool,
}

impl Tried {
    async fn hello(self) -> Checked {
        let answer = self.ask(request("Say hello to Mary")).await?;
        contains(&answer.text(), "Say hello to Mary")?;
        check(answer.usage.output_tokens.unwrap_or_default() > 0, || "no tokens were counted".to_owned())
    }

    async fn tools(self) -> Checked {
        let Self { provider, subject, stream } = self;
        let tag = format!("(Rig{provider:?} {} {stream})", subject.model);
        let offered: Vec<ToolDefinition> = typed(json!(
            TOOLS.map(|name| json!({ "name": name, "description": "A tool", "parameters": city_schema() }))
        ))?;
        let mut history = vec![Message::user(format!("{STEPS} {tag}"))];
        for step in 0.. {
            let mut request = self.thoughtful(request("")).tools(offered.clone());
            request.chat_history = history.clone();
            let answer = self.ask(request).await?;
            let calls = answer.tool_calls().map(|call| {
                let arguments = Value::from(call.function.arguments.clone()).to_string();
                Call::new(&call.function.name.to_string(), &arguments)
            });
            if !check_step(step, &calls.collect::<Result<Vec<_>, _>>()?, &answer.text())? {
                break;
            }
            let results =
                answer.tool_calls().map(|call| call.result(vec![ToolResultContent::text(result_of(step))]));
            let results = Message::tool_results(results.collect());
            history.extend([answer.message().ok_or("there is no message to send back")?, results]);
        }
        // OpenAI signs nothing over chat-completions.
        if provider == Provider::Chat && subject.model.starts_with("openai/") {
            return Ok(());
        }
        check_signatures(&tag, subject).await
    }

    async fn person(self) -> Checked {
        let mut schema = person_schema();
        schema["title"] = json!("person");
        let mut request = request(PERSON_PROMPT);
        request.output_schema = typed(schema)?;
        check_person(&self.ask(request).await?.text())
    }

    /// rig sends a word of effort to no model that its vendor lets think by a budget only.
    fn thoughtful(self, request: CompletionRequest) -> CompletionRequest {
        let by_budget = match self.provider {
            Provider::Anthropic => self.subject.model == "anthropic/claude-sonnet-4-5",
            Provider::Gemini => self.subject.model == "google/gemini-2.5-flash",
            _ => false,
        };
        match self.subject.thinks {
            true if by_budget => request.reasoning(Reasoning::Budget { tokens: 2000 }),
            true => request.reasoning(Effort::Medium),
            false => request,
        }
    }

    async fn ask(self, request: CompletionRequest) -> Result<CompletionResponse, String> {
        let model = model(self.provider, self.subject.model, &environment("GATEWAY_KEY"));
        if !self.stream {
            return model.call(request).await.map_err(told);
        }
        let mut stream = model.stream(request).map_err(told)?;
        while let Some(item) = stream.next().await {
            if let Item::Unknown(unknown) = item.map_err(told)? {
                return Err(format!("rig does not know this event: {}", unknown.value()));
            }
        }
        stream.finish().await.map_err(told)
    }
}

/// The client reads the status.
async fn errors(provider: Provider) -> Checked {
    let key = environment("GATEWAY_KEY");
    let cases = [
        ("wrong", "openai/gpt-4.1", request("hi"), 401),
        (key.as_str(), "openai/nothing", request("hi"), 404),
        (key.as_str(), "openai/gpt-4.1", request("hi").temperature(9.0), 400),
    ];
    for (key, name, request, status) in cases {
        match model(provider, name, key).call(request).await {
            Err(ProviderError::ProviderResponse(error)) => {
                let read = error.status.map(|status| status.as_u16());
                check(read == Some(status), || format!("{read:?} is not {status}"))?;
            }
            other => return Err(format!("this is no error of the provider: {other:?}")),
        }
    }
    Ok(())
}

fn request(prompt: &str) -> CompletionRequest {
    CompletionRequest::new(prompt).max_tokens(8000)
}

fn model(provider: Provider, model: &str, key: &str) -> DynModel<Completion> {
    let url = environment("GATEWAY_URL");
    let openai = || OpenAIConfig::new(key).with_base_url(format!("{url}/v1")).client();
    match provider {
        Provider::Chat => openai().chat(model).erase(),
        Provider::Responses => openai().responses(model).erase(),
        Provider::Anthropic => {
            AnthropicConfig::new(key).with_base_url(&url).client().completion(model).erase()
        }
        Provider::Gemini => GeminiConfig::new(key).with_base_url(&url).client().completion(model).erase(),
    }
}
