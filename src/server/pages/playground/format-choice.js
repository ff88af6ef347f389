/** The wire format that the user chooses for the next request. */

import { chatCompletions } from './formats/chat-completions.js';
import { generateContent } from './formats/generate-content.js';
import { messages } from './formats/messages.js';
import { responses } from './formats/responses.js';
import { page } from './page.js';

/** @import { WireFormat } from './dialogue.js' */
/** @import { ModelChoice } from './model-choice.js' */

const FORMATS = [chatCompletions, responses, messages, generateContent];

/** @returns {WireFormat} the chosen format */
export function getFormat() {
  return FORMATS.find(({ name }) => name === page.format.value) ?? chatCompletions;
}

/**
 * Offers the formats that reach the chosen model. The gateway may serve only Google's models in generate-content.
 * @param {ModelChoice} models
 */
export function offerFormats(models) {
  const chosen = page.format.value;
  const model = models.getId();
  const isReached = models.findModel(model)?.generateContent ?? /^google\//i.test(model);
  const offered = FORMATS.filter((format) => isReached || format !== generateContent);
  page.format.replaceChildren(...offered.map(({ name }) => new Option(name)));
  page.format.value = offered.some(({ name }) => name === chosen) ? chosen : chatCompletions.name;
}
