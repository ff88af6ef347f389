import type { FormatName } from '../formats/dialogue.ts';

/** The format in which the vendor of a model is asked, as the gateway does it: the caller's own if the vendor has it. */
export function formatOfVendor(model: string, from: FormatName): FormatName {
  const [vendor] = model.toLowerCase().split('/');
  if (vendor === 'anthropic' || model.startsWith('claude')) return 'messages';
  if (vendor === 'google' || model.startsWith('gemini')) return 'generate-content';
  if (vendor === 'openai' && from === 'responses') return 'responses';
  return vendor === 'openai' && from !== 'chat-completions' ? 'responses' : 'chat-completions';
}
