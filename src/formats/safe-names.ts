/** Tool names that a vendor would not take. */

import type { Tool } from '../conversation/prompt.ts';

/** The caller's names of the tools that `safeName` renames, by their new names. Empty for almost every prompt. */
export function changedNames(
  tools: readonly Tool[] | undefined,
  safeName: (name: string) => string,
): ReadonlyMap<string, string> {
  let changed: Map<string, string> | undefined;
  for (const tool of tools ?? []) {
    if (tool.kind === 'hosted') continue;
    const safe = safeName(tool.name);
    if (safe === tool.name) continue;
    changed ??= new Map();
    changed.set(safe, tool.name);
  }
  return changed ?? NONE;
}

const NONE: ReadonlyMap<string, string> = new Map();

/** A hash of a text: 32-bit FNV-1a of its UTF-16 code units. */
export function fingerprint(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
