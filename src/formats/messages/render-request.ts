/** A prompt as the body of `POST /v1/messages`. */

import type { Part, Prompt, TextPart, Turn } from '../../conversation/prompt.ts';
import { strictTurns } from '../../conversation/strict-turns.ts';
import { invalid } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { asObject, isEmpty } from '../../json.ts';
import type { Report, Target } from '../format.ts';
import { limitMarks, markForKey } from './cache-marks.ts';
import { withoutLastThoughts, withoutOpenThoughts } from './last-thoughts.ts';
import { type OutputPlan, planOutput } from './output.ts';
import { renderMessages, renderSystem } from './render-blocks.ts';
import { isSilent, planThinking, type ThinkingPlan } from './render-thinking.ts';
import { renderTools } from './render-tools.ts';
import { renderSampling } from './sampling.ts';
import { sendableTurns } from './sendable.ts';
import { renderAskedTier } from './service-tier.ts';
import { unforced } from './unforced.ts';
import { userId } from './user-id.ts';
import { FORMAT, ownFields, renderMark, speaksMessages } from './wire.ts';

/**
 * What Anthropic has no way to say is left out and reported; what a caller of this format wrote comes out as it was.
 * @throws GatewayError `invalid-request` for several choices, and for media that Anthropic does not take.
 */
export function renderRequest(given: Prompt, target: Target, report: Report): JsonObject {
  const prompt = unforced(given, target, report);
  if (prompt.choices !== undefined && prompt.choices > 1) {
    throw invalid('This model gives one answer only: n must be 1.', 'n');
  }
  const maxTokens = maxTokensOf(prompt, target, report);
  const { system, turns: arranged } = arrange(prompt, target, report);
  const thinking = planThinking(prompt, arranged, maxTokens, target, report);
  const keepsThoughts = speaksMessages(prompt) || !isSilent(thinking, target);
  const turns = keepsThoughts ? arranged : withoutOpenThoughts(arranged, report);
  const canForce = thinking.budgeted !== true && target.forcedTools !== false;
  const output = planOutput(prompt, target, canForce, report);
  reportLost(prompt, report);
  const own = ownFields(prompt.own, report);
  const instructions = renderSystem([...system, ...instructionOf(output)], report);
  return limitMarks(
    {
      ...prompt.extra,
      ...own,
      model: target.model,
      max_tokens: maxTokens,
      ...(instructions !== undefined && { system: instructions }),
      messages: renderMessages(turns, report),
      ...renderTools(prompt, turns, output, target, report),
      ...(thinking.thinking && own['thinking'] === undefined && { thinking: thinking.thinking }),
      ...outputConfig(own, thinking, output),
      ...renderSampling(prompt, target, thinking.thinks, report),
      ...stopSequences(prompt, report),
      ...(own['metadata'] === undefined && userId(prompt, report)),
      ...serviceTier(prompt, report),
      ...renderMark(prompt.mark ?? markForKey(prompt)),
      ...(prompt.stream && { stream: true }),
    },
    report,
  );
}

/** The vendor refuses a limit beyond what the model can write. A caller of this format is told so. */
function maxTokensOf(prompt: Prompt, target: Target, report: Report): number {
  const { maxTokens } = prompt;
  const most = target.maxOutputTokens;
  if (maxTokens === undefined) return most;
  if (maxTokens <= most || speaksMessages(prompt)) return maxTokens;
  report('maxTokens', 'approximated', `the model's most: ${most}`);
  return most;
}

/**
 * The system's parts, hoisted in their order, and the turns in the order the vendor wants. A system turn that a caller
 * of this format wrote into the conversation stays there. A prompt of nothing but instructions is one a user gives.
 */
function arrange(
  prompt: Prompt,
  target: Target,
  report: Report,
): { system: readonly Part[]; turns: readonly Turn[] } {
  const isHoisted = (turn: Turn): boolean => turn.role === 'system' && turn.own?.format !== FORMAT;
  const given = sendableTurns(prompt.turns, report);
  const system = given.filter(isHoisted).flatMap((turn) => turn.parts);
  const rest = given.filter((turn) => !isHoisted(turn));
  const turns = trimPrefill(orderedTurns(prompt, rest, report));
  if (turns.length === 0) {
    report('system', 'approximated', 'as the user turn that must be there');
    return { system: [], turns: strictTurns([{ role: 'user', parts: system }]) };
  }
  const first = given.findIndex((turn) => turn.role !== 'system');
  if (given.some((turn, at) => at > first && isHoisted(turn))) {
    report('system', 'approximated', 'put before the conversation');
  }
  if (rest.find((turn) => turn.role !== 'system' && turn.parts.length > 0)?.role === 'assistant') {
    report('messages', 'approximated', 'a user turn put first');
  }
  if (takesPrefill(prompt, target) || !endsSaid(turns)) return { system, turns };
  report('messages', 'approximated', 'a user turn put last, to go on');
  return { system, turns: [...turns, GO_ON] };
}

/** The turns as the vendor orders them, each with something said at its end. */
function orderedTurns(prompt: Prompt, turns: readonly Turn[], report: Report): readonly Turn[] {
  const ordered = strictTurns(turns);
  if (speaksMessages(prompt)) return ordered;
  const said = withoutLastThoughts(ordered, report);
  return said.every((turn, at) => turn === ordered[at]) ? ordered : strictTurns(said);
}

/** For a conversation that ends with the assistant, where the model wants the last word to be the user's. */
const GO_ON: Turn = { role: 'user', parts: [{ kind: 'text', text: 'Continue.' }] };

/** Models from 4.6 on, which are those with efforts, go on with no answer that is begun for them (migration guide). */
function takesPrefill(prompt: Prompt, { thinking }: Target): boolean {
  return speaksMessages(prompt) || !thinking?.kinds.includes('effort');
}

/** Whether the assistant has the last word: calls, its own or those of Anthropic's tools, are still to be answered. */
function endsSaid(turns: readonly Turn[]): boolean {
  const last = turns.at(-1);
  return (
    last?.role === 'assistant' && !last.parts.some(({ kind }) => kind === 'tool-call' || kind === 'opaque')
  );
}

/** The vendor refuses an answer begun for the model that ends in white space. */
function trimPrefill(turns: readonly Turn[]): readonly Turn[] {
  const turn = turns.at(-1);
  const part = turn?.parts.at(-1);
  if (turn?.role !== 'assistant' || (part?.kind !== 'text' && part?.kind !== 'refusal')) return turns;
  const parts = [...turn.parts.slice(0, -1), { ...part, text: part.text.trimEnd() }];
  return [...turns.slice(0, -1), { ...turn, parts }];
}

function instructionOf(output: OutputPlan): readonly TextPart[] {
  return output.kind === 'instruction' ? [{ kind: 'text', text: output.text }] : [];
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
    report('stop', 'dropped', 'a sequence of white space alone');
  }
  return kept.length > 0 ? { stop_sequences: kept } : {};
}

function serviceTier(prompt: Prompt, report: Report): JsonObject {
  if (prompt.serviceTier === undefined) return {};
  const tier = renderAskedTier(prompt.serviceTier);
  if (tier !== undefined) return { service_tier: tier };
  report('service_tier', 'dropped', `Anthropic has no tier ${prompt.serviceTier}`);
  return {};
}

/** Wishes that Anthropic has no field for. */
const LOST = ['seed', 'frequencyPenalty', 'presencePenalty', 'logprobs', 'topLogprobs'] as const;

function reportLost(prompt: Prompt, report: Report): void {
  for (const field of LOST) {
    if (prompt[field] !== undefined) {
      report(field, 'dropped', 'has no counterpart in messages');
    }
  }
  if (Object.keys(prompt.metadata ?? {}).some((key) => key !== 'user_id')) {
    report('metadata', 'dropped', 'Anthropic keeps nothing but a user_id');
  }
}
