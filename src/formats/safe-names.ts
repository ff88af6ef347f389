/** What every format does with tool names that its vendor would not take. */

import type { Tool } from '../conversation/prompt.ts';

/** The caller's name for each tool name that `safeName` changes; empty for almost every prompt. */
export function changedNames(
  tools: readonly Tool[] | undefined,
  safeName: (name: string) => string,
): ReadonlyMap<string, string> {
  const changed = new Map<string, string>();
  for (const tool of tools ?? []) {
    if (tool.kind === 'hosted') continue;
    const safe = safeName(tool.name);
    if (safe !== tool.name) changed.set(safe, tool.name);
  }
  return changed;
}

/** FNV-1a of the UTF-16 code units, 32 bits. */
export function fingerprint(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
