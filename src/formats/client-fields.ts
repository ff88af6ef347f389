/**
 * Fields that LangChain writes on each text for its own use, as on results of its MCP adapters. OpenAI ignores them,
 * and Anthropic refuses the request ("tool_result.content.0.text.id: Extra inputs are not permitted",
 * langchain-ai/langchain#40483).
 */
export const OF_CLIENTS: readonly string[] = ['id', 'index'];
