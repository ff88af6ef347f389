/** The form of the answer: `response_format`, or an instruction in words for services that lack it. */

import { findFormatFields } from '../../../conversation/format-specific.ts';
import type { OutputFormat, Prompt } from '../../../conversation/prompt.ts';
import { findStrictness } from '../../../conversation/rules/strict-schema.ts';
import { asObject, type JsonObject } from '../../../lib/json.ts';
import { renderOutputSchema } from '../../openai/functions.ts';
import { mentionsJson } from '../../openai/json-word.ts';
import { adaptSchema } from './adapt-schema.ts';
import type { RenderContext } from './render-context.ts';

export interface OutputPlan {
  readonly fields: JsonObject;
  /** An instruction for the model, in addition to the caller's own. */
  readonly instruction?: string;
}

const JSON_ONLY = 'Write the answer as JSON only: no other text, no code fence.';

/**
 * How to ask the service for the prompt's form of answer.
 * @throws GatewayError `invalid-request` for a schema that is too large for the service's rules.
 */
export function planOutput(prompt: Prompt, context: RenderContext): OutputPlan {
  const { dialect, target, report } = context;
  const { output } = prompt;
  if (output === undefined) return { fields: {} };
  const isRefused = target.avoids?.has('output-format') === true;
  if (output.kind === 'text') return { fields: isRefused ? {} : { response_format: { type: 'text' } } };
  const fields = isRefused ? {} : { response_format: { type: 'json_object' } };
  if (output.kind === 'json') {
    return (dialect.needsJsonWord || isRefused) && !mentionsJson(prompt.turns)
      ? { fields, instruction: JSON_ONLY }
      : { fields };
  }
  if (target.structuredOutput) return { fields: { response_format: schemaFormat(output, prompt, context) } };
  report('output', 'approximated', 'the schema is described in words and not enforced');
  const purpose = output.description === undefined ? '' : ` (${output.description})`;
  const instruction = `It must match this JSON Schema${purpose}:\n${JSON.stringify(output.schema)}`;
  return { fields, instruction: `${JSON_ONLY} ${instruction}` };
}

function schemaFormat(
  output: OutputFormat & { kind: 'json-schema' },
  prompt: Prompt,
  context: RenderContext,
): JsonObject {
  const { name, description } = output;
  const { exact, report } = context;
  const strict = findStrictness(output, prompt.formatSpecific?.format);
  const schema = exact
    ? output.schema
    : adaptSchema(renderOutputSchema(output.schema, strict === true, report), 'output', context);
  const title = name ?? (prompt.formatSpecific?.format === 'chat-completions' ? undefined : 'answer');
  return {
    type: 'json_schema',
    json_schema: {
      ...asObject(
        asObject(findFormatFields(prompt.formatSpecific, 'chat-completions')['response_format'])?.[
          'json_schema'
        ],
      ),
      ...(title !== undefined && { name: title }),
      ...(description !== undefined && { description }),
      schema,
      ...(strict !== undefined && { strict }),
    },
  };
}
