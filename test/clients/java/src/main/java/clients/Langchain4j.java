package clients;

import static clients.Tests.*;

import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.anthropic.AnthropicChatModel;
import dev.langchain4j.model.anthropic.AnthropicStreamingChatModel;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.langchain4j.model.chat.request.ResponseFormatType;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonSchema;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.googleai.GeminiThinkingConfig;
import dev.langchain4j.model.googleai.GoogleAiGeminiChatModel;
import dev.langchain4j.model.googleai.GoogleAiGeminiStreamingChatModel;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** LangChain4j with its chat models for three formats. */
final class Langchain4j {
  private Langchain4j() {}

  /** A chat model, whole and streamed. */
  private record Models(ChatModel whole, StreamingChatModel streamed) {
    AiMessage ask(ChatRequest request, String mode) throws Exception {
      if (mode.equals("whole")) return whole.chat(request).aiMessage();
      CompletableFuture<AiMessage> answer = new CompletableFuture<>();
      StringBuilder text = new StringBuilder();
      streamed.chat(
          request,
          new StreamingChatResponseHandler() {
            @Override
            public void onPartialResponse(String piece) {
              text.append(piece);
            }

            @Override
            public void onCompleteResponse(ChatResponse response) {
              answer.complete(response.aiMessage());
            }

            @Override
            public void onError(Throwable problem) {
              answer.completeExceptionally(problem);
            }
          });
      AiMessage message = answer.get(60, TimeUnit.SECONDS);
      check(message.text() == null || message.text().equals(text.toString()), "the pieces are another text");
      return message;
    }
  }

  private interface Open {
    Models open(Subject subject, boolean thinks);
  }

  static void run() throws Exception {
    for (Subject subject : SUBJECTS)
      for (String mode : MODES) {
        run("Langchain4jOpenai", Langchain4j::openai, subject, mode);
        run("Langchain4jAnthropic", Langchain4j::anthropic, subject, mode);
        run("Langchain4jGemini", Langchain4j::gemini, subject, mode);
      }
  }

  private static void run(String client, Open open, Subject subject, String mode) throws Exception {
    test(client, subject, mode, () -> {
      var request = ChatRequest.builder().messages(UserMessage.from("Hello there.")).build();
      contains(open.open(subject, false).ask(request, mode).text(), "> Hello there.");
    });
    test(client, subject, "tools/" + mode, () -> {
      String tag = client + " " + subject.model() + " " + mode;
      Models models = open.open(subject, subject.thinks());
      List<ChatMessage> history = new ArrayList<>(List.of(UserMessage.from(STEPS + " (" + tag + ")")));
      walk(result -> {
        AiMessage message =
            models.ask(ChatRequest.builder().messages(history).toolSpecifications(tools()).build(), mode);
        history.add(message);
        List<Call> calls = new ArrayList<>();
        for (var call : message.toolExecutionRequests()) {
          calls.add(new Call(call.id(), call.name(), call.arguments()));
          history.add(ToolExecutionResultMessage.from(call, result));
        }
        return new Answer(calls, message.text());
      });
      if (keepsSignatures(client, subject)) signaturesReturn(tag, subject);
    });
    boolean isShown = client.equals("Langchain4jOpenai") ? subject.shows() : showsInMessages(client, subject);
    if (subject.thinks() && isShown)
      test(client, subject, "thinking/" + mode, () -> {
        var request = ChatRequest.builder().messages(UserMessage.from("How many r are in strawberry?")).build();
        AiMessage message = open.open(subject, true).ask(request, mode);
        contains(message.thinking(), "strawberry");
        contains(message.text(), "strawberry");
      });
    test(client, subject, "structured/" + mode, () -> {
      var schema =
          JsonSchema.builder()
              .name("person")
              .rootElement(
                  JsonObjectSchema.builder()
                      .addStringProperty("name")
                      .addIntegerProperty("age")
                      .required("name", "age")
                      .additionalProperties(false)
                      .build())
              .build();
      var format = ResponseFormat.builder().type(ResponseFormatType.JSON).jsonSchema(schema).build();
      var request =
          ChatRequest.builder().messages(UserMessage.from(PERSON_PROMPT)).responseFormat(format).build();
      isPerson(open.open(subject, false).ask(request, mode).text());
    });
  }

  /**
   * LangChain4j keeps no signature that comes in chat-completions, and of messages only those of thoughts with text: not
   * Google's, which belong to calls.
   */
  private static boolean keepsSignatures(String client, Subject subject) {
    if (client.equals("Langchain4jOpenai")) return false;
    return client.equals("Langchain4jGemini")
        || (!subject.vendor().equals("google") && showsInMessages(client, subject));
  }

  /** LangChain4j cannot ask Anthropic to show what its newest models think, which they do not by default. */
  private static boolean showsInMessages(String client, Subject subject) {
    return !client.equals("Langchain4jAnthropic") || !subject.model().equals(NEVER_FORCED);
  }

  private static List<ToolSpecification> tools() {
    return TOOLS.stream()
        .map(name ->
            ToolSpecification.builder()
                .name(name)
                .description("Does " + name)
                .parameters(
                    JsonObjectSchema.builder().addStringProperty("city").required("city").additionalProperties(false).build())
                .build())
        .toList();
  }

  private static Models openai(Subject subject, boolean thinks) {
    String effort = thinks ? "medium" : null;
    return new Models(
        OpenAiChatModel.builder().baseUrl(URL + "/v1").apiKey(KEY).modelName(subject.model()).maxRetries(0)
            .strictJsonSchema(true).returnThinking(true).reasoningEffort(effort).build(),
        OpenAiStreamingChatModel.builder().baseUrl(URL + "/v1").apiKey(KEY).modelName(subject.model())
            .strictJsonSchema(true).returnThinking(true).reasoningEffort(effort).build());
  }

  private static Models anthropic(Subject subject, boolean thinks) {
    boolean adaptive = subject.model().equals(NEVER_FORCED);
    String type = !thinks ? null : adaptive ? "adaptive" : "enabled";
    Integer budget = thinks && !adaptive ? 2048 : null;
    return new Models(
        AnthropicChatModel.builder().baseUrl(URL + "/v1").apiKey(KEY).modelName(subject.model()).maxRetries(0)
            .maxTokens(8000).thinkingType(type).thinkingBudgetTokens(budget).returnThinking(true).sendThinking(true).build(),
        AnthropicStreamingChatModel.builder().baseUrl(URL + "/v1").apiKey(KEY).modelName(subject.model())
            .maxTokens(8000).thinkingType(type).thinkingBudgetTokens(budget).returnThinking(true).sendThinking(true).build());
  }

  private static Models gemini(Subject subject, boolean thinks) {
    GeminiThinkingConfig thinking =
        thinks ? GeminiThinkingConfig.builder().includeThoughts(true).thinkingBudget(2048).build() : null;
    return new Models(
        GoogleAiGeminiChatModel.builder().baseUrl(URL + "/v1beta").apiKey(KEY).modelName(subject.inGoogle()).maxRetries(0)
            .thinkingConfig(thinking).returnThinking(true).sendThinking(true).build(),
        GoogleAiGeminiStreamingChatModel.builder().baseUrl(URL + "/v1beta").apiKey(KEY).modelName(subject.inGoogle())
            .thinkingConfig(thinking).returnThinking(true).sendThinking(true).build());
  }
}
