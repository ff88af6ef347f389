/**
 * Tools that a request has twice, word for word, as frameworks write that gather tools from several places. OpenAI
 * accepts them, and Anthropic and Google refuse the request ("tools: Tool names must be unique", "Duplicate function
 * declaration found").
 */

import { equalJson } from '../../lib/equal-json.ts';
import type { Tool } from '../prompt.ts';

/** The tools without repetitions. Different tools of one name stay, and the vendor refuses them. */
export function withoutRepeated<T extends Tool>(tools: readonly T[]): readonly T[] {
  const seen = new Map<string, T>();
  return tools.filter((tool) => {
    if (tool.kind === 'hosted') return true;
    const before = seen.get(tool.name);
    seen.set(tool.name, tool);
    return before === undefined || !equalJson(before, tool);
  });
}
