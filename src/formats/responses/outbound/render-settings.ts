/** `text` and `reasoning`: how the answer is to look, and how much to think about it. */

import { formatFields } from '../../../conversation/format-specific.ts';
import type { Effort, OutputFormat, Prompt, Thinking } from '../../../conversation/prompt.ts';
import { askedEffort, effortFor, isThinkingOff, nearestEffort } from '../../../conversation/rules/effort.ts';
import { strictnessOf } from '../../../conversation/rules/strict-schema.ts';
import { asObject, asText, isEmpty, type JsonObject, withoutFields } from '../../../lib/json.ts';
import { canEnforce, outputSchemaOf } from '../../openai/functions.ts';
import { saysJson } from '../../openai/json-word.ts';
import type { Scope } from './render-context.ts';
import { safeName } from './tool-names.ts';

export interface OutputPlan {
  /** `{ text }`, or nothing: to be spread. */
  readonly fields: JsonObject;
  /** What can only be told to the model, as the first item of the input. */
  readonly instruction?: string;
}

/**
 * @param prompt with such turns only as go into the input: the instructions are none.
 * @param verbosity as chat-completions has it, at the top of the body.
 */
export function planOutput(prompt: Prompt, verbosity: string | undefined, scope: Scope): OutputPlan {
  const rest: JsonObject = {
    ...(verbosity !== undefined && { verbosity }),
    ...asObject(formatFields(prompt.formatSpecific, 'responses')['text']),
  };
  const { output } = prompt;
  if (output === undefined) return { fields: isEmpty(rest) ? {} : { text: rest } };
  const withFormat = (format: JsonObject): JsonObject => ({ text: { ...rest, format } });
  if (output.kind === 'text') return { fields: withFormat({ type: 'text' }) };
  if (output.kind === 'json') {
    const fields = withFormat({ type: 'json_object' });
    if (scope.keepsAll || saysJson(prompt.turns)) return { fields };
    scope.report('output', 'approximated', 'JSON is also asked for in words, as OpenAI requires');
    return { fields, instruction: 'Answer with JSON.' };
  }
  if (scope.target.structuredOutput) return { fields: withFormat(renderSchema(output, prompt, scope)) };
  scope.report('output', 'approximated', 'this model enforces no schema: it is described in words');
  const instruction = `Answer with one JSON object that matches this JSON schema:\n${JSON.stringify(output.schema)}`;
  return { fields: withFormat({ type: 'json_object' }), instruction };
}

function renderSchema(
  output: Extract<OutputFormat, { kind: 'json-schema' }>,
  prompt: Prompt,
  scope: Scope,
): JsonObject {
  const { name, description, schema } = output;
  const strict = strictnessOf(output, prompt.formatSpecific?.format);
  const isStrict = strict === true && (scope.keepsAll || canEnforce(schema, 'output', scope.report));
  return {
    type: 'json_schema',
    name: safeName(name || 'answer'),
    ...(description !== undefined && { description }),
    schema: scope.keepsAll ? schema : outputSchemaOf(schema, scope.report),
    ...(strict !== undefined && { strict: isStrict }),
  };
}

/** `{ reasoning }`, or nothing: to be spread. */
export function renderReasoning(prompt: Prompt, scope: Scope): JsonObject {
  const { thinking } = prompt;
  const given = asObject(formatFields(prompt.formatSpecific, 'responses')['reasoning']) ?? {};
  const own = thinking?.visible === false ? withoutFields(given, ['summary', 'generate_summary']) : given;
  if (thinking && scope.target.thinking === undefined && !scope.keepsAll) {
    if (!isThinkingOff(thinking))
      scope.report('thinking', 'dropped', 'this model is not known to support thinking');
    return {};
  }
  const effort = thinking && effortOf(thinking, scope);
  const isSummary = asText(own['summary']) !== undefined || asText(own['generate_summary']) !== undefined;
  const reasoning: JsonObject = {
    ...own,
    ...(effort !== undefined && { effort }),
    ...(wantsThoughts(thinking) && !isSummary && { summary: 'auto' }),
  };
  return isEmpty(reasoning) ? {} : { reasoning };
}

/** Whether thoughts are to be shown: who gives them a budget is shown them by those whose word that is, unasked. */
function wantsThoughts({ visible, budget = 0 }: Thinking = {}): boolean {
  return visible ?? budget > 0;
}

/** The word for what is asked; undefined where the model is to decide, which OpenAI's do by themselves. */
function effortOf(thinking: Thinking, { target, report }: Scope): Effort | undefined {
  const asked = askedEffort(thinking);
  if (asked === undefined) return undefined;
  const traits = target.thinking;
  const near = traits && traits.efforts.length > 0 ? effortFor(thinking, traits) : asked;
  const effort = near === 'none' && traits ? (nearestEffort(near, traits.efforts) ?? near) : near;
  if (effort !== thinking.effort) {
    report('thinking', 'approximated', `effort ${effort}`);
  }
  return effort;
}
