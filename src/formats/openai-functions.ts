/** A function tool in the words of another format as OpenAI's two formats can say it, with what that leaves out. */

import { wholeParameters } from '../conversation/function-schema.ts';
import type { FunctionTool } from '../conversation/prompt.ts';
import { fitsStrict } from '../conversation/strict-schema.ts';
import type { JsonObject } from '../json.ts';
import type { Report } from './format.ts';

/** The schema of its parameters with nothing missing, and no pattern that cannot be read. */
export function parametersOf({ name, parameters }: FunctionTool, report: Report): JsonObject | undefined {
  const field = `tool ${name}.parameters`;
  return (
    parameters &&
    wholeParameters(parameters, (pattern) =>
      report({ field, outcome: 'approximated', detail: `without the pattern ${pattern}` }),
    )
  );
}

/** Whether a tool that asks to be enforced can be: where it cannot, that is reported. */
export function canEnforce({ name, parameters }: FunctionTool, report: Report): boolean {
  if (fitsStrict(parameters)) return true;
  const detail = 'OpenAI enforces closed objects only, all of whose properties are required';
  report({ field: `tool ${name}.strict`, outcome: 'dropped', detail });
  return false;
}
