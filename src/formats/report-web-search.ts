/** The report of a web search that goes to another vendor's model. */

import { asObject, type JsonObject, withoutNulls } from '../lib/json.ts';
import type { Report } from './format.ts';

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
  const settings = asObject(tool['web_search_options']) ?? asObject(tool['googleSearch']) ?? tool;
  const lost = Object.keys(withoutNulls(settings)).filter(
    (name) => !NO_SETTINGS.has(name) && !kept.includes(name),
  );
  const without = lost.length === 0 ? '' : `, without ${lost.join(', ')}`;
  report('tools[].type', 'approximated', `web search is sent as ${sentAs}${without}`);
}
