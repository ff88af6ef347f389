/** Tools of the caller's that have the name of a tool that the vendor runs itself. No vendor takes two of one name. */

import type { Prompt } from '../conversation/prompt.ts';
import { nameFinder, renameCalls } from '../conversation/rules/distinct-tools.ts';
import type { Report } from './format.ts';

export interface AvoidedNames {
  readonly prompt: Prompt;
  /** The caller's names of the tools that were renamed, by their new names. */
  readonly names: ReadonlyMap<string, string>;
}

/**
 * Renames the caller's tools that have a reserved name, in the history and the choice, too. The same prompt always gets
 * the same names.
 * @param reserved the names of the vendor's own tools in the request.
 */
export function avoidNames(prompt: Prompt, reserved: ReadonlySet<string>, report: Report): AvoidedNames {
  if (reserved.size === 0) return { prompt, names: NONE };
  const { tools = [], toolChoice, turns } = prompt;
  if (!tools.some((tool) => tool.kind !== 'hosted' && reserved.has(tool.name)))
    return { prompt, names: NONE };
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
  const changed: Prompt = {
    ...prompt,
    turns: renameCalls(turns, ({ name }) => renamed.get(name)),
    tools: tools.map((tool) =>
      tool.kind === 'hosted' ? tool : { ...tool, name: renamed.get(tool.name) ?? tool.name },
    ),
    ...(toolChoice?.allowed && {
      toolChoice: { ...toolChoice, allowed: toolChoice.allowed.map((name) => renamed.get(name) ?? name) },
    }),
  };
  return { prompt: changed, names: new Map(Array.from(renamed, ([given, name]) => [name, given])) };
}

const NONE: ReadonlyMap<string, string> = new Map();
