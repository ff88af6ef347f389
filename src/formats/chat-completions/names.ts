/** Names of tools and ids of calls within a service's rules: made to fit deterministically, and mapped back. */

import type { Prompt } from '../../conversation/prompt.ts';
import type { Dialect } from './dialects.ts';

const FITS = /^[A-Za-z0-9_-]{1,64}$/;
const NINE = /^[A-Za-z0-9]{9}$/;
const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A tool's name as the dialect takes it. */
export function nameFor(name: string, dialect: Dialect): string {
  if (dialect.names === 'any' || FITS.test(name)) return name;
  return `${name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 55)}_${digest(name, 8)}`;
}

/** What turns the names in an answer back into the prompt's; undefined where none had to be changed. */
export function namesBack(prompt: Prompt, dialect: Dialect): ReadonlyMap<string, string> | undefined {
  if (dialect.names === 'any') return undefined;
  const back = new Map<string, string>();
  for (const tool of prompt.tools ?? []) {
    if (tool.kind === 'hosted') continue;
    const name = nameFor(tool.name, dialect);
    if (name !== tool.name) back.set(name, tool.name);
  }
  return back.size > 0 ? back : undefined;
}

/** A call's id as the dialect takes it: the same for the call and its result. */
export function callIdFor(id: string, dialect: Dialect): string {
  if (dialect.callIds === 'nine') return NINE.test(id) ? id : digest(id, 9);
  // OpenAI: 'string too long. Expected a string with maximum length 40'.
  if (dialect.callIds === 'forty' && id.length > 40) return `call_${digest(id, 24)}`;
  return id;
}

/** `length` letters and digits that a text always has (FNV-1a, run on to the length). */
function digest(text: string, length: number): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  let made = '';
  let second = hash ^ text.length;
  for (let at = 0; at < length; at++) {
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
    second =
      Math.imul(second + 0x9e3779b9 + text.charCodeAt(at % Math.max(1, text.length)), 0x01000193) >>> 0;
    made += LETTERS.charAt(((hash ^ second) >>> 7) % LETTERS.length);
  }
  return made;
}
