package clients;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** What the tests of all clients share: the models to ask, a walk through calls of tools, and how a result is told. */
final class Tests {
  private Tests() {}

  /** A model to ask: whether it thinks, and whether a caller may see it. */
  record Subject(String vendor, String model, boolean thinks, boolean shows) {
    /** Whether the vendor signs what the model thinks. Gemini 2.5 and DeepSeek do not in the simulation. */
    boolean signs() {
      return thinks && !vendor.equals("deepseek") && !model.equals("google/gemini-2.5-flash");
    }

    /** The name in Google's format, which means Google where no vendor is named. */
    String inGoogle() {
      return model.startsWith("google/") ? model.substring("google/".length()) : model;
    }
  }

  static final List<Subject> SUBJECTS =
      List.of(
          new Subject("openai", "openai/gpt-4.1", false, false),
          new Subject("openai", "openai/gpt-5.4", true, false),
          new Subject("anthropic", "anthropic/claude-sonnet-4-5", true, true),
          new Subject("anthropic", "anthropic/claude-sonnet-5-5", true, true),
          new Subject("google", "google/gemini-2.5-flash", true, true),
          new Subject("google", "google/gemini-3.8-flash", true, true),
          new Subject("deepseek", "deepseek/deepseek-v4-flash", true, true));

  /** It always thinks, so Anthropic itself refuses to force a call, and takes no budget. */
  static final String NEVER_FORCED = "anthropic/claude-sonnet-5-5";

  static final List<String> MODES = List.of("whole", "stream");

  static final String URL = variable("GATEWAY_URL");
  static final String KEY = variable("GATEWAY_KEY");

  private static String variable(String name) {
    String value = System.getenv(name);
    if (value == null) throw new IllegalStateException(name + " is missing: test/clients/java.test.ts sets it");
    return value;
  }

  /** The sandbox calls what a prompt names before a `then`, and what it names after it once the results are there. */
  static final String STEPS = "Use find_city, then get_weather and get_time, then send_mail, for the weather in Oslo.";

  static final List<String> TOOLS = List.of("find_city", "get_weather", "get_time", "send_mail");

  private static final List<List<String>> CALLED =
      List.of(List.of("find_city"), List.of("get_weather", "get_time"), List.of("send_mail"), List.of());

  static final Map<String, Object> CITY_PROPERTIES = Map.of("city", Map.of("type", "string"));

  static final Map<String, Object> CITY_SCHEMA =
      Map.of("type", "object", "properties", CITY_PROPERTIES, "required", List.of("city"), "additionalProperties", false);

  /** What an answer by schema is read as. */
  public static class Person {
    public String name;
    public int age;
  }

  static final String PERSON_PROMPT = "Who is 42 years old?";

  record Call(String id, String name, String arguments) {}

  record Answer(List<Call> calls, String text) {}

  interface Ask {
    /** Asks, and keeps the answer with a result of each call in the history. */
    Answer ask(String result) throws Exception;
  }

  /** Asks until nothing is called any more. */
  static void walk(Ask ask) throws Exception {
    for (int step = 0; step < CALLED.size(); step += 1) {
      Answer answer = ask.ask("Result of step " + step);
      List<String> names = answer.calls.stream().map(Call::name).toList();
      check(names.equals(CALLED.get(step)), "step " + step + ": called were " + names + "; text: " + answer.text);
      for (Call call : answer.calls)
        check(JSON.readTree(call.arguments).path("city").asText().equals("Oslo"), call.name + ": " + call.arguments);
      if (names.isEmpty()) contains(answer.text, "Result of step 2");
    }
  }

  static void check(boolean holds, String otherwise) {
    if (!holds) throw new AssertionError(otherwise);
  }

  static void contains(String text, String part) {
    check(text != null && text.contains(part), "\"" + part + "\" is not in \"" + text + "\"");
  }

  /** Checks that the text is a person in JSON, and nothing else. */
  static void isPerson(String text) throws Exception {
    Person person = JSON.readerFor(Person.class).with(STRICTLY).readValue(text);
    isPerson(person);
  }

  static void isPerson(Person person) {
    check(person.age == 42 && person.name != null && !person.name.isEmpty(), "this is not the person");
  }

  static final ObjectMapper JSON = new ObjectMapper();
  private static final com.fasterxml.jackson.databind.DeserializationFeature STRICTLY =
      com.fasterxml.jackson.databind.DeserializationFeature.FAIL_ON_TRAILING_TOKENS;

  private static final Pattern SIGNATURE =
      Pattern.compile("\"(?:signature|thoughtSignature|encrypted_content)\":\\s*\"([^\"]+)\"");

  /** Checks that what the vendor has signed in an answer with calls is in every later request with the tag. */
  static void signaturesReturn(String tag, Subject subject) throws Exception {
    URI uri = URI.create(variable("RECORDER_URL") + "/recorded?tag=" + URLEncoder.encode(tag, StandardCharsets.UTF_8));
    String recorded =
        HttpClient.newHttpClient().send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString()).body();
    List<JsonNode> exchanges = new ArrayList<>();
    JSON.readTree(recorded).forEach(exchanges::add);
    check(exchanges.size() > 1, exchanges.size() + " exchanges were recorded for " + tag);
    int signed = 0;
    for (int at = 0; at < exchanges.size() - 1; at += 1) {
      String answer = exchanges.get(at).path("answer").asText();
      // Google signs a streamed text in a last chunk without text, which its SDKs leave out of a chat.
      boolean streamedByGoogle = exchanges.get(at).path("path").asText().contains(":streamGenerateContent");
      if (streamedByGoogle && !answer.contains("\"functionCall\"")) continue;
      var found = SIGNATURE.matcher(answer);
      while (found.find()) {
        signed += 1;
        for (JsonNode later : exchanges.subList(at + 1, exchanges.size()))
          check(returns(later.path("request").asText(), found.group(1)), "a signature is lost: " + found.group(1));
      }
    }
    check(signed > 0 || !subject.signs(), "nothing was signed");
  }

  /** Whether a request has a signature. The SDK of Google holds them as bytes and may write the other alphabet. */
  private static boolean returns(String request, String signature) {
    return request.contains(signature) || request.contains(signature.replace('+', '-').replace('/', '_'));
  }

  interface Test {
    void run() throws Throwable;
  }

  /** One line of JSON for each test goes here; what the clients print goes to the standard error. */
  private static final PrintStream TOLD = System.out;

  static {
    System.setOut(System.err);
  }

  /** Runs a test and tells how it ended. */
  static void test(String client, Subject subject, String capability, Test test) throws Exception {
    String output = "";
    try {
      test.run();
    } catch (Throwable problem) {
      StringWriter trace = new StringWriter();
      problem.printStackTrace(new PrintWriter(trace));
      output = trace.toString();
    }
    String name = client + "/" + subject.model + "/" + capability;
    TOLD.println(JSON.writeValueAsString(Map.of("name", name, "passed", output.isEmpty(), "output", output)));
  }
}
