/** Makes a text for a property: from what its schema demands, what its name suggests, and what the prompt says. */

import type { Json, JsonObject } from '../lib/json.ts';
import { asList, asNumber, asText } from '../lib/json.ts';
import { samplePattern } from './sample-pattern.ts';

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-06-15',
  time: '09:30:00Z',
  'date-time': '2026-06-15T09:30:00Z',
  duration: 'PT1H30M',
  email: 'ada@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '2f1b6a2c-8a1d-4a55-9f55-0d2d5b0c7e11',
};

/** What a property of such a name holds. The first match counts. */
const BY_NAME: readonly (readonly [name: RegExp, text: string])[] = [
  [/e-?mail/i, 'ada@example.com'],
  [/url|uri|link|href/i, 'https://example.com/'],
  [/country/i, 'France'],
  [/currency/i, 'EUR'],
  [/lang|locale/i, 'en'],
  [/time_?zone/i, 'Europe/Paris'],
  [/date|day/i, '2026-06-15'],
  [/time/i, '09:30'],
  [/first_?name/i, 'Ada'],
  [/last_?name|surname/i, 'Lovelace'],
  [/phone/i, '+1 555 0100'],
  [/colou?r/i, 'blue'],
  [/path|file/i, 'notes.txt'],
  [/^id$|_id$/i, 'abc-123'],
  [/name|author|person|user/i, 'Ada Lovelace'],
];

const PLACE = /city|location|place|town|address|region|destination|origin/i;
const WHAT_IS_ASKED =
  /query|question|prompt|text|message|input|search|expression|request|topic|subject|content/i;

/**
 * @param schema the property's schema
 * @param name the property's name
 * @param said the prompt
 * @returns a text for the property
 */
export function sampleText(schema: JsonObject, name: string, said: string): string {
  const pattern = asText(schema['pattern']);
  const format = asText(schema['format']);
  const text =
    (format !== undefined && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined) ??
    (pattern === undefined ? undefined : samplePattern(pattern)) ??
    asText(schema['default']) ??
    asText(asList(schema['examples'])[0]) ??
    asText(schema['example']) ??
    suggested(name, said);
  return pattern === undefined
    ? fitted(text, parseCount(schema['minLength']), parseCount(schema['maxLength']))
    : text;
}

function suggested(name: string, said: string): string {
  if (PLACE.test(name)) return placeIn(said) ?? 'Paris';
  const quoted = /["“]([^"”\n]{1,200})["”]/.exec(said)?.[1];
  if (quoted !== undefined) return quoted;
  if (WHAT_IS_ASKED.test(name) && said.trim() !== '') return said.trim().slice(0, 200);
  const known = BY_NAME.find(([pattern]) => pattern.test(name))?.[1];
  if (known !== undefined) return known;
  return name === '' ? 'sample' : `sample ${name.replaceAll(/[_-]+/g, ' ')}`;
}

/** A name after "in", "at" and the like: `the weather in São Paulo`. */
function placeIn(said: string): string | undefined {
  return /\b(?:in|at|for|to|from|near|of)\s+(\p{Lu}[\p{L}'’-]*(?:\s+\p{Lu}[\p{L}'’-]*){0,3})/u.exec(
    said,
  )?.[1];
}

/** @returns a count of a schema; Google's subset of JSON Schema writes it as text */
export function parseCount(value: Json | undefined): number | undefined {
  return asNumber(typeof value === 'string' ? Number(value) : value);
}

function fitted(text: string, min = 0, max = Number.POSITIVE_INFINITY): string {
  const long = text.length < min ? text.padEnd(Math.min(min, 10_000), ' sample') : text;
  return long.length > max ? long.slice(0, Math.max(0, max)) : long;
}
