/**
 * `generationConfig.responseFormat`: the forms of all that the model answers with, which takes the place of
 * `responseMimeType` and its schema ("Deprecated: Use `response_format` instead", types of `@google/genai` 3.3).
 */

import type { OutputFormat } from '../../../conversation/prompt.ts';
import { asObject, asText, isEmpty, type Json, type JsonObject } from '../../../lib/json.ts';
import { repeatedField } from '../wire/protobuf-json.ts';
import { orderProperties } from './from-openapi.ts';
import { sortFields } from './sort-fields.ts';

interface ResponseFormat {
  /** The form of the text. */
  readonly format?: OutputFormat;
  /** The forms of sound, images and video, which mean something to Google alone. */
  readonly others: readonly Json[];
}

const TEXT: ReadonlySet<string> = new Set(['text']);
const TEXT_FIELDS: ReadonlySet<string> = new Set(['mimeType', 'schema']);

/** The forms in a `responseFormat`. The form of a text that the gateway does not know is among the others. */
export function parseResponseFormat(value: Json | undefined): ResponseFormat {
  let format: OutputFormat | undefined;
  const others: Json[] = [];
  for (const each of repeatedField(value)) {
    const { known, extra } = sortFields(asObject(each) ?? {}, TEXT);
    const text = asObject(known['text']);
    const asked = text && parseText(text);
    if (asked === undefined) others.push(each);
    else {
      format = asked;
      if (!isEmpty(extra)) others.push(extra);
    }
  }
  return { ...(format && { format }), others };
}

/** A type stands as itself, or as the name of an enum ("only applicable when mime_type is APPLICATION_JSON"). */
function parseText(text: JsonObject): OutputFormat | undefined {
  const { known, extra } = sortFields(text, TEXT_FIELDS);
  if (!isEmpty(extra)) return undefined;
  const schema = asObject(known['schema']);
  const inJson: OutputFormat = schema
    ? { kind: 'json-schema', schema: orderProperties(schema) }
    : { kind: 'json' };
  switch (asText(known['mimeType'])?.toLowerCase().replace('_', '/')) {
    case 'text/plain':
      return { kind: 'text' };
    case 'application/json':
      return inJson;
    case undefined:
      return schema && inJson;
    default:
      return undefined;
  }
}
