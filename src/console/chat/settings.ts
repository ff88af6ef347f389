/** What the user has set, as a request has it. */

import type { Settings, Tool } from '../formats/dialogue.ts';
import { EXAMPLE_TOOLS } from '../formats/example-tools.ts';
import { at, isObject, parseJson, textAt } from '../formats/json.ts';
import { listEfforts } from '../formats/thinking.ts';
import { getTraits, type Model } from '../models/model.ts';
import type { Choices } from './conversation.ts';

/** The settings of a first conversation; a later one begins with those of the one before. */
export const FIRST_CHOICES: Choices = {
  maxTokens: 4096,
  temperature: null,
  effort: '',
  system: '',
  hasTools: false,
  tools: JSON.stringify(EXAMPLE_TOOLS, null, 2),
  hasSchema: false,
  schema: JSON.stringify(
    {
      type: 'object',
      properties: { answer: { type: 'string' }, confidence: { type: 'number' } },
      required: ['answer', 'confidence'],
      additionalProperties: false,
    },
    null,
    2,
  ),
};

/** The settings, limited to what the model accepts. */
export function chooseSettings(choices: Choices, model: string, models: readonly Model[]): Settings {
  const { thinking, sampling, maxOutputTokens: mostTokens } = getTraits(models, model);
  const schema = choices.hasSchema ? parseJson(choices.schema) : undefined;
  return {
    model,
    ...(thinking && { thinking }),
    maxTokens: Math.min(choices.maxTokens || FIRST_CHOICES.maxTokens, mostTokens),
    mostTokens,
    ...(sampling && choices.temperature !== null && { temperature: choices.temperature }),
    effort: listEfforts(thinking).includes(choices.effort) ? choices.effort : '',
    system: choices.system.trim(),
    tools: choices.hasTools ? (readTools(choices.tools) ?? []) : [],
    ...(isObject(schema) && { schema }),
  };
}

/** The tools in a JSON text; undefined if it is not a list of tools. */
export function readTools(text: string): readonly Tool[] | undefined {
  const value = parseJson(text);
  if (!Array.isArray(value)) return undefined;
  const tools = value.flatMap((each): readonly Tool[] => {
    const parameters = at(each, 'parameters') ?? { type: 'object', properties: {} };
    const name = textAt(each, 'name');
    return name && isObject(parameters)
      ? [{ name, description: textAt(each, 'description'), parameters }]
      : [];
  });
  return tools.length === value.length ? tools : undefined;
}
