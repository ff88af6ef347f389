/** Renders another format's web search as OpenAI's `web_search` tool. */

import { compact, isEmpty, type JsonObject } from '../../../lib/json.ts';
import { readWebSearch } from '../../web-search.ts';
import type { Dialect } from '../dialects.ts';

/** Settings of other formats' searches that are sent on. How often to search is a field of the whole request. */
const DOMAINS = ['allowed_domains', 'blocked_domains', 'excludeDomains', 'max_uses'];

/** The settings of other formats' searches that a service takes. */
export function keptOfSearch({ searchOptions }: Dialect): readonly string[] {
  return searchOptions === 'all' ? [...DOMAINS, 'search_context_size', 'user_location'] : DOMAINS;
}

/** @param tool the search as the other format has it. */
export function renderWebSearch(tool: JsonObject, { searchOptions }: Dialect): JsonObject {
  const { size, place, allowedDomains: allowed, blockedDomains: blocked } = readWebSearch(tool);
  const blockedField = searchOptions === 'domains' ? 'excluded_domains' : 'blocked_domains';
  const filters = compact({
    allowed_domains: allowed.length > 0 ? allowed : undefined,
    [blockedField]: blocked.length > 0 ? blocked : undefined,
  });
  return compact({
    type: 'web_search',
    search_context_size: searchOptions === 'all' ? size : undefined,
    filters: isEmpty(filters) ? undefined : filters,
    user_location: searchOptions === 'all' ? place && compact({ ...place, type: 'approximate' }) : undefined,
  });
}
