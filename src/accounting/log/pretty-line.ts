/** Renders lines of the log for people. */

import { styleText } from 'node:util';
import { escapeControls } from '../../lib/escape-controls.ts';
import { asObject, asText, type JsonObject, parseJson } from '../../lib/json.ts';
import { wordSet } from '../../lib/words.ts';

/** JSON for machines, or the same facts for people. */
export type LineStyle = 'json' | 'pretty';

/** Fields that the first part of a line already has, or that nobody reads on a terminal. */
const LEFT_OUT = wordSet(`
  level time msg id format spoken operation streamed outcome status model duration attempts
`);

type Colour = 'green' | 'yellow' | 'red' | 'cyan' | 'gray';

const LEVELS: Readonly<Record<string, Colour>> = { info: 'green', warn: 'yellow', error: 'red' };

/**
 * Returns a function that turns a JSON line of the log into one for people: `[14:03:27.120] INFO: 200 complete …
 * {"key":"team"}`, in local time. It has colours unless NO_COLOR is set (no-color.org). The function takes a JSON
 * object with a line break and returns one line.
 */
export function prettyLine(): (line: string) => string {
  const isPlain = process.env['NO_COLOR'] !== undefined;
  // The caller has already decided whether there is a terminal.
  const colour = (name: Colour, text: string): string =>
    isPlain ? text : styleText(name, text, { validateStream: false });
  return (line) => {
    const said = asObject(parseJson(line)) ?? {};
    const level = asText(said['level']) ?? 'info';
    const rest = Object.entries(said).filter(([name]) => !LEFT_OUT.has(name));
    const facts =
      rest.length === 0 ? '' : ` ${colour('gray', escapeControls(JSON.stringify(Object.fromEntries(rest))))}`;
    const message = colour('cyan', escapeControls(getMessage(said)));
    return `[${clock(asText(said['time']) ?? '')}] ${colour(LEVELS[level] ?? 'green', level.toUpperCase())}: ${message}${facts}\n`;
  };
}

function getMessage(said: JsonObject): string {
  const { msg, status, outcome, format, model, duration, id } = said;
  return msg === 'exchange'
    ? `${status} ${outcome} ${format} ${model ?? '-'} ${duration} ms ${id}`
    : String(msg);
}

/** The local time of day of an instant in ISO 8601: `14:03:27.120`. */
function clock(instant: string): string {
  const time = new Date(instant);
  const digits = (value: number, width: number): string => String(value).padStart(width, '0');
  const [hours, minutes, seconds] = [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) =>
    digits(part, 2),
  );
  return `${hours}:${minutes}:${seconds}.${digits(time.getMilliseconds(), 3)}`;
}
