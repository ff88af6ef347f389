/**
 * The header in which a service takes the session, by its dialect, so that the request reaches the machine with its
 * cache: xAI ("Maximizing cache hits", docs.x.ai), OpenRouter ("Prompt caching", openrouter.ai/docs), Fireworks
 * ("Prompt caching", docs.fireworks.ai). Other services take `prompt_cache_key`, or nothing.
 */
const HEADERS: ReadonlyMap<string, string> = new Map([
  ['x-ai', 'x-grok-conv-id'],
  ['xai', 'x-grok-conv-id'],
  ['openrouter', 'x-session-id'],
  ['fireworks', 'x-session-affinity'],
]);

/** The header's name in lower case; undefined if the service reads none. */
export function findSessionHeader(dialect: string): string | undefined {
  return HEADERS.get(dialect);
}
