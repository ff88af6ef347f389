/** How long the answer to a request may be, in tokens. */

import type { FormatName } from '../../conversation/prompt.ts';
import { isObject, type Json } from '../../lib/json.ts';
import { valueAt } from '../../lib/scanned-values.ts';
import type { Routed } from '../exchange.ts';
import { isNative } from './request-kind.ts';

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

/**
 * The most output tokens that a request may cost. What it asks for counts, also if the model gives less: natively the
 * vendor decides on that. A request that asks for nothing may get what the model gives at most.
 */
export function longestAnswer(routed: Routed): number {
  const { model, route } = routed;
  const { bounds, counts } = FIELDS[route.format];
  // Some services take a bound that is not positive for none (llama.cpp's -1).
  const asked = Math.max(
    0,
    ...readValues(routed, bounds).map((value) => asPositive(value) ?? model.maxOutputTokens),
  );
  const one =
    asked === 0 ? model.maxOutputTokens : isNative(routed) ? asked : Math.min(asked, model.maxOutputTokens);
  return one * Math.max(1, ...readValues(routed, counts).map((value) => asPositive(value) ?? 1));
}

/** What these fields of a body hold. */
function readValues({ body, scan: { fields }, route }: Routed, names: readonly string[]): readonly Json[] {
  const read = (name: string): Json | undefined => {
    const span = fields.get(name);
    return span && valueAt(body, span);
  };
  const values =
    route.format === 'generate-content'
      ? CONFIGS.map(read)
          .filter(isObject)
          .flatMap((config) => names.map((name) => config[name]))
      : names.map(read);
  return values.flatMap((value) => value ?? []);
}

/**
 * A number above 0, which may be written as text: Google (proto3 JSON mapping) and services in Python (Pydantic, "Conversion
 * Table") read that. Undefined for anything else.
 */
function asPositive(value: Json): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && number > 0 ? number : undefined;
}
