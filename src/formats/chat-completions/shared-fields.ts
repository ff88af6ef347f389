/** Fields that OpenAI has in both of its formats, under one name or another. */

import type { Own } from '../../conversation/prompt.ts';
import { asObject, isEmpty, type JsonObject, splitFields } from '../../json.ts';
import { SHARED_FIELDS } from '../openai-fields.ts';

/**
 * The fields of another format that this one has as well, and what is left of the others.
 * @param takes whether the service is one that takes them.
 */
export function sharedFields(own: Own | undefined, takes: boolean): { shared: JsonObject; left?: Own } {
  if (own?.format !== 'responses' || !takes) return { shared: {}, ...(own && { left: own }) };
  const [shared, { text: given, ...left }] = splitFields(own.fields, SHARED_FIELDS);
  const { verbosity, ...text } = asObject(given) ?? {};
  return {
    shared: { ...shared, ...(verbosity !== undefined && { verbosity }) },
    left: { format: own.format, fields: { ...left, ...(!isEmpty(text) && { text }) } },
  };
}
