/** Lines of a log for people to read. */

import { styleText } from 'node:util';
import { asObject, asText, type JsonObject, parseJson } from '../../lib/json.ts';

/** JSON for machines, or the same for people. */
export type LineStyle = 'json' | 'pretty';

/** What the first part of a line already says, or what nobody reads on a terminal. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'level',
  'time',
  'msg',
  'id',
  'format',
  'spoken',
  'operation',
  'streamed',
  'outcome',
  'status',
  'model',
  'duration',
  'attempts',
]);

type Colour = 'green' | 'yellow' | 'red' | 'cyan' | 'gray';

const LEVELS: Readonly<Record<string, Colour>> = { info: 'green', warn: 'yellow', error: 'red' };

/**
 * Makes a JSON line of the log one for people: `[14:03:27.120] INFO: 200 complete … {"key":"team"}`, in the local time.
 * It has colours unless NO_COLOR is set (no-color.org). It takes a JSON object with a line break, and gives one line.
 */
export function prettyLine(): (line: string) => string {
  const isPlain = process.env['NO_COLOR'] !== undefined;
  // Whether there is a terminal is decided before this is called.
  const colour = (name: Colour, text: string): string =>
    isPlain ? text : styleText(name, text, { validateStream: false });
  return (line) => {
    const said = asObject(parseJson(line)) ?? {};
    const level = asText(said['level']) ?? 'info';
    const rest = Object.entries(said).filter(([name]) => !LEFT_OUT.has(name));
    const facts = rest.length === 0 ? '' : ` ${colour('gray', JSON.stringify(Object.fromEntries(rest)))}`;
    const message = colour('cyan', printable(messageOf(said)));
    return `[${clock(asText(said['time']) ?? '')}] ${colour(LEVELS[level] ?? 'green', level.toUpperCase())}: ${message}${facts}\n`;
  };
}

function messageOf(said: JsonObject): string {
  const { msg, status, outcome, format, model, duration, id } = said;
  return msg === 'exchange'
    ? `${status} ${outcome} ${format} ${model ?? '-'} ${duration} ms ${id}`
    : String(msg);
}

/** A model's name is a caller's text: what would steer the terminal is written as JSON writes it. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** `14:03:27.120`, here, of an instant in ISO 8601. */
function clock(instant: string): string {
  const time = new Date(instant);
  const digits = (value: number, width: number): string => String(value).padStart(width, '0');
  const [hours, minutes, seconds] = [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) =>
    digits(part, 2),
  );
  return `${hours}:${minutes}:${seconds}.${digits(time.getMilliseconds(), 3)}`;
}
