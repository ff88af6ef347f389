/** A whole message (Anthropic API reference, "Messages"). */

import { asList, asText, isObject, type JsonObject } from '../../lib/json.ts';
import { getKind, misfit, show } from '../shape.ts';
import { checkBlock, countCall } from './block.ts';
import { checkError, checkStop, checkUsage } from './end.ts';
import type { Report } from './rules.ts';

const BODY = {
  id: 'a non-empty string',
  model: 'a non-empty string',
  content: 'a list',
  stop_reason: 'a string',
  stop_sequence: 'a string|null',
} as const;

/** Reports what is wrong with a whole answer. @returns whether it is an error body, which has rules of its own. */
export function checkWhole(body: JsonObject, report: Report): boolean {
  if (body['type'] === 'error') {
    checkError(body, report);
    return true;
  }
  const { type, role, content, usage } = body;
  const wrong = misfit(body, BODY);
  if (wrong !== undefined) report('body-fields', wrong);
  if (type !== 'message' || role !== 'assistant') report('body-fields', `${show(type)} of ${show(role)}`);
  const ids = new Set<string>();
  const calls = { direct: 0, byCode: 0 };
  for (const block of asList(content)) {
    if (!isObject(block)) {
      report('block-fields', show(block));
      continue;
    }
    checkBlock(block, ids, report);
    if (getKind(block) === 'text' && asText(block['text']) === '') report('block-empty', show(block));
    countCall(block, calls);
  }
  checkStop(body, calls, report);
  checkUsage(usage, report);
  return false;
}
