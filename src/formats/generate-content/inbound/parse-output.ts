/** The form of the answer: `responseMimeType` with a schema, or `responseFormat` (REST reference, GenerationConfig). */

import type { OutputFormat } from '../../../conversation/prompt.ts';
import { fitsStrict } from '../../../conversation/rules/strict-schema.ts';
import { invalid } from '../../../lib/errors.ts';
import { asList, asObject, asText, isEmpty, type Json, type JsonObject } from '../../../lib/json.ts';
import type { ParseReport } from '../../format.ts';
import { repeatedField } from '../wire/protobuf-json.ts';
import { fromOpenApi, orderProperties } from './from-openapi.ts';
import { sortFields } from './sort-fields.ts';

/** The member around a choice: other vendors take only objects as a structured answer. */
const CHOICE = 'choice';

const TEXT: ReadonlySet<string> = new Set(['text']);
const TEXT_FIELDS: ReadonlySet<string> = new Set(['mimeType', 'schema']);

interface Output {
  readonly format?: OutputFormat;
  /** Fields of `generationConfig` that ask for a form which only Google has. */
  readonly own?: JsonObject;
}

/**
 * The form of the answer.
 * @param known the fields of a `generationConfig`.
 * @throws GatewayError `invalid-request` for a choice without an enum to choose from.
 */
export function parseOutput(known: JsonObject, report: ParseReport): Output {
  const { responseFormat, ...older } = known;
  if (responseFormat === undefined) return parseMimeType(older, report);
  const { format, others } = parseResponseFormat(responseFormat);
  const output: Output = format === undefined ? parseMimeType(older, report) : { format };
  return others.length > 0 ? { ...output, own: { ...output.own, responseFormat: others } } : output;
}

/**
 * The form of the text in a `responseFormat`, which takes the place of `responseMimeType` and its schema ("Deprecated: Use
 * `response_format` instead", types of `@google/genai` 3.3). The others are those of sound, images and video, which mean
 * something to Google alone, and a form of the text that the gateway does not know.
 */
function parseResponseFormat(value: Json | undefined): { format?: OutputFormat; others: Json[] } {
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

function parseMimeType(known: JsonObject, report: ParseReport): Output {
  const mimeType = asText(known['responseMimeType']);
  const schema = findSchema(known);
  switch (mimeType) {
    case 'application/json':
      return { format: schema ? { kind: 'json-schema', schema } : { kind: 'json' } };
    case 'text/x.enum':
      report(
        'generationConfig.responseMimeType',
        'approximated',
        'asked for as an object with one member, whose value the gateway returns',
      );
      return { format: choiceAmong(schema) };
    case 'text/plain':
    case undefined:
      if (schema === undefined) return mimeType === undefined ? {} : { format: { kind: 'text' } };
  }
  report('generationConfig.responseMimeType', 'dropped', 'only Google answers in this type');
  return {
    own: Object.fromEntries(
      Object.entries(known).filter(([name]) => /^_?response/.test(name) && name !== 'responseLogprobs'),
    ),
  };
}

function findSchema(known: JsonObject): JsonObject | undefined {
  for (const name of ['responseJsonSchema', '_responseJsonSchema', 'responseJsonSchemaOrdered']) {
    const schema = asObject(known[name]);
    if (schema !== undefined) return orderProperties(schema);
  }
  const subset = asObject(known['responseSchema']);
  return subset && fromOpenApi(subset);
}

/** One word out of a list. The model writes an object around it, and the gateway takes that off again. */
function choiceAmong(schema: JsonObject | undefined): OutputFormat {
  if (schema === undefined || asList(schema['enum']).length === 0) {
    const param = 'generationConfig.responseSchema';
    throw invalid(`${param}: text/x.enum requires a schema with an enum.`, param);
  }
  const around: JsonObject = {
    type: 'object',
    properties: { [CHOICE]: schema },
    required: [CHOICE],
    additionalProperties: false,
  };
  return { kind: 'json-schema', schema: around, unwrap: CHOICE, ...(fitsStrict(around) && { strict: true }) };
}
