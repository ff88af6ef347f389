/**
 * Different tools of one name: a custom tool and a function, or the `find` of a namespace `crm` and a function
 * `crm__find`. The format that they come in tells them apart, and most vendors refuse them ("Tool names must be
 * unique"). So all but the first go by names of their own until the answer is back in the caller's format.
 */

import { equalJson } from '../../lib/equal-json.ts';
import type { NamedTool, Prompt, Tool, ToolCallPart, Turn } from '../prompt.ts';
import { toolNames } from './allowed-tools.ts';
import { toolTable } from './tool-table.ts';

export interface DistinctTools {
  readonly tools: readonly Tool[];
  /** The new names, by the keys of the tools. Empty for almost every prompt. */
  readonly names: ReadonlyMap<string, string>;
}

const NONE: ReadonlyMap<string, string> = new Map();

/**
 * Gives tools that share a name with a different one names of their own. The new name of a tool depends on the tools
 * before it alone, so it is the same at every turn of a dialogue.
 * @param keyOf what the caller's format tells tools apart by. Tools of one key keep their name, for the vendor to judge.
 */
export function distinctTools(tools: readonly Tool[], keyOf: (tool: NamedTool) => string): DistinctTools {
  if (tools.length < 2) return { tools, names: NONE };
  const keys = new Map<string, string>();
  const names = new Map<string, string>();
  const freeName = nameFinder(toolNames(tools));
  const distinct = tools.map((tool) => {
    if (tool.kind === 'hosted') return tool;
    const key = keyOf(tool);
    const known = keys.get(tool.name) ?? key;
    keys.set(tool.name, known);
    if (known === key) return tool;
    const name = names.get(key) ?? freeName(tool.name);
    names.set(key, name);
    return { ...tool, name, givenName: tool.name };
  });
  return names.size === 0 ? { tools, names } : { tools: distinct, names };
}

/**
 * Makes a finder of free names: the given name with the first number behind it that makes it free. Each name that it
 * finds is taken from then on.
 */
export function nameFinder(taken: Iterable<string>): (name: string) => string {
  const known = new Set(taken);
  /** The last number of each name, so that many tools of one name do not count from the start again. */
  const numbers = new Map<string, number>();
  return (name) => {
    let number = (numbers.get(name) ?? 1) + 1;
    while (known.has(`${name}_${number}`)) number += 1;
    numbers.set(name, number);
    known.add(`${name}_${number}`);
    return `${name}_${number}`;
  };
}

/** The turns with other names of their calls, and of these calls' results. */
export function renameCalls(
  turns: readonly Turn[],
  nameOf: (call: ToolCallPart) => string | undefined,
): readonly Turn[] {
  const renamed = new Map<string, string | undefined>();
  return turns.map((turn) => ({
    ...turn,
    parts: turn.parts.map((part) => {
      if (part.kind === 'tool-call') {
        const name = nameOf(part);
        renamed.set(part.id, name);
        return name === undefined ? part : { ...part, name };
      }
      const name = part.kind === 'tool-result' ? renamed.get(part.id) : undefined;
      return part.kind === 'tool-result' && name !== undefined ? { ...part, name } : part;
    }),
  }));
}

/** The caller's names of the tools that go by other names, by these names. */
export function findGivenNames({ tools }: Pick<Prompt, 'tools'>): ReadonlyMap<string, string> {
  return toolTable(tools, (tool) => tool.givenName);
}

/**
 * The tools without those that a request has twice, word for word, as frameworks write that gather tools from several
 * places. OpenAI accepts them, and Anthropic and Google refuse the request ("Duplicate function declaration found").
 * Different tools of one name stay, and the vendor refuses them.
 */
export function withoutRepeated<T extends Tool>(tools: readonly T[]): readonly T[] {
  const seen = new Map<string, T>();
  return tools.filter((tool) => {
    if (tool.kind === 'hosted') return true;
    const before = seen.get(tool.name);
    seen.set(tool.name, tool);
    return before === undefined || !equalJson(before, tool);
  });
}
