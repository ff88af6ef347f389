//! genai, whose adapters speak all four formats.

use futures::StreamExt;
use genai::adapter::AdapterKind;
use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ChatStreamEvent, JsonSpec, MessageContent, ReasoningEffort, Tool,
    ToolCall, ToolResponse,
};
use genai::resolver::{AuthData, Endpoint, Error, ProviderConfig, ServiceTargetResolver};
use genai::{Client, ModelIden, ServiceTarget};

use crate::harness::{
    Call, Checked, PERSON_PROMPT, STEPS, SUBJECTS, Subject, TOOLS, WAYS, check, check_person, check_step,
    city_schema, contains, environment, person_schema, result_of, test, told,
};
use crate::recorded::check_signatures;

const ADAPTERS: [(&str, AdapterKind); 4] = [
    ("GenaiChat", AdapterKind::OpenAI),
    ("GenaiResponses", AdapterKind::OpenAIResp),
    ("GenaiAnthropic", AdapterKind::Anthropic),
    ("GenaiGemini", AdapterKind::Gemini),
];

pub async fn run() {
    for (name, kind) in ADAPTERS {
        for subject in SUBJECTS {
            for (stream, way) in WAYS {
                let tried = Tried { kind, subject, stream };
                let model = subject.model;
                test(name, model, way, tried.hello()).await;
                test(name, model, &format!("tools/{way}"), tried.tools()).await;
                if subject.shows {
                    test(name, model, &format!("thinking/{way}"), tried.thinking()).await;
                }
                test(name, model, &format!("structured/{way}"), tried.person()).await;
            }
        }
        test(name, "openai/gpt-4.1", "errors", errors(kind)).await;
        test(name, "openai/gpt-4.1", "models", models(kind)).await;
    }
}

#[derive(Clone, Copy)]
struct Tried {
    kind: AdapterKind,
    subject: Subject,
    stream: bool,
}

impl Tried {
    async fn hello(self) -> Checked {
        let answer = self.ask(ChatRequest::from_user("Say hello to Mary"), ChatOptions::default()).await?;
        contains(&answer.text, "Say hello to Mary")?;
        check(answer.tokens > 0, || "no tokens were counted".to_owned())
    }

    async fn tools(self) -> Checked {
        let Self { kind, subject, stream } = self;
        let tag = format!("({kind:?} {} {stream})", subject.model);
        // Without a description it sends null over chat-completions, which OpenAI refuses.
        let offered = TOOLS
            .map(|name| Tool::new(name).with_description("A tool of the test").with_schema(city_schema()));
        let mut request = ChatRequest::from_user(format!("{STEPS} {tag}")).with_tools(offered);
        for step in 0.. {
            let answer = self.ask(request.clone(), self.thoughtful()).await?;
            let calls =
                answer.calls.iter().map(|call| Call::new(&call.fn_name, &call.fn_arguments.to_string()));
            if !check_step(step, &calls.collect::<Result<Vec<_>, _>>()?, &answer.text)? {
                break;
            }
            let results: Vec<ToolResponse> =
                answer.calls.iter().map(|call| ToolResponse::from_tool_call(call, result_of(step))).collect();
            request = request
                .append_message(answer.message.ok_or("there is no message to send back")?)
                .append_message(ChatMessage::tool(MessageContent::from_tool_responses(results)));
        }
        // Of a stream of chat-completions it keeps no signature, and OpenAI sends none there.
        if kind == AdapterKind::OpenAI && (stream || subject.model.starts_with("openai/")) {
            return Ok(());
        }
        check_signatures(&tag, subject).await
    }

    async fn thinking(self) -> Checked {
        let answer = self.ask(ChatRequest::from_user("Why is the sky blue?"), self.thoughtful()).await?;
        contains(&answer.thought, "Why is the sky blue?")
    }

    async fn person(self) -> Checked {
        let options = ChatOptions::default().with_response_format(JsonSpec::new("person", person_schema()));
        check_person(&self.ask(ChatRequest::from_user(PERSON_PROMPT), options).await?.text)
    }

    fn thoughtful(self) -> ChatOptions {
        if !self.subject.thinks {
            return ChatOptions::default();
        }
        ChatOptions::default()
            .with_reasoning_effort(ReasoningEffort::Medium)
            .with_capture_reasoning_content(true)
    }

    async fn ask(self, request: ChatRequest, options: ChatOptions) -> Result<Answer, String> {
        let client = client(self.kind, environment("GATEWAY_KEY"));
        let model = self.subject.model;
        if self.stream {
            return ask_streamed(&client, model, request, options).await;
        }
        let response = client.exec_chat(model, request, Some(&options)).await.map_err(told)?;
        Ok(Answer {
            text: response.content.joined_texts().unwrap_or_default(),
            thought: response.reasoning_content.clone().unwrap_or_default(),
            calls: response.tool_calls().into_iter().cloned().collect(),
            tokens: response.usage.completion_tokens.unwrap_or_default(),
            message: response.into_assistant_message_for_tool_use(),
        })
    }
}

struct Answer {
    text: String,
    thought: String,
    calls: Vec<ToolCall>,
    tokens: i32,
    /// Itself, as it goes back with the results of its calls.
    message: Option<ChatMessage>,
}

async fn ask_streamed(
    client: &Client,
    model: &str,
    request: ChatRequest,
    options: ChatOptions,
) -> Result<Answer, String> {
    let options = options.with_capture_content(true).with_capture_usage(true).with_capture_tool_calls(true);
    let response = client.exec_chat_stream(model, request, Some(&options)).await.map_err(told)?;
    let (mut stream, mut end, mut text) = (response.stream, None, String::new());
    while let Some(event) = stream.next().await {
        match event.map_err(told)? {
            ChatStreamEvent::Chunk(chunk) => text += &chunk.content,
            ChatStreamEvent::End(event) => end = Some(event),
            _ => {}
        }
    }
    let end = end.ok_or("the stream did not end")?;
    let tokens = end.captured_usage.as_ref().and_then(|usage| usage.completion_tokens);
    Ok(Answer {
        text,
        thought: end.captured_reasoning_content.clone().unwrap_or_default(),
        calls: end.captured_tool_calls().unwrap_or_default().into_iter().cloned().collect(),
        tokens: tokens.unwrap_or_default(),
        message: end.into_assistant_message_for_tool_use(),
    })
}

/// The client reads the status, whole and before a stream.
async fn errors(kind: AdapterKind) -> Checked {
    let key = environment("GATEWAY_KEY");
    let hot = || ChatOptions::default().with_temperature(9.0);
    let cases = [
        ("wrong", "openai/gpt-4.1", ChatOptions::default(), "401 Unauthorized"),
        (key.as_str(), "openai/nothing", ChatOptions::default(), "404 Not Found"),
        (key.as_str(), "openai/gpt-4.1", hot(), "400 Bad Request"),
    ];
    for (key, model, options, status) in cases {
        let client = client(kind, key.to_owned());
        match client.exec_chat(model, ChatRequest::from_user("hi"), Some(&options)).await {
            Err(error) => contains(&error.to_string(), status)?,
            Ok(_) => return Err(format!("{status} was expected")),
        }
    }
    Ok(())
}

async fn models(kind: AdapterKind) -> Checked {
    let key = environment("GATEWAY_KEY");
    let place = ProviderConfig::from_endpoint(endpoint(kind)).with_auth(AuthData::from_single(key.clone()));
    let listed = client(kind, key).all_model_names(kind, place).await.map_err(told)?;
    // Google's own models have no prefix in Google's format.
    for Subject { model, .. } in SUBJECTS {
        check(listed.iter().any(|name| model == name || model == format!("google/{name}")), || {
            format!("no {model}")
        })?;
    }
    Ok(())
}

fn endpoint(kind: AdapterKind) -> Endpoint {
    let path = if kind == AdapterKind::Gemini { "/v1beta/" } else { "/v1/" };
    Endpoint::from_owned(environment("GATEWAY_URL") + path)
}

fn client(kind: AdapterKind, key: String) -> Client {
    let target = move |ServiceTarget { model, .. }: ServiceTarget| -> Result<ServiceTarget, Error> {
        Ok(ServiceTarget {
            endpoint: endpoint(kind),
            auth: AuthData::from_single(key.clone()),
            model: ModelIden::new(kind, model.model_name),
        })
    };
    Client::builder()
        .with_service_target_resolver(ServiceTargetResolver::from_resolver_fn(target))
        .build()
        .unwrap_or_else(|error| panic!("{error}"))
}
