/** Usage in responses: cached tokens are part of the input, and reasoning is part of the output. */

import { asNumber, asObject, type JsonObject } from '../../lib/json.ts';
import { isCount, misfit } from '../shape.ts';
import type { Report } from './rules.ts';

const SHAPE = {
  input_tokens: 'a count',
  output_tokens: 'a count',
  total_tokens: 'a count',
  input_tokens_details: 'an object',
  output_tokens_details: 'an object',
} as const;

/** Reports what is wrong with usage. */
export function checkUsage(usage: JsonObject, report: Report): void {
  const wrong = misfit(usage, SHAPE);
  const cached = asObject(usage['input_tokens_details'])?.['cached_tokens'];
  const reasoning = asObject(usage['output_tokens_details'])?.['reasoning_tokens'];
  if (wrong !== undefined) report('usage-shape', wrong);
  else if (!isCount(cached) || !isCount(reasoning))
    report('usage-shape', 'no `cached_tokens` or `reasoning_tokens`');
  const input = asNumber(usage['input_tokens']) ?? 0;
  const output = asNumber(usage['output_tokens']) ?? 0;
  const total = asNumber(usage['total_tokens']) ?? 0;
  if (total !== input + output) report('usage-sum', `total ${total} is not ${input} + ${output}`);
  if (isCount(cached) && cached > input) report('usage-sum', `${cached} cached of ${input} input tokens`);
  if (isCount(reasoning) && reasoning > output)
    report('usage-sum', `${reasoning} reasoning of ${output} output tokens`);
}
