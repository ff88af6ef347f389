package clients;

import static clients.Tests.*;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.FunctionDefinition;
import com.openai.models.FunctionParameters;
import com.openai.models.ReasoningEffort;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionNamedToolChoice;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.chat.completions.ChatCompletionToolChoiceOption;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import com.openai.models.completions.CompletionUsage;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** The OpenAI SDK over chat-completions. Everything received is validated by the SDK's own types. */
final class OpenaiChat {
  private OpenaiChat() {}

  static OpenAIClient client() {
    return OpenAIOkHttpClient.builder().baseUrl(URL + "/v1").apiKey(KEY).maxRetries(0).responseValidation(true).build();
  }

  static void run(OpenAIClient client) throws Exception {
    for (Subject subject : SUBJECTS) for (String mode : MODES) run(client, subject, mode);
  }

  private static void run(OpenAIClient client, Subject subject, String mode) throws Exception {
    test("OpenaiChat", subject, mode, () -> {
      ChatCompletion answer = ask(client, asked(subject, "Hello there."), mode);
      contains(text(answer), "> Hello there.");
      check(answer.choices().get(0).finishReason().equals(ChatCompletion.Choice.FinishReason.STOP), answer.toString());
      check(answer.usage().orElseThrow().promptTokens() > 0, "no usage");
    });
    test("OpenaiChat", subject, "tools/" + mode, () -> {
      ChatCompletionCreateParams.Builder asked = withTools(asked(subject, STEPS));
      walk(result -> {
        ChatCompletion answer = ask(client, asked, mode);
        asked.addMessage(answer.choices().get(0).message());
        List<Call> calls = calls(answer);
        for (Call call : calls)
          asked.addMessage(ChatCompletionToolMessageParam.builder().toolCallId(call.id()).content(result).build());
        return new Answer(calls, text(answer));
      });
    });
    test("OpenaiChat", subject, "tools/forced/" + mode, () -> {
      ChatCompletionCreateParams.Builder asked = withTools(asked(subject, "Hello from Oslo!"));
      asked.toolChoice(ChatCompletionToolChoiceOption.Auto.REQUIRED);
      check(!calls(ask(client, asked, mode)).isEmpty(), "nothing was called");
      asked.toolChoice(
          ChatCompletionNamedToolChoice.builder()
              .function(ChatCompletionNamedToolChoice.Function.builder().name("get_time").build())
              .build());
      List<String> names = calls(ask(client, asked, mode)).stream().map(Call::name).toList();
      check(names.equals(List.of("get_time")), "called were " + names);
    });
    if (subject.thinks())
      test("OpenaiChat", subject, "thinking/" + mode, () -> {
        ChatCompletionCreateParams.Builder asked = asked(subject, "How many r are in strawberry?");
        asked.reasoningEffort(ReasoningEffort.MEDIUM);
        ChatCompletion answer = ask(client, asked, mode);
        contains(text(answer), "strawberry");
        long thought = answer.usage().orElseThrow().completionTokensDetails().orElseThrow().reasoningTokens().orElse(0L);
        check(thought > 0, "it did not think");
      });
    test("OpenaiChat", subject, "structured/" + mode, () -> {
      var asked = asked(subject, PERSON_PROMPT).responseFormat(Person.class);
      if (mode.equals("whole")) {
        isPerson(client.chat().completions().create(asked.build()).choices().get(0).message().content().orElseThrow());
        return;
      }
      ChatCompletionAccumulator all = ChatCompletionAccumulator.create();
      try (var stream = client.chat().completions().createStreaming(asked.build())) {
        stream.stream().peek(chunk -> chunk.validate()).map(OpenaiChat::accumulable).forEach(all::accumulate);
      }
      isPerson(all.chatCompletion(Person.class).choices().get(0).message().content().orElseThrow());
    });
  }

  private static ChatCompletionCreateParams.Builder asked(Subject subject, String prompt) {
    return ChatCompletionCreateParams.builder().model(subject.model()).addUserMessage(prompt);
  }

  private static ChatCompletionCreateParams.Builder withTools(ChatCompletionCreateParams.Builder asked) {
    FunctionParameters.Builder schema = FunctionParameters.builder();
    for (Map.Entry<String, Object> entry : CITY_SCHEMA.entrySet())
      schema.putAdditionalProperty(entry.getKey(), JsonValue.from(entry.getValue()));
    for (String name : TOOLS)
      asked.addFunctionTool(
          FunctionDefinition.builder().name(name).description("Does " + name).parameters(schema.build()).build());
    return asked;
  }

  private static ChatCompletion ask(OpenAIClient client, ChatCompletionCreateParams.Builder asked, String mode) {
    if (mode.equals("whole")) return client.chat().completions().create(asked.build()).validate();
    var streamed = asked.build().toBuilder();
    streamed.streamOptions(ChatCompletionStreamOptions.builder().includeUsage(true).build());
    ChatCompletionAccumulator all = ChatCompletionAccumulator.create();
    AtomicReference<CompletionUsage> usage = new AtomicReference<>();
    try (var stream = client.chat().completions().createStreaming(streamed.build())) {
      stream.stream()
          .peek(chunk -> chunk.validate().usage().ifPresent(usage::set))
          .map(OpenaiChat::accumulable)
          .forEach(all::accumulate);
    }
    return all.chatCompletion().toBuilder().usage(usage.get()).build().validate();
  }

  /**
   * The accumulator takes a chunk with usage for one after all choices. DeepSeek has its usage in the chunk that ends a choice,
   * at its own address too.
   */
  private static ChatCompletionChunk accumulable(ChatCompletionChunk chunk) {
    return chunk.choices().isEmpty() ? chunk : chunk.toBuilder().usage(Optional.empty()).build();
  }

  private static String text(ChatCompletion answer) {
    return answer.choices().get(0).message().content().orElse("");
  }

  private static List<Call> calls(ChatCompletion answer) {
    return answer.choices().get(0).message().toolCalls().orElse(List.of()).stream()
        .map(call -> call.asFunction())
        .map(call -> new Call(call.id(), call.function().name(), call.function().arguments()))
        .toList();
  }
}
