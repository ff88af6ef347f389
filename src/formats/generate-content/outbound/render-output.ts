/** The form of an answer: `responseMimeType` with a schema, or a sentence in the system instruction. */

import type { OutputFormat } from '../../../conversation/prompt.ts';
import { newestSchema } from '../../../conversation/rules/function-schema.ts';
import { asObject, type JsonObject } from '../../../lib/json.ts';
import type { ModelTraits, Report } from '../../format.ts';
import { findDialect } from '../dialects.ts';
import { isGemini3 } from './model-generation.ts';
import { inSupportedKeywords } from './supported-keywords.ts';
import { toOpenApi } from './to-openapi.ts';

type JsonSchemaOutput = Extract<OutputFormat, { kind: 'json-schema' }>;

interface Output {
  readonly config: JsonObject;
  /** Parts of the system instruction that ask for the form in words. */
  readonly instruction: readonly JsonObject[];
}

/**
 * The form of the answer. Before Gemini 3, a request for a JSON answer with functions is a 400, and some models enforce
 * no schema. Both then ask for the form in words.
 */
export function renderOutput(
  output: OutputFormat | undefined,
  hasTools: boolean,
  target: ModelTraits,
  report: Report,
): Output {
  if (output === undefined || output.kind === 'text') return { config: {}, instruction: [] };
  const clashes = hasTools && !isGemini3(target);
  const isInWords = clashes || (output.kind === 'json-schema' && !target.structuredOutput);
  const config = clashes ? {} : { responseMimeType: 'application/json' };
  if (isInWords) {
    const detail = clashes
      ? 'not available together with tools on this model'
      : 'this model enforces no schema';
    report('output', 'approximated', `${detail}: asked for in words`);
    return { config, instruction: [{ text: describeOutput(output) }] };
  }
  if (output.kind === 'json') return { config, instruction: [] };
  const choice = findChoice(output);
  if (choice !== undefined) return { config: renderChoice(choice), instruction: [] };
  return { config: { ...config, ...renderSchema(output.schema, target, report) }, instruction: [] };
}

/** The schema of the one value that the answer is to be; undefined if it is to be an object or a list. */
function findChoice({ schema, unwrap }: JsonSchemaOutput): JsonObject | undefined {
  return unwrap === undefined ? undefined : asObject(asObject(schema['properties'])?.[unwrap]);
}

function renderChoice(choice: JsonObject): JsonObject {
  return { responseMimeType: 'text/x.enum', responseSchema: toOpenApi(choice, new Set()) };
}

function describeOutput(output: Exclude<OutputFormat, { kind: 'text' }>): string {
  const rule = 'Write the final answer as JSON only: no other text, no code fence.';
  if (output.kind === 'json') return rule;
  const about = output.description === undefined ? '' : ` (${output.description})`;
  return `${rule} It must match this JSON Schema${about}:\n${JSON.stringify(output.schema)}`;
}

function renderSchema(schema: JsonObject, target: ModelTraits, report: Report): JsonObject {
  if (!findDialect(target).openApiSchemas) {
    const responseJsonSchema = inSupportedKeywords(newestSchema(schema), (detail) =>
      report('output', 'approximated', detail),
    );
    return { responseJsonSchema };
  }
  const lost = new Set<string>();
  const responseSchema = toOpenApi(schema, lost);
  if (lost.size > 0) {
    report('output', 'approximated', `schema without ${[...lost].join(', ')}`);
  }
  return { responseSchema };
}
