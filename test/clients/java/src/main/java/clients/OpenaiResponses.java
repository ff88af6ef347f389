package clients;

import static clients.Tests.*;

import com.openai.client.OpenAIClient;
import com.openai.core.JsonValue;
import com.openai.helpers.ResponseAccumulator;
import com.openai.models.Reasoning;
import com.openai.models.ReasoningEffort;
import com.openai.models.responses.EasyInputMessage;
import com.openai.models.responses.FunctionTool;
import com.openai.models.responses.Response;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseIncludable;
import com.openai.models.responses.ResponseInputItem;
import com.openai.models.responses.ResponseOutputItem;
import com.openai.models.responses.ToolChoiceFunction;
import com.openai.models.responses.ToolChoiceOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The OpenAI SDK over responses. Everything received is validated by the SDK's own types. */
final class OpenaiResponses {
  private OpenaiResponses() {}

  static void run(OpenAIClient client) throws Exception {
    for (Subject subject : SUBJECTS) for (String mode : MODES) run(client, subject, mode);
  }

  private static void run(OpenAIClient client, Subject subject, String mode) throws Exception {
    test("OpenaiResponses", subject, mode, () -> {
      Response answer = ask(client, asked(subject, List.of(said("Hello there."))), mode);
      contains(text(answer), "> Hello there.");
      check(answer.usage().orElseThrow().inputTokens() > 0, "no usage");
    });
    test("OpenaiResponses", subject, "tools/" + mode, () -> {
      String tag = "OpenaiResponses " + subject.model() + " " + mode;
      List<ResponseInputItem> history = new ArrayList<>(List.of(said(STEPS + " (" + tag + ")")));
      walk(result -> {
        ResponseCreateParams.Builder asked = withTools(asked(subject, history));
        if (subject.thinks()) thinking(asked);
        Response answer = ask(client, asked, mode);
        for (ResponseOutputItem item : answer.output()) history.add(asInput(item));
        List<Call> calls = calls(answer);
        for (Call call : calls)
          history.add(
              ResponseInputItem.ofFunctionCallOutput(
                  ResponseInputItem.FunctionCallOutput.builder().callId(call.id()).output(result).build()));
        return new Answer(calls, text(answer));
      });
      signaturesReturn(tag, subject);
    });
    test("OpenaiResponses", subject, "tools/forced/" + mode, () -> {
      ResponseCreateParams.Builder asked = withTools(asked(subject, List.of(said("Hello from Oslo!"))));
      asked.toolChoice(ToolChoiceOptions.REQUIRED);
      check(!calls(ask(client, asked, mode)).isEmpty(), "nothing was called");
      asked.toolChoice(ToolChoiceFunction.builder().name("get_time").build());
      List<String> names = calls(ask(client, asked, mode)).stream().map(Call::name).toList();
      check(names.equals(List.of("get_time")), "called were " + names);
    });
    if (subject.thinks())
      test("OpenaiResponses", subject, "thinking/" + mode, () -> {
        Response answer =
            ask(client, thinking(asked(subject, List.of(said("How many r are in strawberry?")))), mode);
        String thought =
            answer.output().stream()
                .flatMap(item -> item.reasoning().stream())
                .flatMap(item -> item.summary().stream())
                .map(part -> part.text())
                .collect(Collectors.joining());
        contains(thought, "strawberry");
      });
    test("OpenaiResponses", subject, "structured/" + mode, () -> {
      var asked = asked(subject, List.of(said(PERSON_PROMPT))).text(Person.class);
      if (mode.equals("whole")) {
        isPerson(
            client.responses().create(asked.build()).output().stream()
                .flatMap(item -> item.message().stream())
                .flatMap(message -> message.content().stream())
                .flatMap(part -> part.outputText().stream())
                .findFirst()
                .orElseThrow());
        return;
      }
      ResponseAccumulator all = ResponseAccumulator.create();
      try (var stream = client.responses().createStreaming(asked.build())) {
        stream.stream().peek(event -> event.validate()).forEach(all::accumulate);
      }
      isPerson(text(all.response()));
    });
  }

  private static ResponseInputItem said(String text) {
    return ResponseInputItem.ofEasyInputMessage(
        EasyInputMessage.builder().role(EasyInputMessage.Role.USER).content(text).build());
  }

  private static ResponseCreateParams.Builder asked(Subject subject, List<ResponseInputItem> history) {
    return ResponseCreateParams.builder().model(subject.model()).store(false).inputOfResponse(history);
  }

  private static ResponseCreateParams.Builder thinking(ResponseCreateParams.Builder asked) {
    return asked
        .reasoning(Reasoning.builder().effort(ReasoningEffort.MEDIUM).summary(Reasoning.Summary.AUTO).build())
        .addInclude(ResponseIncludable.REASONING_ENCRYPTED_CONTENT);
  }

  private static ResponseCreateParams.Builder withTools(ResponseCreateParams.Builder asked) {
    FunctionTool.Parameters.Builder schema = FunctionTool.Parameters.builder();
    for (Map.Entry<String, Object> entry : CITY_SCHEMA.entrySet())
      schema.putAdditionalProperty(entry.getKey(), JsonValue.from(entry.getValue()));
    for (String name : TOOLS)
      asked.addTool(
          FunctionTool.builder().name(name).description("Does " + name).parameters(schema.build()).strict(true).build());
    return asked;
  }

  private static ResponseInputItem asInput(ResponseOutputItem item) {
    if (item.message().isPresent()) return ResponseInputItem.ofResponseOutputMessage(item.asMessage());
    if (item.functionCall().isPresent()) return ResponseInputItem.ofFunctionCall(item.asFunctionCall());
    return ResponseInputItem.ofReasoning(item.asReasoning());
  }

  private static Response ask(OpenAIClient client, ResponseCreateParams.Builder asked, String mode) {
    if (mode.equals("whole")) return client.responses().create(asked.build()).validate();
    ResponseAccumulator all = ResponseAccumulator.create();
    try (var stream = client.responses().createStreaming(asked.build())) {
      stream.stream().peek(event -> event.validate()).forEach(all::accumulate);
    }
    return all.response().validate();
  }

  private static String text(Response answer) {
    return answer.output().stream()
        .flatMap(item -> item.message().stream())
        .flatMap(message -> message.content().stream())
        .flatMap(part -> part.outputText().stream())
        .map(part -> part.text())
        .collect(Collectors.joining());
  }

  private static List<Call> calls(Response answer) {
    return answer.output().stream()
        .flatMap(item -> item.functionCall().stream())
        .map(call -> new Call(call.callId(), call.name(), call.arguments()))
        .toList();
  }
}
