/**
 * How a JSON answer is obtained. The vendor enforces the schema if it can. Otherwise the answer is the input of a tool that
 * the model must call, and that the caller never sees. If the model cannot be made to call one, it is asked for JSON.
 */

import type { FunctionTool, OutputFormat, Prompt, Tool } from '../../../conversation/prompt.ts';
import { findCalls, type KnownCall } from '../../../conversation/prompt-outline.ts';
import { newestSchema } from '../../../conversation/rules/function-schema.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ModelTraits, Report } from '../../format.ts';
import { fitsGrammar } from './grammar-limits.ts';
import { speaksMessages } from './native-caller.ts';
import { closeSchema, isObjectSchema } from './schema.ts';

/** How the answer of a request is obtained. */
export type OutputPlan =
  | { readonly kind: 'free' }
  | { readonly kind: 'enforced'; readonly schema: JsonObject }
  /** `alone`: the model may call no other tool. */
  | { readonly kind: 'tool'; readonly tool: FunctionTool; readonly alone: boolean }
  | { readonly kind: 'instruction'; readonly text: string };

/**
 * Chooses how the answer is obtained.
 * @param canForce whether the model can be made to call a tool.
 */
export function planOutput(
  prompt: Prompt,
  target: ModelTraits,
  canForce: boolean,
  report: Report,
): OutputPlan {
  const { output } = prompt;
  if (output === undefined || output.kind === 'text') return { kind: 'free' };
  if (output.kind === 'json') {
    report('output', 'approximated', 'JSON is asked for in the system prompt');
    return {
      kind: 'instruction',
      text: 'Answer with one JSON object and nothing else: no other text, no code fence.',
    };
  }
  // The vendor receives unchanged what a caller of this format wrote.
  if (speaksMessages(prompt)) return { kind: 'enforced', schema: output.schema };
  const schema = target.structuredOutput ? closeSchema(newestSchema(output.schema)) : undefined;
  if (schema !== undefined && fitsGrammar([], schema)) {
    reportChanges(output, schema, report);
    return { kind: 'enforced', schema };
  }
  if (canForce && isObjectSchema(output.schema) && prompt.toolChoice?.mode !== 'required') {
    report('output', 'approximated', 'sent as the input of a tool that must be called');
    return { kind: 'tool', tool: createJsonTool(prompt, output), alone: !mayCallTools(prompt) };
  }
  report('output', 'approximated', 'the schema is given in the system prompt, and not enforced');
  return { kind: 'instruction', text: renderInstruction(output) };
}

/** Names the tool whose input is the answer. None of the other tools has this name, and none that was called before. */
export function getJsonToolName(tools: readonly Tool[] = [], calls: readonly KnownCall[]): string {
  const taken = new Set([
    ...tools.map((tool) => (tool.kind === 'hosted' ? tool.value['name'] : tool.name)),
    ...calls.map(({ name }) => name),
  ]);
  let name = 'json_response';
  while (taken.has(name)) name += '_';
  return name;
}

type JsonSchemaOutput = Extract<OutputFormat, { kind: 'json-schema' }>;

function mayCallTools({ tools, toolChoice }: Prompt): boolean {
  return tools !== undefined && tools.length > 0 && toolChoice?.mode !== 'none';
}

function createJsonTool(prompt: Prompt, { schema, description }: JsonSchemaOutput): FunctionTool {
  const purpose = 'Gives the answer. Call it once, with the whole answer as its input.';
  return {
    kind: 'function',
    name: getJsonToolName(prompt.tools, findCalls(prompt)),
    description: description === undefined ? purpose : `${purpose}\n\n${description}`,
    parameters: schema,
  };
}

function renderInstruction({ schema, name, description }: JsonSchemaOutput): string {
  const about = [name, description].filter((text) => text !== undefined).join(': ');
  return [
    'Answer with JSON that matches the following JSON schema and nothing else: no other text, no code fence.',
    ...(about === '' ? [] : [about]),
    JSON.stringify(schema),
  ].join('\n');
}

function reportChanges(output: JsonSchemaOutput, schema: JsonObject, report: Report): void {
  if (schema !== output.schema) {
    report(
      'output',
      'approximated',
      'objects closed, keywords that are not enforced moved into descriptions',
    );
  }
  for (const field of ['name', 'description', 'strict'] as const) {
    if (output[field] === undefined || output[field] === true) continue;
    report('output', 'approximated', `without ${field}`);
  }
}
