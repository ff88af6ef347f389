/**
 * What another vendor's model has found in the web, as Anthropic tells of a search: a call of the tool, and its result.
 * Claude Code makes what its WebSearch tells of these blocks, not of citations: its model was told to name its sources,
 * and had none (router-for-me/CLIProxyAPI#1565).
 */

import type { Citation, Prompt } from '../../../conversation/prompt.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asObjects, asText, isObject } from '../../../lib/json.ts';
import { FORMAT } from './wire.ts';

/** The name of the web search that the caller has asked for; undefined where there is none. */
export function searchTool({ tools = [] }: Prompt): string | undefined {
  for (const tool of tools) {
    if (tool.kind === 'hosted' && tool.webSearch) return asText(tool.value['name']) ?? 'web_search';
  }
  return undefined;
}

/** The two blocks, in a list that is empty where nothing of another vendor's was cited. @param stem what the id is made of. */
export function searchBlocks(
  name: string,
  citations: readonly Citation[],
  stem: string,
): readonly JsonObject[] {
  const found = new Map<string, JsonObject>();
  for (const { url, title, formatSpecific: own } of citations) {
    if (url === undefined || own?.format === FORMAT || found.has(url)) continue;
    found.set(url, {
      type: 'web_search_result',
      url,
      title: title ?? url,
      // Nobody but Anthropic can make one, and only Anthropic reads it.
      encrypted_content: '',
      page_age: null,
    });
  }
  if (found.size === 0) return [];
  const id = `srvtoolu_${stem}`;
  const caller = { type: 'direct' };
  return [
    { type: 'server_tool_use', id, name, input: { query: '' }, caller },
    { type: 'web_search_tool_result', tool_use_id: id, content: [...found.values()], caller },
  ];
}

/** The ids of searches that no model of Anthropic's has made, which Anthropic does not take back. */
export function othersSearches(said: readonly Json[]): ReadonlySet<string> {
  return new Set(
    said.flatMap((block) => {
      if (!isObject(block) || block['type'] !== 'web_search_tool_result') return [];
      const isMadeUp = asObjects(block['content']).some((result) => result['encrypted_content'] === '');
      return isMadeUp ? (asText(block['tool_use_id']) ?? []) : [];
    }),
  );
}
