/** Tools of the caller's that have the name of a tool that the vendor runs itself. No vendor takes two of one name. */

import type { Prompt, Tool } from '../conversation/prompt.ts';
import { toolNames } from '../conversation/rules/allowed-tools.ts';
import { nameFinder, renameCalls } from '../conversation/rules/distinct-tools.ts';
import type { Report } from './format.ts';

export interface RenamedTools {
  readonly tools: readonly Tool[];
  /** The new names of the tools that were renamed, by the caller's names. */
  readonly names: ReadonlyMap<string, string>;
}

/**
 * Renames the caller's tools that have a reserved name, in the history and the choice, too.
 * @param reserved the names of the vendor's own tools in the request.
 */
export function avoidNames(prompt: Prompt, reserved: ReadonlySet<string>, report: Report): Prompt {
  const { tools, names } = renameReserved(prompt.tools, reserved, report);
  if (names.size === 0) return prompt;
  const { toolChoice, turns } = prompt;
  return {
    ...prompt,
    turns: renameCalls(turns, ({ name }) => names.get(name)),
    tools,
    ...(toolChoice?.allowed && {
      toolChoice: { ...toolChoice, allowed: toolChoice.allowed.map((name) => names.get(name) ?? name) },
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
  const freeName = nameFinder([...reserved, ...toolNames(tools)]);
  const names = new Map<string, string>();
  for (const tool of tools) {
    if (tool.kind === 'hosted' || !reserved.has(tool.name) || names.has(tool.name)) continue;
    const name = freeName(tool.name);
    names.set(tool.name, name);
    report(
      `tools[${tool.name}].name`,
      'approximated',
      `sent as ${name}, beside the vendor's own ${tool.name}`,
    );
  }
  return {
    tools: tools.map((tool) =>
      tool.kind === 'hosted' ? tool : { ...tool, name: names.get(tool.name) ?? tool.name },
    ),
    names,
  };
}

const NONE: ReadonlyMap<string, string> = new Map();
