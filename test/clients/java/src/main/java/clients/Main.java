package clients;

/** Runs the tests of all clients, and prints one line of JSON for each. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) throws Exception {
    OpenaiChat.run(OpenaiChat.client());
    OpenaiResponses.run(OpenaiChat.client());
    AnthropicMessages.run(AnthropicMessages.client());
    GoogleGenai.run(GoogleGenai.client());
    Langchain4j.run();
    // The clients keep threads that would hold the process for a minute.
    System.exit(0);
  }
}
