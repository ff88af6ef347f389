/** The chunks of a `:streamGenerateContent` answer. The stream ends with the connection, and has no end marker. */

import { asObject, tryParseJson } from '../../lib/json.ts';
import { show } from '../shape.ts';
import { type ValidateOptions, type Validator, violationLog } from '../validator.ts';
import { answerChecker } from './answer.ts';
import { excused, type Rule } from './rules.ts';

/** A validator of one generate-content stream. */
export function generateContentValidator(options?: ValidateOptions): Validator {
  const log = violationLog(excused, options);
  const answer = answerChecker();
  let index = -1;
  let failed = false;

  const report = (rule: Rule, detail: string): void => log.report(rule, index, detail);

  return {
    failed: () => failed,
    add({ event, data }) {
      index += 1;
      if (event !== undefined) report('event-name', event);
      if (failed) {
        report('after-error', show(data));
        return;
      }
      const chunk = asObject(tryParseJson(data));
      if (chunk) failed = answer.add(chunk, report);
      else report('json', show(data));
    },
    end() {
      index += 1;
      if (!failed) answer.end(report);
      return log.all;
    },
  };
}
