/** Values of a request that chat-completions services refuse, and that no other vendor would see. */

import { EFFORTS, type Prompt } from '../../../conversation/prompt.ts';
import type { GatewayError } from '../../../lib/errors.ts';
import { asObject, asText, type JsonObject } from '../../../lib/json.ts';
import { requireOffered, requireWord, tooSmall, wrongValue } from '../../openai/fields.ts';

/** Groq has one more word, for the model's own effort. */
const WORDS = [...EFFORTS, 'default'];

/** @see Inbound.refuseUnknown */
export function refuseUnknown(body: JsonObject, prompt: Prompt): void {
  const { reasoning_effort: effort, response_format: format, thinking } = body;
  for (const field of ['n', 'max_tokens', 'max_completion_tokens']) {
    const { [field]: value } = body;
    if (typeof value === 'number' && value < 1) throw tooSmall(field, 1, value);
  }
  requireOffered(prompt, body['tool_choice'] == null ? 'function_call' : 'tool_choice');
  requireWord(asText(effort)?.toLowerCase(), 'reasoning_effort', WORDS);
  requireWord(asObject(format)?.['type'], 'response_format.type', ['json_schema', 'json_object', 'text']);
  requireWord(asObject(thinking)?.['type'], 'thinking.type', ['enabled', 'disabled', 'adaptive', 'auto']);
}

/** @see Inbound.unknownTool */
export function unknownTool(at: number, type: string): GatewayError {
  return wrongValue(`tools[${at}].type`, type, ['function', 'custom']);
}
