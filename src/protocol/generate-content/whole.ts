/** A whole GenerateContentResponse: a stream of one chunk. */

import type { JsonObject } from '../../lib/json.ts';
import { answerChecker } from './answer.ts';
import type { Rule } from './rules.ts';

/** Reports what is wrong with a whole answer. @returns whether it is an error body, which has rules of its own. */
export function checkWhole(body: JsonObject, report: (rule: Rule, detail: string) => void): boolean {
  const answer = answerChecker();
  if (answer.add(body, report)) return true;
  answer.end(report);
  return false;
}
