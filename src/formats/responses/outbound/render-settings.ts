/** Renders `text` and `reasoning`: the form of the answer, and how much the model thinks about it. */

import { findFormatFields, findRoundTrip } from '../../../conversation/format-specific.ts';
import type { Effort, OutputFormat, Prompt, Thinking } from '../../../conversation/prompt.ts';
import { askedEffort, effortFor, isThinkingOff, nearestEffort } from '../../../conversation/rules/effort.ts';
import { findStrictness } from '../../../conversation/rules/strict-schema.ts';
import { asObject, asText, isEmpty, type JsonObject, withoutFields } from '../../../lib/json.ts';
import { undecidedEffort } from '../../openai/default-effort.ts';
import { canEnforce, renderOutputSchema } from '../../openai/functions.ts';
import { mentionsJson } from '../../openai/json-word.ts';
import type { RenderContext } from './render-context.ts';
import { safeName } from './tool-names.ts';

export interface OutputPlan {
  /** `{ text }`, or nothing: to be spread. */
  readonly fields: JsonObject;
  /** A setting that has no field, in words for the model: the first item of the input. */
  readonly instruction?: string;
}

/**
 * Plans how the model learns the form of the answer.
 * @param prompt with only the turns that go into the input: OpenAI does not look for the word JSON in `instructions`.
 * @param verbosity as chat-completions has it, at the top of the body.
 */
export function planOutput(
  prompt: Prompt,
  verbosity: string | undefined,
  context: RenderContext,
): OutputPlan {
  const rest: JsonObject = {
    ...(verbosity !== undefined && { verbosity }),
    ...asObject(findFormatFields(prompt.formatSpecific, 'responses')['text']),
  };
  const { output } = prompt;
  if (output === undefined) return { fields: isEmpty(rest) ? {} : { text: rest } };
  const withFormat = (format: JsonObject): JsonObject => ({ text: { ...rest, format } });
  if (output.kind === 'text') return { fields: withFormat({ type: 'text' }) };
  if (output.kind === 'json') {
    const fields = withFormat({ type: 'json_object' });
    if (context.keepsAll || mentionsJson(prompt.turns)) return { fields };
    context.report('output', 'approximated', 'JSON is also asked for in words, as OpenAI requires');
    return { fields, instruction: 'Answer with JSON.' };
  }
  if (context.target.structuredOutput) return { fields: withFormat(renderSchema(output, prompt, context)) };
  context.report('output', 'approximated', 'this model enforces no schema: it is described in words');
  const instruction = `Answer with one JSON object that matches this JSON schema:\n${JSON.stringify(output.schema)}`;
  return { fields: withFormat({ type: 'json_object' }), instruction };
}

function renderSchema(
  output: Extract<OutputFormat, { kind: 'json-schema' }>,
  prompt: Prompt,
  { keepsAll, report }: RenderContext,
): JsonObject {
  const { name, description, schema } = output;
  const strict = findStrictness(output, prompt.formatSpecific?.format);
  const isStrict = strict === true && (keepsAll || canEnforce(schema, 'output', report));
  return {
    type: 'json_schema',
    name: safeName(name || 'answer'),
    ...(description !== undefined && { description }),
    schema: keepsAll ? schema : renderOutputSchema(schema, isStrict, report),
    ...(strict !== undefined && { strict: isStrict }),
  };
}

/** Renders `{ reasoning }`, or nothing: to be spread. */
export function renderReasoning(prompt: Prompt, context: RenderContext): JsonObject {
  const { thinking } = prompt;
  const given: JsonObject = {
    ...asObject(findFormatFields(prompt.formatSpecific, 'responses')['reasoning']),
    ...asObject(findRoundTrip(prompt.formatSpecific, 'responses')['reasoning']),
  };
  const own = thinking?.visible === false ? withoutFields(given, ['summary', 'generate_summary']) : given;
  if (thinking && context.target.thinking === undefined && !context.keepsAll) {
    if (!isThinkingOff(thinking)) {
      context.report('thinking', 'dropped', 'this model is not known to support thinking');
    }
    return {};
  }
  const effort = thinking && chooseEffort(thinking, context);
  const hasSummary = asText(own['summary']) !== undefined || asText(own['generate_summary']) !== undefined;
  const reasoning: JsonObject = {
    ...own,
    ...(effort !== undefined && { effort }),
    ...(wantsThoughts(thinking) && !hasSummary && { summary: 'auto' }),
  };
  return isEmpty(reasoning) ? {} : { reasoning };
}

/** Whether thoughts are to be shown. Vendors that take a budget show thoughts to every caller who sets one. */
function wantsThoughts({ visible, budget = 0 }: Thinking = {}): boolean {
  return visible ?? budget > 0;
}

/** The effort for what the caller asks; undefined if the model decides by itself. */
function chooseEffort(thinking: Thinking, { target, report }: RenderContext): Effort | undefined {
  const traits = target.thinking;
  const asked = askedEffort(thinking) ?? undecidedEffort(thinking, traits);
  if (asked === undefined) return undefined;
  const near =
    traits && traits.efforts.length > 0 ? effortFor({ ...thinking, effort: asked }, traits) : asked;
  const effort = near === 'none' && traits ? (nearestEffort(near, traits.efforts) ?? near) : near;
  if (effort !== thinking.effort) {
    report('thinking', 'approximated', `effort ${effort}`);
  }
  return effort;
}
