/** A prompt as the body of `POST /v1/messages`. */

import { findRoundTrip } from '../../../conversation/format-specific.ts';
import type { Prompt, TextPart } from '../../../conversation/prompt.ts';
import { asObject, compact, isEmpty, type JsonObject, withoutFields } from '../../../lib/json.ts';
import { avoidNames } from '../../avoid-names.ts';
import { downgradeToolChoice, dropLostChoice } from '../../forced-choice.ts';
import { CUT_HERE, type ModelTraits, type Report, reportDropped } from '../../format.ts';
import { ownFields, reportForeign, withoutSaid } from '../../own-fields.ts';
import { resolveReferences } from '../../prompt-schemas.ts';
import { refuseUnanswerable } from '../../refuse-unanswerable.ts';
import { renderCacheControl } from '../wire/cache-control.ts';
import { renderAskedTier } from '../wire/service-tier.ts';
import { arrangeTurns } from './arrange-turns.ts';
import { addRequestBreakpoint, fitBreakpoints } from './cache-breakpoints.ts';
import { keepsAll, speaksMessages } from './native-caller.ts';
import { type OutputPlan, planOutput } from './output-format.ts';
import { dropOpenThoughts } from './refused-thinking.ts';
import { renderMessages, renderSystem } from './render-blocks.ts';
import { findHostedNames } from './render-hosted-tool.ts';
import { isSurelyOff, planThinking, type ThinkingPlan } from './render-thinking.ts';
import { renderTools } from './render-tools.ts';
import { renderSampling } from './sampling.ts';
import { safeName } from './tool-names.ts';
import { renderUserId } from './user-id.ts';

/**
 * Renders a prompt. What Anthropic cannot express is left out and reported. What a caller of this format wrote is rendered
 * unchanged.
 * @see Outbound.renderRequest
 * @throws GatewayError `invalid-request` for several choices, and for media that Anthropic does not accept.
 */
export function renderRequest(original: Prompt, target: ModelTraits, report: Report): JsonObject {
  const choosing = dropLostChoice(original, 'messages', true, report);
  const resolved = speaksMessages(choosing) ? choosing : adaptTools(choosing, report);
  const prompt = refusesForcedCalls(original, target)
    ? downgradeToolChoice(resolved, safeName, report)
    : resolved;
  refuseUnanswerable(prompt, 'messages');
  const maxTokens = findMaxTokens(prompt, target, report);
  const { system, turns: arranged } = arrangeTurns(prompt, target, report);
  const thinking = planThinking(prompt, arranged, maxTokens, target, report);
  const keepsThoughts = speaksMessages(prompt) || !isSurelyOff(thinking, target);
  const turns = keepsThoughts ? arranged : dropOpenThoughts(arranged, report);
  const canForce = thinking.budgeted !== true && target.forcedTools !== false;
  const output = planOutput(prompt, target, canForce, report);
  reportUnsupported(prompt, report);
  const exact = withoutFields(findRoundTrip(prompt.formatSpecific, 'messages'), ['tool_choice']);
  const { user, cacheKey } = prompt;
  const unsaid = withoutSaid(prompt.formatSpecific, { safety_identifier: user, prompt_cache_key: cacheKey });
  const written = { ...ownFields(unsaid, 'messages', 'own', report), ...exact };
  const fields =
    keepsAll(prompt, target) || prompt.thinking === undefined
      ? written
      : applyPlan(written, thinking, target);
  const cached = addRequestBreakpoint(prompt, turns, target, report);
  const instructions = renderSystem([...system, ...renderInstruction(output)], report);
  return fitBreakpoints(
    {
      ...prompt.unknownFields,
      ...fields,
      model: target.model,
      max_tokens: maxTokens,
      ...(instructions !== undefined && { system: instructions }),
      messages: renderMessages(cached.turns, report),
      ...renderTools(prompt, turns, output, target, report),
      ...(thinking.thinking && fields['thinking'] === undefined && { thinking: thinking.thinking }),
      ...renderOutputConfig(fields, thinking, output),
      ...renderSampling(prompt, target, thinking.thinks, report),
      ...renderStopSequences(prompt, report),
      ...(fields['metadata'] === undefined && renderUserId(prompt, report)),
      ...compact({ service_tier: renderAskedTier(prompt.serviceTier, report) }),
      ...renderCacheControl(cached.breakpoint),
      ...(prompt.stream && { stream: true }),
    },
    report,
  );
}

/** Resolves what Anthropic refuses in another format's tools: references at the roots of schemas, and names of its own. */
function adaptTools(prompt: Prompt, report: Report): Prompt {
  const resolved = resolveReferences(prompt, 'messages', report);
  return avoidNames(resolved, findHostedNames(resolved), report);
}

/**
 * Tells whether the model refuses forced calls of tools (Claude Fable 5.1, Opus 5.5, Sonnet 5.5 and later: "What's new",
 * forced tool use). A caller of this format receives the vendor's refusal.
 */
function refusesForcedCalls(prompt: Prompt, target: ModelTraits): boolean {
  return target.forcedTools === false && !keepsAll(prompt, target);
}

/**
 * Finds `max_tokens`. The vendor refuses a limit beyond what the model can write. A caller of this format receives that
 * refusal.
 */
function findMaxTokens(prompt: Prompt, target: ModelTraits, report: Report): number {
  const { maxTokens } = prompt;
  const limit = target.maxOutputTokens;
  if (maxTokens === undefined) return limit;
  if (maxTokens <= limit || speaksMessages(prompt)) return maxTokens;
  report('maxTokens', 'approximated', `lowered to the model's limit, ${limit}`);
  return limit;
}

function renderInstruction(output: OutputPlan): readonly TextPart[] {
  return output.kind === 'instruction' ? [{ kind: 'text', text: output.text }] : [];
}

/**
 * Removes from the caller's fields what they say about thinking, because the plan replaces it. An effort stays if nothing is
 * planned. A model that does not think accepts no effort above `high` ("What's new in Claude Opus 5", "… Sonnet 5.5").
 */
function applyPlan(
  { thinking: _, ...written }: JsonObject,
  { thinking, effort }: ThinkingPlan,
  target: ModelTraits,
): JsonObject {
  const config = asObject(written['output_config']);
  if (config?.['effort'] === undefined) return written;
  const { effort: writtenEffort, ...rest } = config;
  if (effort === undefined && target.thinking?.efforts.some((known) => known === writtenEffort)) {
    const isTooMuch = isOff(thinking) && (writtenEffort === 'xhigh' || writtenEffort === 'max');
    return isTooMuch ? { ...written, output_config: { ...rest, effort: 'high' } } : written;
  }
  const { output_config: _config, ...others } = written;
  return isEmpty(rest) ? others : { ...others, output_config: rest };
}

function isOff(thinking: JsonObject = {}): boolean {
  return thinking['type'] === 'disabled' || thinking['type'] === 'between_tools';
}

function renderOutputConfig(fields: JsonObject, thinking: ThinkingPlan, output: OutputPlan): JsonObject {
  const isBeta = fields['output_format'] !== undefined;
  const config = {
    ...(thinking.effort !== undefined && { effort: thinking.effort }),
    ...(output.kind === 'enforced' && !isBeta && { format: { type: 'json_schema', schema: output.schema } }),
    ...asObject(fields['output_config']),
  };
  return isEmpty(config) ? {} : { output_config: config };
}

/** Renders `stop_sequences`. The vendor refuses sequences of white space only. */
function renderStopSequences(prompt: Prompt, report: Report): JsonObject {
  const sequences = prompt.stop?.filter((text) => text.trim() !== '') ?? [];
  if (sequences.length < (prompt.stop?.length ?? 0)) {
    report('stop', 'approximated', CUT_HERE);
  }
  return sequences.length > 0 ? { stop_sequences: sequences } : {};
}

/** Fields of a prompt that Anthropic has no field for. */
const UNSUPPORTED = ['seed', 'frequencyPenalty', 'presencePenalty', 'logprobs', 'topLogprobs'] as const;

function reportUnsupported(prompt: Prompt, report: Report): void {
  // Also of turns that are left out, since nothing else is in them.
  for (const { formatSpecific } of prompt.turns) reportForeign(formatSpecific, 'messages', 'turns[]', report);
  reportDropped(prompt, UNSUPPORTED, 'has no counterpart in messages', report);
  if (Object.keys(prompt.metadata ?? {}).some((key) => key !== 'user_id')) {
    report('metadata', 'dropped', 'Anthropic only takes a user_id');
  }
}
