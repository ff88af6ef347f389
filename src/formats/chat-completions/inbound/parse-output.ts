/** The form of the answer: `response_format`, and for images `modalities` and OpenRouter's `image_config`. */

import type { ImageOptions, OutputFormat } from '../../../conversation/prompt.ts';
import {
  asList,
  asObject,
  asText,
  compact,
  isEmpty,
  isObject,
  type Json,
  type JsonObject,
  withoutNulls,
} from '../../../lib/json.ts';
import { flagAt, missing, objectAt, textAt } from '../../openai/fields.ts';

interface ParsedOutput {
  /** Absent for a form that the gateway does not know. */
  readonly output?: OutputFormat;
  /** `response_format`, as far as only its own service understands it. */
  readonly formatSpecific: JsonObject;
}

/** @throws GatewayError `invalid-request` for `json_schema` without a schema, and for fields of the wrong type. */
export function parseOutput(value: Json | undefined): ParsedOutput {
  const format = objectAt(value, 'response_format');
  if (format === undefined) return { formatSpecific: {} };
  const { type } = format;
  // Together, Fireworks and llama.cpp take the schema beside either type.
  const schema = asObject(format['schema']);
  if (type === 'text') return { output: { kind: 'text' }, formatSpecific: {} };
  if (type === 'json_object') {
    return { output: schema ? { kind: 'json-schema', schema } : { kind: 'json' }, formatSpecific: {} };
  }
  if (type !== 'json_schema') return { formatSpecific: { response_format: format } };
  // Responses has all of them beside the type.
  const { type: _, ...flat } = format;
  const fields = format['json_schema'] ?? (schema && flat);
  if (!isObject(fields)) throw missing('response_format.json_schema');
  return parseSchema(fields);
}

function parseSchema(fields: JsonObject): ParsedOutput {
  const { name, description, schema, strict, ...rest } = fields;
  const output = compact({
    kind: 'json-schema',
    name: textAt(name, 'response_format.json_schema.name'),
    description: textAt(description, 'response_format.json_schema.description'),
    schema: objectAt(schema, 'response_format.json_schema.schema') ?? {},
    strict: flagAt(strict, 'response_format.json_schema.strict'),
  });
  const remaining = withoutNulls(rest);
  return {
    output,
    formatSpecific: isEmpty(remaining) ? {} : { response_format: { json_schema: remaining } },
  };
}

/** The images that a request asks for; undefined if it asks for none. */
export function parseImageOptions({ modalities, image_config }: JsonObject): ImageOptions | undefined {
  const kinds = asList(modalities);
  const config = asObject(image_config) ?? {};
  const options = compact({
    place: kinds.includes('image') ? (kinds.includes('text') ? 'besides-text' : 'alone') : undefined,
    aspectRatio: asText(config['aspect_ratio']),
    size: asText(config['image_size']),
  });
  return isEmpty(options) ? undefined : options;
}
