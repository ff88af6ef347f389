/**
 * Regular expressions of a schema as OpenAI reads them: it compiles each with Python's `re`, and one that is written
 * in ECMAScript's way (`\p{L}`) refuses the whole request ("'…' is not a 'regex'").
 */

/** Escapes of letters that Python knows (`re`, "Regular Expression Syntax"); those of signs and digits are no matter. */
const ESCAPE = /^\\(?:[AbBdDsSwWZafnrtv]|x[\da-fA-F]{2}|u[\da-fA-F]{4}|[^A-Za-z])/;
/** A group's name without Python's P, and a look behind whose width may vary. */
const GROUP = /^\(\?<(?:[^=!]|[^)]*[*+?{|])/;
/** Everything and nothing, in which Python still waits for the class's end. */
const EMPTY_CLASS = /^\[\^?\]/;

/** Whether Python's `re` can be expected to compile a pattern: what it surely cannot is found. */
export function isPythonPattern(pattern: string): boolean {
  let isInClass = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    if (char === '\\') {
      if (!ESCAPE.test(pattern.slice(at, at + 6))) return false;
      at += 1;
    } else if (isInClass) isInClass = char !== ']';
    else if (char === '[') {
      if (EMPTY_CLASS.test(pattern.slice(at, at + 3))) return false;
      isInClass = true;
    } else if (char === '(' && GROUP.test(pattern.slice(at, at + 200))) return false;
  }
  return true;
}
