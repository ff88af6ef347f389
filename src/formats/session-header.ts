/**
 * In which header a service, by its dialect, wants the session, to ask the machine that has its cache: xAI ("Maximizing
 * cache hits", docs.x.ai), OpenRouter ("Prompt caching", openrouter.ai/docs), Fireworks ("Prompt caching",
 * docs.fireworks.ai). Others are told by `prompt_cache_key`, or by nothing.
 */
const HEADERS: ReadonlyMap<string, string> = new Map([
  ['x-ai', 'x-grok-conv-id'],
  ['xai', 'x-grok-conv-id'],
  ['openrouter', 'x-session-id'],
  ['fireworks', 'x-session-affinity'],
]);

/** The header's name in lower case; undefined where the service reads none. */
export function sessionHeaderOf(dialect: string): string | undefined {
  return HEADERS.get(dialect);
}
