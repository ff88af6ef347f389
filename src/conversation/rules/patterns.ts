/**
 * Regular expressions of a schema, which are written in ECMAScript's way and read by other engines: one that cannot
 * compile a pattern refuses the whole request ("'…' is not a 'regex'").
 */

/** Escapes of letters that Python knows (`re`, "Regular Expression Syntax"); those of signs and digits are no matter. */
const PYTHONS_ESCAPE = /^\\(?:[AbBdDsSwWZafnrtv]|x[\da-fA-F]{2}|u[\da-fA-F]{4}|[^A-Za-z])/;
/** A group's name without Python's P, and a look behind whose width may vary. */
const UNPYTHONIC_GROUP = /^\(\?<(?:[^=!]|[^)]*[*+?{|])/;
/** Everything and nothing, in which Python still waits for the class's end. */
const EMPTY_CLASS = /^\[\^?\]/;

const LOOK_AROUND = /^\(\?<?[=!]/;
const ESCAPED_DIGIT = /^\\\d/;

/** A place at which engines differ: an escape, the beginning of a group or a class, or a bracket in a class. */
interface Place {
  /** What stands there, and something of what follows. */
  readonly text: string;
  readonly isInClass: boolean;
}

/** Whether Python's `re`, by which OpenAI reads them, can be expected to compile a pattern: what it surely cannot is found. */
export function isPythonPattern(pattern: string): boolean {
  return everyPlace(pattern, isPythonic);
}

/**
 * Whether the engines of all services can: also OpenAI's own behind Python's, which looks neither ahead nor behind
 * ("regex lookaround is not supported"), and Rust's `regex` (DeepSeek, Meta), to which a digit behind a backslash is
 * nothing (Claude Code's Artifact: `^[^\0]*$`), and a bracket in a class begins another class.
 */
export function isPlainPattern(pattern: string): boolean {
  return everyPlace(pattern, (place) => isPythonic(place) && isPlain(place));
}

function isPythonic({ text, isInClass }: Place): boolean {
  if (text.startsWith('\\')) return PYTHONS_ESCAPE.test(text);
  return isInClass || !(text.startsWith('[') ? EMPTY_CLASS : UNPYTHONIC_GROUP).test(text);
}

function isPlain({ text, isInClass }: Place): boolean {
  if (text.startsWith('\\')) return !ESCAPED_DIGIT.test(text);
  return isInClass ? !text.startsWith('[') : !LOOK_AROUND.test(text);
}

/** Place by place, and none is kept: a pattern may be megabytes of brackets. */
function everyPlace(pattern: string, holds: (place: Place) => boolean): boolean {
  let isInClass = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const sign = pattern[at];
    const isPlace = sign === '\\' || sign === '[' || sign === '(';
    if (isPlace && !holds({ text: pattern.slice(at, at + 200), isInClass })) return false;
    if (sign === '\\') at += 1;
    else if (isInClass) isInClass = sign !== ']';
    else isInClass = sign === '[';
  }
  return true;
}
