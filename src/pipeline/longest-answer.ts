/** How long the answer to a request may be, in tokens. */

import { isObject, type Json } from '../lib/json.ts';
import { valueAt } from '../lib/json-scan.ts';
import type { Routed } from './exchange.ts';
import { isNative } from './translate-request.ts';

/** The fields that bound the length of an answer, and those that ask for several answers. */
const BOUNDS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens'];
const COUNTS = ['n', 'candidateCount', 'candidate_count'];

/** The fields of Google's that hold such fields. */
const CONFIGS = ['generationConfig', 'generation_config'];

/**
 * The most output tokens that a request may cost. What it asks for counts, also if the model gives less: natively the
 * vendor decides on that. A request that asks for nothing may get what the model gives at most.
 */
export function longestAnswer(routed: Routed): number {
  const { model } = routed;
  const asked = Math.max(0, ...readNumbers(routed, BOUNDS));
  const one =
    asked === 0 ? model.maxOutputTokens : isNative(routed) ? asked : Math.min(asked, model.maxOutputTokens);
  return one * Math.max(1, ...readNumbers(routed, COUNTS));
}

/** The numbers in these fields of a body. What is not a number is the vendor's to refuse. */
function readNumbers({ body, scan: { fields } }: Routed, names: readonly string[]): readonly number[] {
  const read = (name: string): Json | undefined => {
    const span = fields.get(name);
    return span && valueAt(body, span);
  };
  const configs = CONFIGS.map(read).filter(isObject);
  return names.flatMap((name) => [read(name), ...configs.map((config) => config[name])]).filter(isPositive);
}

function isPositive(value: Json | undefined): value is number {
  return typeof value === 'number' && value > 0;
}
