package clients;

import static clients.Tests.*;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.core.JsonValue;
import com.anthropic.errors.BadRequestException;
import com.anthropic.helpers.MessageAccumulator;
import com.anthropic.models.messages.ContentBlockParam;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.StopReason;
import com.anthropic.models.messages.ThinkingConfigAdaptive;
import com.anthropic.models.messages.Tool;
import com.anthropic.models.messages.ToolChoiceAny;
import com.anthropic.models.messages.ToolChoiceTool;
import com.anthropic.models.messages.ToolResultBlockParam;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The Anthropic SDK. Everything received is validated by the SDK's own types. */
final class AnthropicMessages {
  private AnthropicMessages() {}

  static AnthropicClient client() {
    return AnthropicOkHttpClient.builder().baseUrl(URL).apiKey(KEY).maxRetries(0).responseValidation(true).build();
  }

  static void run(AnthropicClient client) throws Exception {
    for (Subject subject : SUBJECTS) for (String mode : MODES) run(client, subject, mode);
  }

  private static void run(AnthropicClient client, Subject subject, String mode) throws Exception {
    test("Anthropic", subject, mode, () -> {
      Message answer = ask(client, asked(subject, "Hello there."), mode);
      contains(text(answer), "> Hello there.");
      check(answer.stopReason().orElseThrow().equals(StopReason.END_TURN), answer.toString());
      check(answer.usage().inputTokens() > 0 && answer.usage().outputTokens() > 0, "no usage");
    });
    test("Anthropic", subject, "tools/" + mode, () -> {
      String tag = "Anthropic " + subject.model() + " " + mode;
      MessageCreateParams.Builder asked = withTools(asked(subject, STEPS + " (" + tag + ")"));
      if (subject.thinks()) thinking(asked, subject);
      walk(result -> {
        Message answer = ask(client, asked, mode);
        asked.addMessage(answer);
        List<Call> calls = calls(answer);
        if (!calls.isEmpty())
          asked.addUserMessageOfContentBlockParams(
              calls.stream()
                  .map(call -> ToolResultBlockParam.builder().toolUseId(call.id()).content(result).build())
                  .map(ContentBlockParam::ofToolResult)
                  .toList());
        return new Answer(calls, text(answer));
      });
      signaturesReturn(tag, subject);
    });
    test("Anthropic", subject, "tools/forced/" + mode, () -> {
      MessageCreateParams.Builder asked = withTools(asked(subject, "Hello from Oslo!"));
      asked.toolChoice(ToolChoiceAny.builder().build());
      if (subject.model().equals(NEVER_FORCED)) {
        try {
          ask(client, asked, mode);
        } catch (BadRequestException refused) {
          return;
        }
        throw new AssertionError("it was not refused");
      }
      check(!calls(ask(client, asked, mode)).isEmpty(), "nothing was called");
      asked.toolChoice(ToolChoiceTool.builder().name("get_time").build());
      List<String> names = calls(ask(client, asked, mode)).stream().map(Call::name).toList();
      check(names.equals(List.of("get_time")), "called were " + names);
    });
    if (subject.thinks())
      test("Anthropic", subject, "thinking/" + mode, () -> {
        Message answer = ask(client, thinking(asked(subject, "How many r are in strawberry?"), subject), mode);
        String thought =
            answer.content().stream()
                .flatMap(block -> block.thinking().stream())
                .map(block -> block.thinking())
                .collect(Collectors.joining());
        contains(thought, "strawberry");
        contains(text(answer), "strawberry");
      });
    test("Anthropic", subject, "structured/" + mode, () -> {
      var asked = asked(subject, PERSON_PROMPT).outputConfig(Person.class);
      if (mode.equals("whole")) {
        isPerson(
            client.messages().create(asked.build()).content().stream()
                .flatMap(block -> block.text().stream())
                .findFirst()
                .orElseThrow()
                .text());
        return;
      }
      MessageAccumulator all = MessageAccumulator.create();
      try (var stream = client.messages().createStreaming(asked.build())) {
        stream.stream().peek(event -> event.validate()).forEach(all::accumulate);
      }
      isPerson(text(all.message()));
    });
  }

  private static MessageCreateParams.Builder asked(Subject subject, String prompt) {
    return MessageCreateParams.builder().model(subject.model()).maxTokens(8000).addUserMessage(prompt);
  }

  private static MessageCreateParams.Builder thinking(MessageCreateParams.Builder asked, Subject subject) {
    if (!subject.model().equals(NEVER_FORCED)) return asked.enabledThinking(2048);
    return asked.thinking(
        ThinkingConfigAdaptive.builder().display(ThinkingConfigAdaptive.Display.SUMMARIZED).build());
  }

  private static MessageCreateParams.Builder withTools(MessageCreateParams.Builder asked) {
    Tool.InputSchema.Properties.Builder properties = Tool.InputSchema.Properties.builder();
    for (Map.Entry<String, Object> entry : CITY_PROPERTIES.entrySet())
      properties.putAdditionalProperty(entry.getKey(), JsonValue.from(entry.getValue()));
    Tool.InputSchema schema =
        Tool.InputSchema.builder().properties(properties.build()).addRequired("city").build();
    for (String name : TOOLS)
      asked.addTool(Tool.builder().name(name).description("Does " + name).inputSchema(schema).build());
    return asked;
  }

  private static Message ask(AnthropicClient client, MessageCreateParams.Builder asked, String mode) {
    if (mode.equals("whole")) return client.messages().create(asked.build()).validate();
    MessageAccumulator all = MessageAccumulator.create();
    try (var stream = client.messages().createStreaming(asked.build())) {
      stream.stream().peek(event -> event.validate()).forEach(all::accumulate);
    }
    return all.message().validate();
  }

  private static String text(Message answer) {
    return answer.content().stream()
        .flatMap(block -> block.text().stream())
        .map(block -> block.text())
        .collect(Collectors.joining());
  }

  private static List<Call> calls(Message answer) {
    return answer.content().stream()
        .flatMap(block -> block.toolUse().stream())
        .map(use -> new Call(use.id(), use.name(), json(use._input())))
        .toList();
  }

  private static String json(JsonValue value) {
    return value.convert(com.fasterxml.jackson.databind.JsonNode.class).toString();
  }
}
