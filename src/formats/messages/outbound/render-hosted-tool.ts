/** Tools that the vendor runs itself. */

import type { HostedTool, Prompt } from '../../../conversation/prompt.ts';
import { asText, compact, type JsonObject } from '../../../lib/json.ts';
import { keepItems } from '../../../lib/lists.ts';
import type { Report } from '../../format.ts';
import { readWebSearch, reportWebSearch } from '../../web-search.ts';

/** The name of Anthropic's web search. */
export const WEB_SEARCH = 'web_search';

/** The settings of other formats' searches that Anthropic's has, too. */
const KEPT = ['filters', 'user_location', 'excludeDomains', 'allowed_domains', 'blocked_domains', 'max_uses'];

const NONE: ReadonlySet<string> = new Set();

/** Finds the names of the tools in a prompt that Anthropic runs itself. */
export function findHostedNames({ tools = [] }: Pick<Prompt, 'tools'>): ReadonlySet<string> {
  const hosted = keepItems(tools, (tool) => tool.kind === 'hosted');
  if (hosted.length === 0) return NONE;
  return new Set(
    hosted.flatMap(({ format, value, webSearch }) => {
      if (format === 'messages') return asText(value['name']) ?? [];
      return webSearch ? WEB_SEARCH : [];
    }),
  );
}

/**
 * Renders a hosted tool.
 * @param maxSearches how often the caller lets the model search the web; undefined for no limit.
 * @returns undefined, and reports it, if Anthropic has no such tool.
 */
export function renderHosted(
  tool: HostedTool,
  maxSearches: number | undefined,
  report: Report,
): JsonObject | undefined {
  if (tool.format === 'messages') return tool.value;
  if (tool.webSearch) {
    reportWebSearch(tool.value, 'web_search_20250305', KEPT, report);
    return { ...renderWebSearch(tool.value), ...compact({ max_uses: maxSearches }) };
  }
  report('tools[].type', 'dropped', `a hosted tool of ${tool.format}`);
  return undefined;
}

/** Renders another vendor's web search as Anthropic's. Anthropic accepts one list of domains, OpenAI both. */
function renderWebSearch(value: JsonObject): JsonObject {
  const { place, allowedDomains: allowed, blockedDomains } = readWebSearch(value);
  const blocked = new Set(blockedDomains);
  return compact({
    type: 'web_search_20250305',
    name: WEB_SEARCH,
    ...(allowed.length > 0
      ? { allowed_domains: allowed.filter((domain) => !blocked.has(domain)) }
      : { blocked_domains: blocked.size > 0 ? [...blocked] : undefined }),
    user_location: place && compact({ ...place, type: 'approximate' }),
  });
}
