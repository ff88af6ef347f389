package clients;

import static clients.Tests.*;

import com.google.genai.Chat;
import com.google.genai.Client;
import com.google.genai.types.Content;
import com.google.genai.types.FunctionCallingConfig;
import com.google.genai.types.FunctionDeclaration;
import com.google.genai.types.FunctionResponse;
import com.google.genai.types.GenerateContentConfig;
import com.google.genai.types.GenerateContentResponse;
import com.google.genai.types.HttpOptions;
import com.google.genai.types.Part;
import com.google.genai.types.Schema;
import com.google.genai.types.ThinkingConfig;
import com.google.genai.types.Tool;
import com.google.genai.types.ToolConfig;
import com.google.genai.types.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Google's SDK, with a loop of our own and with its chats. */
final class GoogleGenai {
  private GoogleGenai() {}

  static Client client() {
    return Client.builder().apiKey(KEY).httpOptions(HttpOptions.builder().baseUrl(URL).build()).build();
  }

  static void run(Client client) throws Exception {
    for (Subject subject : SUBJECTS) for (String mode : MODES) run(client, subject, mode);
  }

  private static void run(Client client, Subject subject, String mode) throws Exception {
    test("GoogleGenai", subject, mode, () -> {
      var chunks = ask(client, subject, List.of(said("Hello there.")), GenerateContentConfig.builder().build(), mode);
      contains(text(chunks, false), "> Hello there.");
      var usage = chunks.get(chunks.size() - 1).usageMetadata().orElseThrow();
      check(usage.promptTokenCount().orElse(0) > 0 && usage.candidatesTokenCount().orElse(0) > 0, usage.toString());
    });
    test("GoogleGenai", subject, "tools/loop/" + mode, () -> {
      String tag = "GoogleGenai loop " + subject.model() + " " + mode;
      List<Content> history = new ArrayList<>(List.of(said(STEPS + " (" + tag + ")")));
      walk(result -> {
        var chunks = ask(client, subject, history, withTools(subject), mode);
        List<Part> parts = parts(chunks);
        history.add(Content.builder().role("model").parts(parts).build());
        List<Part> results = results(parts, result);
        if (!results.isEmpty()) history.add(Content.builder().role("user").parts(results).build());
        return new Answer(calls(parts), text(chunks, false));
      });
      signaturesReturn(tag, subject);
    });
    test("GoogleGenai", subject, "tools/chat/" + mode, () -> {
      String tag = "GoogleGenai chat " + subject.model() + " " + mode;
      Chat chat = client.chats.create(subject.inGoogle(), withTools(subject));
      List<Content> next = new ArrayList<>(List.of(said(STEPS + " (" + tag + ")")));
      walk(result -> {
        var chunks = send(chat, next.get(0), mode);
        List<Part> results = results(parts(chunks), result);
        if (!results.isEmpty()) next.set(0, Content.builder().role("user").parts(results).build());
        return new Answer(calls(parts(chunks)), text(chunks, false));
      });
      contains(text(send(chat, said("Thanks. And tomorrow?"), mode), false), "> Thanks. And tomorrow?");
      signaturesReturn(tag, subject);
    });
    test("GoogleGenai", subject, "tools/forced/" + mode, () -> {
      var any = FunctionCallingConfig.builder().mode("ANY").allowedFunctionNames(List.of("get_time")).build();
      var config =
          withTools(subject).toBuilder().toolConfig(ToolConfig.builder().functionCallingConfig(any).build());
      config.clearThinkingConfig();
      var calls = calls(parts(ask(client, subject, List.of(said("Hello from Oslo!")), config.build(), mode)));
      check(calls.stream().map(Call::name).toList().equals(List.of("get_time")), "called were " + calls);
    });
    if (subject.thinks())
      test("GoogleGenai", subject, "thinking/" + mode, () -> {
        var config = GenerateContentConfig.builder().thinkingConfig(thinking()).build();
        var chunks = ask(client, subject, List.of(said("How many r are in strawberry?")), config, mode);
        if (subject.shows()) contains(text(chunks, true), "strawberry");
        contains(text(chunks, false), "strawberry");
        var usage = chunks.get(chunks.size() - 1).usageMetadata().orElseThrow();
        check(usage.thoughtsTokenCount().orElse(0) > 0, usage.toString());
      });
    test("GoogleGenai", subject, "structured/" + mode, () -> {
      Schema schema =
          Schema.builder()
              .type(Type.Known.OBJECT)
              .properties(
                  Map.of(
                      "name", Schema.builder().type(Type.Known.STRING).build(),
                      "age", Schema.builder().type(Type.Known.INTEGER).build()))
              .required("name", "age")
              .build();
      var config = GenerateContentConfig.builder().responseMimeType("application/json").responseSchema(schema).build();
      isPerson(text(ask(client, subject, List.of(said(PERSON_PROMPT)), config, mode), false));
    });
  }

  private static Content said(String text) {
    return Content.builder().role("user").parts(Part.fromText(text)).build();
  }

  private static ThinkingConfig thinking() {
    return ThinkingConfig.builder().includeThoughts(true).thinkingBudget(2048).build();
  }

  private static GenerateContentConfig withTools(Subject subject) {
    Schema schema =
        Schema.builder()
            .type(Type.Known.OBJECT)
            .properties(Map.of("city", Schema.builder().type(Type.Known.STRING).build()))
            .required("city")
            .build();
    List<FunctionDeclaration> declared =
        TOOLS.stream()
            .map(name -> FunctionDeclaration.builder().name(name).description("Does " + name).parameters(schema).build())
            .toList();
    var config =
        GenerateContentConfig.builder().tools(Tool.builder().functionDeclarations(declared).build());
    if (subject.thinks()) config.thinkingConfig(thinking());
    return config.build();
  }

  private static List<GenerateContentResponse> ask(
      Client client, Subject subject, List<Content> contents, GenerateContentConfig config, String mode) {
    if (mode.equals("whole")) return List.of(client.models.generateContent(subject.inGoogle(), contents, config));
    List<GenerateContentResponse> chunks = new ArrayList<>();
    try (var stream = client.models.generateContentStream(subject.inGoogle(), contents, config)) {
      stream.forEach(chunks::add);
    }
    return chunks;
  }

  private static List<GenerateContentResponse> send(Chat chat, Content message, String mode) {
    if (mode.equals("whole")) return List.of(chat.sendMessage(message));
    List<GenerateContentResponse> chunks = new ArrayList<>();
    try (var stream = chat.sendMessageStream(message)) {
      stream.forEach(chunks::add);
    }
    return chunks;
  }

  private static List<Part> parts(List<GenerateContentResponse> chunks) {
    return chunks.stream()
        .flatMap(chunk -> chunk.candidates().orElse(List.of()).stream())
        .flatMap(candidate -> candidate.content().stream())
        .flatMap(content -> content.parts().orElse(List.of()).stream())
        .toList();
  }

  private static String text(List<GenerateContentResponse> chunks, boolean thought) {
    return parts(chunks).stream()
        .filter(part -> part.thought().orElse(false) == thought)
        .flatMap(part -> part.text().stream())
        .collect(Collectors.joining());
  }

  private static List<Call> calls(List<Part> parts) throws Exception {
    List<Call> calls = new ArrayList<>();
    for (Part part : parts)
      if (part.functionCall().isPresent()) {
        var call = part.functionCall().get();
        String arguments = JSON.writeValueAsString(call.args().orElse(Map.of()));
        calls.add(new Call(call.id().orElse(""), call.name().orElseThrow(), arguments));
      }
    return calls;
  }

  private static List<Part> results(List<Part> parts, String result) {
    return parts.stream()
        .flatMap(part -> part.functionCall().stream())
        .map(call -> {
          var response = FunctionResponse.builder().name(call.name().orElseThrow()).response(Map.of("output", result));
          call.id().ifPresent(response::id);
          return Part.builder().functionResponse(response.build()).build();
        })
        .toList();
  }
}
