/** The fields by which a request bounds the length of its answer. */

import type { Model } from '../../catalog/model.ts';
import type { FormatName } from '../../conversation/prompt.ts';
import { isObject, type Json, mapFields } from '../../lib/json.ts';
import { valueAt } from '../../lib/scanned-values.ts';
import { replaced, type Scanned } from '../body/scanned.ts';
import type { Routed } from '../exchange.ts';

/**
 * The fields by which a format bounds the length of an answer, and asks for several. A field of another format bounds
 * nothing: many services ignore what they do not know.
 */
const FIELDS: Readonly<Record<FormatName, Readonly<Record<'bounds' | 'counts', readonly string[]>>>> = {
  'chat-completions': { bounds: ['max_tokens', 'max_completion_tokens'], counts: ['n'] },
  responses: { bounds: ['max_output_tokens'], counts: [] },
  messages: { bounds: ['max_tokens'], counts: [] },
  'generate-content': {
    bounds: ['maxOutputTokens', 'max_output_tokens'],
    counts: ['candidateCount', 'candidate_count'],
  },
};

/** The fields of Google's that hold such fields. */
const CONFIGS = ['generationConfig', 'generation_config'];

/** What the fields of one kind say: undefined for a value that is no number above 0. */
export function readLengths(
  { body, scan: { fields }, route: { format } }: Routed,
  kind: 'bounds' | 'counts',
): readonly (number | undefined)[] {
  const names = FIELDS[format][kind];
  const read = (name: string): Json | undefined => {
    const span = fields.get(name);
    return span && valueAt(body, span);
  };
  const values =
    format === 'generate-content'
      ? CONFIGS.map(read)
          .filter(isObject)
          .flatMap((config) => names.map((name) => config[name]))
      : names.map(read);
  return values.filter((value) => value !== undefined && value !== null).map(asPositive);
}

/** Lowers the requested length to what this model gives: the body is for another one, and more would be a 400. */
export function capMaxTokens(routed: Routed, { maxOutputTokens }: Model): Scanned {
  const { format } = routed.route;
  const { bounds } = FIELDS[format];
  const cap = (value: Json): Json => ((asPositive(value) ?? 0) > maxOutputTokens ? maxOutputTokens : value);
  const capConfig = (config: Json): Json =>
    isObject(config)
      ? mapFields(config, (value, name) => (bounds.includes(name) ? cap(value) : value))
      : config;
  const [holders, capHolder] = format === 'generate-content' ? [CONFIGS, capConfig] : [bounds, cap];
  let lowered: Scanned = routed;
  for (const key of holders) {
    const span = lowered.scan.fields.get(key);
    const value = span && valueAt(lowered.body, span);
    const capped = value && capHolder(value);
    if (capped !== value) lowered = replaced(lowered, key, JSON.stringify(capped));
  }
  const { body, scan, tree, parsing, large } = lowered;
  return { body, scan, tree, parsing, large };
}

/**
 * A number above 0, which may be written as text: Google (proto3 JSON mapping) and services in Python (Pydantic, "Conversion
 * Table") read that. Undefined for anything else.
 */
function asPositive(value: Json): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && number > 0 ? number : undefined;
}
