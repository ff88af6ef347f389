/** A prompt as the body of `POST /v1/messages`. */

import type { Prompt, TextPart } from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { asObject, compact, isEmpty } from '../../../lib/json.ts';
import { downgradeToolChoice } from '../../downgrade-tool-choice.ts';
import { refuseCachedContent } from '../../foreign-file.ts';
import { CUT_HERE, type ModelTraits, type Report, reportDropped } from '../../format.ts';
import { ownFields } from '../../own-fields.ts';
import { renderAskedTier } from '../wire/service-tier.ts';
import { safeName } from '../wire/tool-names.ts';
import { FORMAT, keepsAll, renderMark, speaksMessages } from '../wire/wire.ts';
import { arrangeTurns } from './arrange-turns.ts';
import { limitMarks, markAll } from './cache-breakpoints.ts';
import { type OutputPlan, planOutput } from './output-format.ts';
import { renderMessages, renderSystem } from './render-blocks.ts';
import { isSilent, planThinking, type ThinkingPlan } from './render-thinking.ts';
import { renderTools } from './render-tools.ts';
import { renderSampling } from './sampling.ts';
import { withoutOpenThoughts } from './thinking-signatures.ts';
import { userId } from './user-id.ts';

/**
 * What Anthropic has no way to say is left out and reported; what a caller of this format wrote comes out as it was.
 * @throws GatewayError `invalid-request` for several choices, and for media that Anthropic does not take.
 */
export function renderRequest(given: Prompt, target: ModelTraits, report: Report): JsonObject {
  const prompt = refusesForced(given, target) ? downgradeToolChoice(given, safeName, report) : given;
  if (prompt.choices !== undefined && prompt.choices > 1) {
    throw invalid('This model gives one answer at a time: no more can be asked for.', 'choices');
  }
  refuseCachedContent(prompt);
  const maxTokens = maxTokensOf(prompt, target, report);
  const { system, turns: arranged } = arrangeTurns(prompt, target, report);
  const thinking = planThinking(prompt, arranged, maxTokens, target, report);
  const keepsThoughts = speaksMessages(prompt) || !isSilent(thinking, target);
  const turns = keepsThoughts ? arranged : withoutOpenThoughts(arranged, report);
  const canForce = thinking.budgeted !== true && target.forcedTools !== false;
  const output = planOutput(prompt, target, canForce, report);
  reportLost(prompt, report);
  const told = ownFields(prompt.formatSpecific, FORMAT, 'own', report);
  const own =
    keepsAll(prompt, target) || prompt.thinking === undefined ? told : asPlanned(told, thinking, target);
  const marked = markAll(prompt, turns, target);
  const instructions = renderSystem([...system, ...instructionOf(output)], report);
  return limitMarks(
    {
      ...prompt.unknownFields,
      ...own,
      model: target.model,
      max_tokens: maxTokens,
      ...(instructions !== undefined && { system: instructions }),
      messages: renderMessages(marked.turns, report),
      ...renderTools(prompt, turns, output, target, report),
      ...(thinking.thinking && own['thinking'] === undefined && { thinking: thinking.thinking }),
      ...outputConfig(own, thinking, output),
      ...renderSampling(prompt, target, thinking.thinks, report),
      ...stopSequences(prompt, report),
      ...(own['metadata'] === undefined && userId(prompt, report)),
      ...compact({ service_tier: renderAskedTier(prompt.serviceTier, report) }),
      ...renderMark(marked.mark),
      ...(prompt.stream && { stream: true }),
    },
    report,
  );
}

/**
 * Whether the model refuses a call that must be made (Claude Fable 5.1, Opus 5.5, Sonnet 5.5 and later: "What's new",
 * forced tool use). A caller of this format hears it from the vendor.
 */
function refusesForced(prompt: Prompt, target: ModelTraits): boolean {
  return target.forcedTools === false && !keepsAll(prompt, target);
}

/** The vendor refuses a limit beyond what the model can write. A caller of this format is told so. */
function maxTokensOf(prompt: Prompt, target: ModelTraits, report: Report): number {
  const { maxTokens } = prompt;
  const most = target.maxOutputTokens;
  if (maxTokens === undefined) return most;
  if (maxTokens <= most || speaksMessages(prompt)) return maxTokens;
  report('maxTokens', 'approximated', `the model's most: ${most}`);
  return most;
}

function instructionOf(output: OutputPlan): readonly TextPart[] {
  return output.kind === 'instruction' ? [{ kind: 'text', text: output.text }] : [];
}

/**
 * Own fields without what they say of thinking, which the plan says; but for how hard to work, where nothing is planned:
 * who does not think works no harder than `high` (What's new in Claude Opus 5, and Sonnet 5.5).
 */
function asPlanned(
  { thinking: _, ...told }: JsonObject,
  { thinking, effort }: ThinkingPlan,
  target: ModelTraits,
): JsonObject {
  const config = asObject(told['output_config']);
  if (config?.['effort'] === undefined) return told;
  const { effort: word, ...rest } = config;
  if (effort === undefined && target.thinking?.efforts.some((one) => one === word)) {
    const isTooMuch = isOff(thinking) && (word === 'xhigh' || word === 'max');
    return isTooMuch ? { ...told, output_config: { ...rest, effort: 'high' } } : told;
  }
  const { output_config: _config, ...left } = told;
  return isEmpty(rest) ? left : { ...left, output_config: rest };
}

function isOff(thinking: JsonObject = {}): boolean {
  return thinking['type'] === 'disabled' || thinking['type'] === 'between_tools';
}

function outputConfig(own: JsonObject, thinking: ThinkingPlan, output: OutputPlan): JsonObject {
  const isBeta = own['output_format'] !== undefined;
  const config = {
    ...(thinking.effort !== undefined && { effort: thinking.effort }),
    ...(output.kind === 'enforced' && !isBeta && { format: { type: 'json_schema', schema: output.schema } }),
    ...asObject(own['output_config']),
  };
  return isEmpty(config) ? {} : { output_config: config };
}

/** The vendor refuses sequences of white space alone. */
function stopSequences(prompt: Prompt, report: Report): JsonObject {
  const kept = prompt.stop?.filter((text) => text.trim() !== '') ?? [];
  if (kept.length < (prompt.stop?.length ?? 0)) {
    report('stop', 'approximated', CUT_HERE);
  }
  return kept.length > 0 ? { stop_sequences: kept } : {};
}

/** Wishes that Anthropic has no field for. */
const LOST = ['seed', 'frequencyPenalty', 'presencePenalty', 'logprobs', 'topLogprobs'] as const;

function reportLost(prompt: Prompt, report: Report): void {
  reportDropped(prompt, LOST, 'has no counterpart in messages', report);
  if (Object.keys(prompt.metadata ?? {}).some((key) => key !== 'user_id')) {
    report('metadata', 'dropped', 'Anthropic only takes a user_id');
  }
}
