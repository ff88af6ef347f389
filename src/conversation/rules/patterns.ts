/**
 * Regular expressions of a schema. They are written for ECMAScript and read by other engines, and a service whose
 * engine cannot compile a pattern refuses the whole request ("'…' is not a 'regex'").
 */

/** Escapes that Python knows (`re`, "Regular Expression Syntax"): some letters, and anything that is not a letter. */
const PYTHONS_ESCAPE = /^\\(?:[AbBdDsSwWZafnrtv]|x[\da-fA-F]{2}|u[\da-fA-F]{4}|[^A-Za-z])/;
/** A group's name without Python's P, and a lookbehind of variable width. */
const UNPYTHONIC_GROUP = /^\(\?<(?:[^=!]|[^)]*[*+?{|])/;
/** `[]` and `[^]`: in Python the bracket does not end the class. */
const EMPTY_CLASS = /^\[\^?\]/;

const LOOK_AROUND = /^\(\?<?[=!]/;
const ESCAPED_DIGIT = /^\\\d/;

/** A place where engines differ: an escape, the beginning of a group or class, or a bracket in a class. */
interface Place {
  /** The text from there on, cut after 200 characters. */
  readonly text: string;
  readonly isInClass: boolean;
}

/** Whether a pattern has nothing that Python's `re`, which OpenAI uses, is known to refuse. */
export function isPythonPattern(pattern: string): boolean {
  return everyPlace(pattern, isPythonic);
}

/**
 * Whether a pattern has nothing that the engine of any service is known to refuse. OpenAI has another engine behind
 * Python's, without lookaround ("regex lookaround is not supported"). Rust's `regex` (DeepSeek, Meta) has no escaped
 * digits (Claude Code's Artifact: `^[^\0]*$`), and a bracket in a class begins another class there.
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

/** Whether all places of a pattern pass. They are not collected, since a pattern may be megabytes of brackets. */
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
