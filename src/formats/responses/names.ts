/**
 * Tool names and call ids as OpenAI takes them: names of letters, digits, `_` and `-`, at most 64 (API reference,
 * function tool `name`), and `call_id` of at most 64 characters.
 */

import type { Tool } from '../../conversation/prompt.ts';

const FITS = /^[A-Za-z0-9_-]{1,64}$/;
const LONGEST_ID = 64;

/** `name` where it fits; else one that does, always the same, and another for every other name. */
export function safeName(name: string): string {
  if (FITS.test(name)) return name;
  return `${name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 55)}_${fingerprint(name)}`;
}

/** `id` where it is short enough; else a short one, always the same. */
export function safeCallId(id: string): string {
  return id.length <= LONGEST_ID ? id : `${id.slice(0, LONGEST_ID - 9)}_${fingerprint(id)}`;
}

/** The caller's name for each name that had to be changed; empty for almost every prompt. */
export function changedNames(tools: readonly Tool[] = []): ReadonlyMap<string, string> {
  const changed = new Map<string, string>();
  for (const tool of tools) {
    if (tool.kind !== 'hosted' && !FITS.test(tool.name)) changed.set(safeName(tool.name), tool.name);
  }
  return changed;
}

/** FNV-1a of the UTF-16 code units: 8 hexadecimal digits. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
