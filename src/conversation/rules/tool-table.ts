/** Tables of what is special about some tools of a prompt. */

import type { NamedTool, Tool } from '../prompt.ts';

const NONE: ReadonlyMap<string, never> = new Map<string, never>();

/**
 * What `find` finds about the tools of a prompt, by their names. Tools about which it finds nothing are left out: those of
 * almost every prompt, for which no table is made.
 */
export function toolTable<Found extends object | string>(
  tools: readonly Tool[] | undefined,
  find: (tool: NamedTool) => Found | undefined,
): ReadonlyMap<string, Found> {
  let table: Map<string, Found> | undefined;
  for (const tool of tools ?? []) {
    if (tool.kind === 'hosted') continue;
    const found = find(tool);
    if (found === undefined) continue;
    table ??= new Map();
    table.set(tool.name, found);
  }
  return table ?? NONE;
}
