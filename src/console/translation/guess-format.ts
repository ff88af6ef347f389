/** Guesses the format that a request is written in, from the fields that only one of them has. */

import type { FormatName } from '../formats/dialogue.ts';
import { at, isObject, listAt } from '../formats/json.ts';

export function guessFormat(body: unknown): FormatName {
  if (!isObject(body)) return 'chat-completions';
  if ('contents' in body || 'generationConfig' in body) return 'generate-content';
  if ('input' in body || 'instructions' in body || 'max_output_tokens' in body) return 'responses';
  const isAnthropics =
    'system' in body ||
    'stop_sequences' in body ||
    'top_k' in body ||
    'output_config' in body ||
    at(body, 'thinking', 'type') !== undefined ||
    at(body, 'tools', 0, 'input_schema') !== undefined ||
    ('max_tokens' in body &&
      !hasRole(body, 'system') &&
      !hasRole(body, 'tool') &&
      !('stream_options' in body));
  return isAnthropics ? 'messages' : 'chat-completions';
}

function hasRole(body: unknown, role: string): boolean {
  return listAt(body, 'messages').some((message) => at(message, 'role') === role);
}

/** The format in which the vendor of a model is asked, as the gateway does it: the caller's own if the vendor has it. */
export function formatOfVendor(model: string, from: FormatName): FormatName {
  const [vendor] = model.toLowerCase().split('/');
  if (vendor === 'anthropic' || model.startsWith('claude')) return 'messages';
  if (vendor === 'google' || model.startsWith('gemini')) return 'generate-content';
  if (vendor === 'openai' && from === 'responses') return 'responses';
  return vendor === 'openai' && from !== 'chat-completions' ? 'responses' : 'chat-completions';
}
