/** `toolConfig`: how to choose among the tools. https://ai.google.dev/gemini-api/docs/function-calling */

import type { ToolChoice } from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import { asObject, isEmpty, isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { repeatedField } from '../wire/protobuf-json.ts';
import { sortFields } from './sort-fields.ts';

/** How to choose among the tools. */
export interface Choosing {
  readonly choice?: ToolChoice;
  /** Whether the mode is VALIDATED: the model may call or answer, and keeps to the schemas. */
  readonly validated: boolean;
  /** Fields of `toolConfig` that mean something to Google alone. */
  readonly own: JsonObject;
}

/** The words of `functionCallingConfig.mode`; the default is AUTO (REST reference, FunctionCallingConfig.Mode). */
const MODES: ReadonlyMap<string, ToolChoice['mode']> = new Map([
  ['MODE_UNSPECIFIED', 'auto'],
  ['AUTO', 'auto'],
  ['VALIDATED', 'auto'],
  ['ANY', 'required'],
  ['NONE', 'none'],
]);

const CONFIG_FIELDS: ReadonlySet<string> = new Set(['functionCallingConfig']);
const CALLING_FIELDS: ReadonlySet<string> = new Set(['mode', 'allowedFunctionNames']);

/** The `toolConfig` of a request, with its enums as words. @throws GatewayError `invalid-request` for an unknown mode. */
export function parseToolConfig(value: Json | undefined): Choosing {
  if (!isObject(value)) return { validated: false, own: {} };
  const { known, own, extra } = sortFields(value, CONFIG_FIELDS);
  const calling = sortFields(asObject(known['functionCallingConfig']) ?? {}, CALLING_FIELDS);
  const rest = {
    ...own,
    ...extra,
    ...(!isEmpty(calling.extra) && { functionCallingConfig: calling.extra }),
  };
  const word = String(calling.known['mode'] ?? 'MODE_UNSPECIFIED').toUpperCase();
  const mode = MODES.get(word);
  if (mode === undefined) {
    throw invalid(
      `Invalid value at 'tool_config.function_calling_config.mode': "${word.slice(0, 40)}"`,
      'toolConfig.functionCallingConfig.mode',
    );
  }
  const allowed = repeatedField(calling.known['allowedFunctionNames']).filter(
    (name) => typeof name === 'string',
  );
  const isNarrowed = mode !== 'none' && allowed.length > 0;
  const isSaid = word !== 'MODE_UNSPECIFIED' || isNarrowed;
  return {
    validated: word === 'VALIDATED',
    own: rest,
    ...(isSaid && { choice: { mode, ...(isNarrowed && { allowed }) } }),
  };
}
