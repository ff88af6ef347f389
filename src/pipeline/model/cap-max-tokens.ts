/** The length that a request asks for, within what another model gives. */

import type { Model } from '../../catalog/model.ts';
import { isObject, type Json } from '../../lib/json.ts';
import { valueAt } from '../../lib/scanned-values.ts';
import { replaced, type Scanned } from '../body/scanned.ts';

const MAX_TOKENS_FIELDS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];
/** The field of Google's that holds such a field, and that field, each in both spellings. */
const CONFIGS = ['generationConfig', 'generation_config'];
const MAX_TOKENS_IN_CONFIG = ['maxOutputTokens', 'max_output_tokens'];

/** Lowers the requested length to what this model gives: the body is for another one, and more would be a 400. */
export function capMaxTokens(sent: Scanned, { maxOutputTokens }: Model): Scanned {
  const tooMany = (value: Json | undefined): boolean => typeof value === 'number' && value > maxOutputTokens;
  let lowered: Scanned = sent;
  for (const key of MAX_TOKENS_FIELDS) {
    const span = lowered.scan.fields.get(key);
    if (span !== undefined && tooMany(valueAt(lowered.body, span)))
      lowered = replaced(lowered, key, `${maxOutputTokens}`);
  }
  for (const key of CONFIGS) {
    const span = lowered.scan.fields.get(key);
    const config = span && valueAt(lowered.body, span);
    if (!isObject(config)) continue;
    const most = MAX_TOKENS_IN_CONFIG.filter((name) => tooMany(config[name]));
    if (most.length === 0) continue;
    const bounded = Object.fromEntries(most.map((name) => [name, maxOutputTokens]));
    lowered = replaced(lowered, key, JSON.stringify({ ...config, ...bounded }));
  }
  const { body, scan, tree, parsing, large } = lowered;
  return { body, scan, tree, parsing, large };
}
