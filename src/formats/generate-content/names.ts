/**
 * Function names as Gemini takes them: letters, digits, `_`, `.`, `:` and `-`, a letter or `_` first, at most 128
 * (REST reference, FunctionDeclaration.name). OpenAI's may begin with a digit or `-`, and others are freer still.
 */

import type { Tool } from '../../conversation/prompt.ts';

const FITS = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/;

/** `name` where it fits; else one that does, always the same, and another for every other name. */
export function safeName(name: string): string {
  if (FITS.test(name)) return name;
  const plain = name.replaceAll(/[^A-Za-z0-9_.:-]/g, '_').slice(0, 110);
  return `${/^[A-Za-z_]/.test(plain) ? '' : '_'}${plain}_${fingerprint(name)}`;
}

/** The caller's name for each name we had to change; empty for almost every prompt. */
export function changedNames(tools: readonly Tool[] = []): ReadonlyMap<string, string> {
  const changed = new Map<string, string>();
  for (const tool of tools) {
    if (tool.kind !== 'hosted' && safeName(tool.name) !== tool.name)
      changed.set(safeName(tool.name), tool.name);
  }
  return changed;
}

/** FNV-1a of the UTF-16 code units, in letters and digits. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}
