/**
 * What LangChain writes on each text for itself, as of its MCP adapters' results: OpenAI lets it pass, and Anthropic
 * refuses it ("tool_result.content.0.text.id: Extra inputs are not permitted", langchain-ai/langchain#40483).
 */
export const OF_CLIENTS: readonly string[] = ['id', 'index'];
