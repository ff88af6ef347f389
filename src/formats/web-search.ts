/** Web searches that go to another vendor's model: what they ask for, and the report of what is lost. */

import type { Tool } from '../conversation/prompt.ts';
import { isSearch } from '../conversation/tools.ts';
import { asList, asNumber, asObject, asText, type JsonObject, withoutNulls } from '../lib/json.ts';
import type { Report } from './format.ts';

/**
 * Where a body of chat-completions has its web search: at its top, instead of among the tools. As a tool of the prompt, the
 * search has this name as its `type` and as its only field.
 */
export const WEB_SEARCH_OPTIONS = 'web_search_options';

/**
 * Reads a web search: how much of what is found the model reads (OpenAI's word for it), about where the user is, and
 * domains. Chat-completions nests the options and the place, responses has the domains in `filters`, and
 * Google knows only domains to leave out. LiteLLM's callers of chat-completions write Anthropic's own.
 */
export function readWebSearch(tool: JsonObject) {
  const options = asObject(tool[WEB_SEARCH_OPTIONS]) ?? tool;
  const location = asObject(options['user_location']);
  const filters = asObject(options['filters']) ?? options;
  const google = asObject(options['googleSearch']);
  return {
    size: asText(options['search_context_size']),
    place: asObject(location?.['approximate']) ?? location,
    allowedDomains: asList(filters['allowed_domains']),
    blockedDomains: asList(filters['blocked_domains'] ?? google?.['excludeDomains']),
  };
}

/** What every format says of a web search besides its settings. */
const NO_SETTINGS: ReadonlySet<string> = new Set(['type', 'name']);

/**
 * Reports that a web search is sent under the name that another format has for it, and which of its settings are left
 * out.
 * @param tool the search as the caller's format has it.
 * @param kept the settings of all formats that are sent on.
 */
export function reportWebSearch(
  tool: JsonObject,
  sentAs: string,
  kept: readonly string[],
  report: Report,
): void {
  const settings = asObject(tool[WEB_SEARCH_OPTIONS]) ?? asObject(tool['googleSearch']) ?? tool;
  const lost = Object.keys(withoutNulls(settings)).filter(
    (name) => !NO_SETTINGS.has(name) && !kept.includes(name),
  );
  const without = lost.length === 0 ? '' : `, without ${lost.join(', ')}`;
  report('tools[].type', 'approximated', `web search is sent as ${sentAs}${without}`);
}

/**
 * Finds how often the model may search the web, as Anthropic's search says it, and LiteLLM's callers of it in
 * chat-completions; undefined if the caller sets no limit.
 */
export function findMaxSearches(tools: readonly Tool[] = []): number | undefined {
  return asNumber(tools.find(isSearch)?.value['max_uses']);
}
