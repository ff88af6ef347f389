/** How OpenAI words its errors (recorded, and as quoted in public issues of its SDKs). */

import type { Json } from '../../lib/json.ts';
import { Refused } from '../exchange.ts';
import { type Flaw, type FlawPath, indexedPath, typeName } from '../flaws.ts';
import { findSubject, type RefusalSubject } from '../refusal-subject.ts';

interface Said {
  readonly message: string;
  readonly param?: string | null;
  readonly code?: string | null;
  readonly type?: string;
  readonly subject?: RefusalSubject | undefined;
}

/** @returns an error in OpenAI's form */
export function openaiRefusal(
  status: number,
  { message, param = null, code = null, type = 'invalid_request_error', subject }: Said,
): Refused {
  return new Refused(status, { error: { message, type, param, code } }, subject);
}

/** @returns a 400 in OpenAI's form */
export function badRequest(said: Said): Refused {
  return openaiRefusal(400, said);
}

/** @returns a 400 about a field */
export function badField(message: string, param: string, code: string | null = null): Refused {
  return badRequest({ message, param, code });
}

/** @returns a 400 for a field that the model does not take */
export function unsupported(
  param: string,
  message = `Unsupported parameter: '${param}' is not supported with this model.`,
): Refused {
  const subject: RefusalSubject = { thing: 'setting', path: param.split('.') };
  return badRequest({ message, param, code: 'unsupported_parameter', subject });
}

/** @returns a 400 for a text or a number that is greater than OpenAI accepts */
export function tooGreat(path: FlawPath, got: string | number, limit: number): Refused {
  const of = typeof got === 'string' ? 'string' : 'number';
  return openaiFlaw({ kind: 'size', of, side: 'max', limit, exclusive: false, path, got });
}

/** @returns a 400 for the first flaw of a request, in OpenAI's words */
export function openaiFlaw(flaw: Flaw): Refused {
  const at = indexedPath(flaw.path);
  const subject = findSubject(flaw);
  const refuse = (message: string, code: string): Refused =>
    badRequest({ message, param: at, code, subject });
  switch (flaw.kind) {
    case 'unknown':
      return refuse(`Unknown parameter: '${at}'.`, 'unknown_parameter');
    case 'missing':
      return refuse(`Missing required parameter: '${at}'.`, 'missing_required_parameter');
    case 'type':
      return refuse(
        `Invalid type for '${at}': expected ${expected(flaw.expected)}, but got ${typeName(flaw.got)} instead.`,
        'invalid_type',
      );
    case 'tag':
    case 'value':
      return refuse(
        `Invalid value: '${shown(flaw.got)}'. Supported values are: ${listed(flaw.values)}.`,
        'invalid_value',
      );
    case 'pattern':
      return refuse(
        `Invalid '${at}': string does not match pattern. Expected a string that matches the pattern '${flaw.pattern}'.`,
        'invalid_value',
      );
    case 'size':
      return flaw.of === 'number' ? numberRefusal(flaw, at, refuse) : lengthRefusal(flaw, at, refuse);
  }
}

const DECIMALS = new Set(['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'top_k', 'min_p']);

type SizeFlaw = Extract<Flaw, { kind: 'size' }>;
type Refuse = (message: string, code: string) => Refused;

function numberRefusal({ path, side, limit, exclusive, got }: SizeFlaw, at: string, refuse: Refuse): Refused {
  const kind = DECIMALS.has(String(path.at(-1))) ? 'decimal' : 'integer';
  const [word, sign] = side === 'min' ? ['below minimum', '>'] : ['above maximum', '<'];
  const bound = `${sign}${exclusive ? '' : '='} ${limit}`;
  return refuse(
    `Invalid '${at}': ${kind} ${word} value. Expected a value ${bound}, but got ${shown(got)} instead.`,
    `${kind}_${side === 'min' ? 'below_min' : 'above_max'}_value`,
  );
}

function lengthRefusal({ of, side, limit, got }: SizeFlaw, at: string, refuse: Refuse): Refused {
  const length = typeof got === 'string' || Array.isArray(got) ? got.length : 0;
  const thing = of === 'array' ? 'an array' : 'a string';
  const [bound, words, code] =
    side === 'min' ? ['minimum', 'too short', 'below_min'] : ['maximum', 'too long', 'above_max'];
  const extent = `${bound} length ${limit}`;
  if (length === 0) {
    const empty = `Expected ${thing} with ${extent}, but got an empty ${of} instead.`;
    return refuse(`Invalid '${at}': empty ${of}. ${empty}`, `empty_${of}`);
  }
  return refuse(
    `Invalid '${at}': ${of} ${words}. Expected ${thing} with ${extent}, but got ${thing} with length ${length} instead.`,
    `${of}_${code}_length`,
  );
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a decimal number',
  int: 'an integer',
  boolean: 'a boolean',
  array: 'an array of objects',
  object: 'an object',
  record: 'an object',
};

function expected(types: readonly string[]): string {
  const names = [...new Set(types.map((type) => TYPE_NAMES[type] ?? type))];
  return names.length > 1 ? `one of ${names.join(' or ')}` : (names[0] ?? 'an object');
}

function shown(value: Json | undefined): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 200);
}

/** @returns values as OpenAI lists them in an error: `'a', 'b', and 'c'` */
export function listed(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  const last = quoted.pop() ?? '';
  if (quoted.length === 0) return last;
  return quoted.length === 1 ? `${quoted[0]} and ${last}` : `${quoted.join(', ')}, and ${last}`;
}
