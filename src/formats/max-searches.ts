/** How often a model may search the web, as Anthropic's search says it, and LiteLLM's callers of it in chat-completions. */

import type { Tool } from '../conversation/prompt.ts';
import { asNumber } from '../lib/json.ts';

/** Finds how often the caller lets the model search the web; undefined if the caller sets no limit. */
export function findMaxSearches(tools: readonly Tool[] = []): number | undefined {
  const search = tools.find((tool) => tool.kind === 'hosted' && tool.webSearch);
  return search?.kind === 'hosted' ? asNumber(search.value['max_uses']) : undefined;
}
