/** Usage in generate-content: the candidates' tokens do not include thoughts, and a count of 0 is left out. */

import { isObject, type Json } from '../../lib/json.ts';
import { isCount, misfit, show } from '../shape.ts';
import type { Report } from './rules.ts';

const SHAPE = {
  promptTokenCount: 'a count?',
  candidatesTokenCount: 'a count?',
  thoughtsTokenCount: 'a count?',
  toolUsePromptTokenCount: 'a count?',
  cachedContentTokenCount: 'a count?',
  totalTokenCount: 'a count?',
} as const;

/** Reports what is wrong with usage. @returns whether it has a total, which Vertex AI's first chunks may lack. */
export function checkUsage(usage: Json, report: Report): boolean {
  const wrong = isObject(usage) ? misfit(usage, SHAPE) : show(usage);
  if (wrong !== undefined) report('usage-shape', wrong);
  if (wrong !== undefined || !isObject(usage) || !isCount(usage['totalTokenCount'])) return false;
  const count = (field: keyof typeof SHAPE): number => {
    const value = usage[field];
    return isCount(value) ? value : 0;
  };
  const prompt = count('promptTokenCount');
  const candidates = count('candidatesTokenCount');
  const thoughts = count('thoughtsTokenCount');
  const tools = count('toolUsePromptTokenCount');
  const cached = count('cachedContentTokenCount');
  const total = count('totalTokenCount');
  if (total !== prompt + candidates + thoughts + tools) {
    report('usage-sum', `total ${total} is not ${prompt} + ${candidates} + ${thoughts} + ${tools}`);
  }
  if (cached > prompt) report('usage-sum', `${cached} cached of ${prompt} prompt tokens`);
  return true;
}
