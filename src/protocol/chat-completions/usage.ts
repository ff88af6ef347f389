/** Usage in chat-completions: cached tokens are part of the prompt, and reasoning is part of the completion. */

import { asNumber, asObject, type JsonObject } from '../../lib/json.ts';
import { misfit } from '../shape.ts';
import type { Report } from './rules.ts';

const SHAPE = { prompt_tokens: 'a count', completion_tokens: 'a count', total_tokens: 'a count' } as const;

/** Reports what is wrong with a usage object. */
export function checkUsage(usage: JsonObject, report: Report): void {
  const wrong = misfit(usage, SHAPE);
  if (wrong !== undefined) {
    report('usage-shape', wrong);
    return;
  }
  const prompt = asNumber(usage['prompt_tokens']) ?? 0;
  const completion = asNumber(usage['completion_tokens']) ?? 0;
  const total = asNumber(usage['total_tokens']) ?? 0;
  const cached = asNumber(asObject(usage['prompt_tokens_details'])?.['cached_tokens']) ?? 0;
  const reasoning = asNumber(asObject(usage['completion_tokens_details'])?.['reasoning_tokens']) ?? 0;
  if (total !== prompt + completion) report('usage-sum', `total ${total} is not ${prompt} + ${completion}`);
  if (cached > prompt) report('usage-sum', `${cached} cached of ${prompt} prompt tokens`);
  if (reasoning > completion)
    report('usage-sum', `${reasoning} reasoning of ${completion} completion tokens`);
}
