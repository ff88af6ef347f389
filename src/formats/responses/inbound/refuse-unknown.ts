/** Values of a request that OpenAI refuses, and that no other vendor would see. */

import type { Prompt } from '../../../conversation/prompt.ts';
import { asList, type JsonObject } from '../../../lib/json.ts';
import { wordList } from '../../../lib/words.ts';
import { requireOffered, requireWord } from '../../openai/fields.ts';

/** `ResponseIncludable` in OpenAI's SDK. */
const INCLUDABLE = wordList(`
  file_search_call.results web_search_call.results web_search_call.action.sources message.input_image.image_url
  computer_call_output.output.image_url code_interpreter_call.outputs reasoning.encrypted_content
  message.output_text.logprobs
`);

/** @see Inbound.refuseUnknown */
export function refuseUnknown({ include, truncation }: JsonObject, prompt: Prompt): void {
  requireOffered(prompt);
  for (const [at, word] of asList(include).entries()) requireWord(word, `include[${at}]`, INCLUDABLE);
  requireWord(truncation, 'truncation', ['auto', 'disabled']);
}
