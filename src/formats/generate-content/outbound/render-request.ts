/** A neutral prompt as a generateContent body. The model stands in the path: the pipeline puts it there. */

import { formatFields } from '../../../conversation/format-specific.ts';
import type { OutputFormat, Prompt } from '../../../conversation/prompt.ts';
import { newestSchema } from '../../../conversation/rules/function-schema.ts';
import { invalid } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { asObject, compact, isEmpty } from '../../../lib/json.ts';
import { asksFor, type ModelTraits, type Report, reportDropped } from '../../format.ts';
import { reportForeign } from '../../own-fields.ts';
import { isGemini3 } from '../wire/model-generation.ts';
import { renderAskedTier } from '../wire/service-tier.ts';
import { renderThinking } from '../wire/thinking.ts';
import { isAtVertex } from '../wire/vertex.ts';
import { FORMAT } from '../wire/wire.ts';
import { withoutRefSiblings } from './ref-siblings.ts';
import { renderContents } from './render-contents.ts';
import { renderToolConfig, renderTools } from './render-tools.ts';
import { toOpenApi } from './to-openapi.ts';

/** Gemini's limit on stop sequences (REST reference, GenerationConfig.stopSequences). */
const MAX_STOPS = 5;
/** Gemini's limit on answers (REST reference, GenerationConfig.candidateCount). */
const MAX_CANDIDATES = 8;

/**
 * @throws GatewayError `invalid-request` for more answers or stop sequences than Gemini gives, and for files in
 *   another vendor's store.
 */
export function renderRequest(prompt: Prompt, target: ModelTraits, report: Report): JsonObject {
  const { contents, system } = renderContents(prompt.turns, target, report);
  const tools = renderTools(prompt, target, report);
  const output = renderOutput(prompt.output, tools.length > 0, target, report);
  const instruction = [...system, ...output.instruction];
  const toolConfig = renderToolConfig(prompt, target, report);
  const generationConfig = renderConfig(prompt, target, output.config, report);
  const serviceTier = renderAskedTier(prompt.serviceTier, report);
  const { generationConfig: _extra, ...extra } = prompt.unknownFields ?? {};
  const {
    generationConfig: _config,
    toolConfig: _tools,
    ...own
  } = formatFields(prompt.formatSpecific, FORMAT);
  reportLost(prompt, report);
  return {
    ...extra,
    ...own,
    ...(prompt.cachedContent !== undefined && { cachedContent: prompt.cachedContent }),
    contents,
    ...(instruction.length > 0 && { systemInstruction: { parts: instruction } }),
    ...(tools.length > 0 && { tools }),
    ...(toolConfig && { toolConfig }),
    ...(!isEmpty(generationConfig) && { generationConfig }),
    ...(serviceTier !== undefined && !isAtVertex(target) && { serviceTier }),
  };
}

function renderConfig(prompt: Prompt, target: ModelTraits, output: JsonObject, report: Report): JsonObject {
  const thinkingConfig = renderThinking(prompt.thinking, target, report);
  return {
    ...asObject(prompt.unknownFields?.['generationConfig']),
    ...asObject(formatFields(prompt.formatSpecific, FORMAT)['generationConfig']),
    ...renderSampling(prompt, target, report),
    ...compact({
      maxOutputTokens: renderMaxTokens(prompt.maxTokens, target, report),
      stopSequences: renderStop(prompt.stop, report),
      candidateCount: renderChoices(prompt.choices),
      seed: renderSeed(prompt.seed, report),
      ...renderPenalties(prompt, target, report),
      responseLogprobs: prompt.logprobs,
      logprobs: renderTopLogprobs(prompt, report),
      thinkingConfig,
    }),
    ...output,
  };
}

/**
 * Google's is an integer of 32 bits, and OpenAI's of 64 ("Invalid value at 'generation_config.seed' (TYPE_INT32)"): the last
 * 32 bits of it, which are the same ones every time.
 */
function renderSeed(seed: number | undefined, report: Report): number | undefined {
  if (seed === undefined || !Number.isInteger(seed) || seed === (seed | 0)) return seed;
  report('seed', 'approximated', 'its last 32 bits');
  return seed | 0;
}

function renderSampling(prompt: Prompt, target: ModelTraits, report: Report): JsonObject {
  const topK = asksFor(prompt, 'topK') ? prompt.topK : undefined;
  if (target.sampling) return compact({ temperature: prompt.temperature, topP: prompt.topP, topK });
  reportDropped(prompt, ['temperature', 'topP', 'topK'], 'the model does not accept it', report);
  return {};
}

/** How many others are told beside each token, which is "only valid if responseLogprobs=True" (GenerationConfig). */
function renderTopLogprobs({ logprobs, topLogprobs }: Prompt, report: Report): number | undefined {
  if (logprobs) return topLogprobs;
  if (topLogprobs) report('topLogprobs', 'dropped', 'no log probabilities were requested');
  return undefined;
}

/** Models that think, which are those from 2.5 on, answer 400: "Penalty is not enabled for this model". */
function renderPenalties(prompt: Prompt, target: ModelTraits, report: Report): JsonObject {
  const { presencePenalty, frequencyPenalty, formatSpecific: own } = prompt;
  if (target.thinking === undefined || own?.format === FORMAT) {
    return compact({ presencePenalty, frequencyPenalty });
  }
  reportDropped(prompt, ['presencePenalty', 'frequencyPenalty'], 'the model does not accept it', report);
  return {};
}

function renderMaxTokens(
  maxTokens: number | undefined,
  target: ModelTraits,
  report: Report,
): number | undefined {
  if (maxTokens === undefined || maxTokens <= target.maxOutputTokens) return maxTokens;
  report('maxTokens', 'approximated', `the model's most: ${target.maxOutputTokens}`);
  return target.maxOutputTokens;
}

function renderStop(stop: readonly string[] | undefined, report: Report): readonly string[] | undefined {
  const sequences = stop?.filter((sequence) => sequence !== '');
  if (sequences === undefined || sequences.length === 0) return undefined;
  if (stop && sequences.length < stop.length) {
    report('stop', 'dropped', 'an empty stop sequence');
  }
  if (sequences.length > MAX_STOPS) {
    throw invalid(`This model accepts at most ${MAX_STOPS} stop sequences.`, 'stop');
  }
  return sequences;
}

function renderChoices(choices: number | undefined): number | undefined {
  if (choices !== undefined && choices > MAX_CANDIDATES) {
    throw invalid(`This model gives at most ${MAX_CANDIDATES} answers at once.`, 'choices');
  }
  return choices;
}

interface Output {
  readonly config: JsonObject;
  /** What of it could only be told to the model. */
  readonly instruction: readonly JsonObject[];
}

/**
 * Before Gemini 3, a request with both functions and a JSON answer is a 400; and a model that enforces no schema can
 * only be told it.
 */
function renderOutput(
  output: OutputFormat | undefined,
  hasTools: boolean,
  target: ModelTraits,
  report: Report,
): Output {
  if (output === undefined || output.kind === 'text') return { config: {}, instruction: [] };
  const clashes = hasTools && !isGemini3(target);
  const isTold = clashes || (output.kind === 'json-schema' && !target.structuredOutput);
  const config = clashes ? {} : { responseMimeType: 'application/json' };
  if (isTold) {
    const detail = clashes
      ? 'not available together with tools on this model'
      : 'this model enforces no schema';
    report('output', 'approximated', `${detail}: asked for in words`);
    return { config, instruction: [{ text: tellOutput(output) }] };
  }
  if (output.kind === 'json') return { config, instruction: [] };
  return { config: { ...config, ...renderSchema(output.schema, target, report) }, instruction: [] };
}

function tellOutput(output: Exclude<OutputFormat, { kind: 'text' }>): string {
  const rule = 'Write the final answer as JSON only: no other text, no code fence.';
  if (output.kind === 'json') return rule;
  const about = output.description === undefined ? '' : ` (${output.description})`;
  return `${rule} It must match this JSON Schema${about}:\n${JSON.stringify(output.schema)}`;
}

function renderSchema(schema: JsonObject, target: ModelTraits, report: Report): JsonObject {
  if (target.dialect !== 'openapi-schema')
    return { responseJsonSchema: withoutRefSiblings(newestSchema(schema)) };
  const lost = new Set<string>();
  const responseSchema = toOpenApi(schema, lost);
  if (lost.size > 0) {
    report('output', 'approximated', `schema without ${[...lost].join(', ')}`);
  }
  return { responseSchema };
}

function reportLost(prompt: Prompt, report: Report): void {
  reportForeign(prompt.formatSpecific, FORMAT, 'own', report);
  reportDropped(prompt, ['user', 'metadata'], 'Google has no such field', report);
  reportDropped(prompt, ['cacheBreakpoint'], 'Gemini caches by itself', report);
}
