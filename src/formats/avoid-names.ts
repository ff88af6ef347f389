/** Tools of the caller's that have the name of a tool that the vendor runs itself. No vendor takes two of one name. */

import type { Prompt, Tool } from '../conversation/prompt.ts';
import { nameFinder, renameCalls } from '../conversation/rules/distinct-tools.ts';
import type { Report } from './format.ts';

export interface RenamedTools {
  readonly tools: readonly Tool[];
  /** The caller's names of the tools that were renamed, by their new names. */
  readonly names: ReadonlyMap<string, string>;
}

/**
 * Renames the caller's tools that have a reserved name, in the history and the choice, too.
 * @param reserved the names of the vendor's own tools in the request.
 */
export function avoidNames(prompt: Prompt, reserved: ReadonlySet<string>, report: Report): Prompt {
  const { tools, names } = renameReserved(prompt.tools, reserved, report);
  if (names.size === 0) return prompt;
  const renamed = new Map(Array.from(names, ([name, given]) => [given, name]));
  const { toolChoice, turns } = prompt;
  return {
    ...prompt,
    turns: renameCalls(turns, ({ name }) => renamed.get(name)),
    tools,
    ...(toolChoice?.allowed && {
      toolChoice: { ...toolChoice, allowed: toolChoice.allowed.map((name) => renamed.get(name) ?? name) },
    }),
  };
}

/** Renames the tools alone. The same tools always get the same names. */
export function renameReserved(
  tools: readonly Tool[] = [],
  reserved: ReadonlySet<string>,
  report: Report,
): RenamedTools {
  const isReserved = (tool: Tool): boolean => tool.kind !== 'hosted' && reserved.has(tool.name);
  if (reserved.size === 0 || !tools.some(isReserved)) return { tools, names: NONE };
  const freeName = nameFinder([
    ...reserved,
    ...tools.flatMap((tool) => (tool.kind === 'hosted' ? [] : tool.name)),
  ]);
  const renamed = new Map<string, string>();
  for (const tool of tools) {
    if (tool.kind === 'hosted' || !reserved.has(tool.name) || renamed.has(tool.name)) continue;
    const name = freeName(tool.name);
    renamed.set(tool.name, name);
    report(
      `tools[${tool.name}].name`,
      'approximated',
      `sent as ${name}, beside the vendor's own ${tool.name}`,
    );
  }
  return {
    tools: tools.map((tool) =>
      tool.kind === 'hosted' ? tool : { ...tool, name: renamed.get(tool.name) ?? tool.name },
    ),
    names: new Map(Array.from(renamed, ([given, name]) => [name, given])),
  };
}

const NONE: ReadonlyMap<string, string> = new Map();
