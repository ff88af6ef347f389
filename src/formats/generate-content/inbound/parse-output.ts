/** The form of the answer: `responseMimeType` with a schema, or `responseFormat` (REST reference, GenerationConfig). */

import type { OutputFormat } from '../../../conversation/prompt.ts';
import { fitsStrict } from '../../../conversation/rules/strict-schema.ts';
import { invalid } from '../../../lib/errors.ts';
import { asList, asObject, asText, type JsonObject } from '../../../lib/json.ts';
import type { ParseReport } from '../../format.ts';
import { fromOpenApi, orderProperties } from './from-openapi.ts';
import { parseResponseFormat } from './parse-response-format.ts';

/** The member around a choice: other vendors take only objects as a structured answer. */
const CHOICE = 'choice';

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
