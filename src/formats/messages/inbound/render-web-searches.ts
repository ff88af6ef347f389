/**
 * What another vendor's model found in the web, as the two blocks of Anthropic's own search: a call of the tool, and its
 * result. Claude Code's WebSearch reads these blocks, not citations. Without them it reported no sources
 * (router-for-me/CLIProxyAPI#1565).
 */

import type { Citation, Prompt } from '../../../conversation/prompt.ts';
import { isSearch } from '../../../conversation/tools.ts';
import { asText, type JsonObject } from '../../../lib/json.ts';

/** Returns the name of the web search that the caller asked for, or undefined if it asked for none. */
export function findWebSearch({ tools = [] }: Pick<Prompt, 'tools'>): string | undefined {
  const search = tools.find(isSearch);
  return search && (asText(search.value['name']) ?? 'web_search');
}

/**
 * Renders the two blocks of a search.
 * @param name the name of the search tool.
 * @param stem what the id of the call is made of.
 * @param searches what was searched for, as far as the vendor tells. Claude Code shows it.
 * @returns an empty list if no citation of another vendor has a URL.
 */
export function renderWebSearch(
  name: string,
  citations: readonly Citation[],
  stem: string,
  searches: readonly string[],
): readonly JsonObject[] {
  const results = new Map<string, JsonObject>();
  for (const { url, title, formatSpecific } of citations) {
    if (url === undefined || formatSpecific?.format === 'messages' || results.has(url)) continue;
    results.set(url, {
      type: 'web_search_result',
      url,
      title: title ?? url,
      // Only Anthropic can make this value, and only Anthropic reads it.
      encrypted_content: '',
      page_age: null,
    });
  }
  if (results.size === 0) return [];
  const id = `srvtoolu_${stem}`;
  const caller = { type: 'direct' };
  return [
    { type: 'server_tool_use', id, name, input: { query: searches.join('; ') }, caller },
    { type: 'web_search_tool_result', tool_use_id: id, content: [...results.values()], caller },
  ];
}
