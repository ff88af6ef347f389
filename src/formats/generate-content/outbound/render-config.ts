/** `generationConfig`: sampling, limits, log probabilities and thinking (REST reference, GenerationConfig). */

import { findFormatFields, findRoundTrip } from '../../../conversation/format-specific.ts';
import type { ImageOptions, Prompt } from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import { asObject, compact, isEmpty, type JsonObject } from '../../../lib/json.ts';
import { asksFor, limitStops, type ModelTraits, type Report, reportDropped } from '../../format.ts';
import { renderThinking } from './render-thinking.ts';

/** Gemini's limit on stop sequences (REST reference, GenerationConfig.stopSequences). */
const MAX_STOPS = 5;
/** Gemini's limit on answers (REST reference, GenerationConfig.candidateCount). */
const MAX_CANDIDATES = 8;

/**
 * The `generationConfig` of a request.
 * @param output its fields for the form of the answer.
 * @throws GatewayError `invalid-request` for more answers than Gemini gives.
 */
export function renderConfig(
  prompt: Prompt,
  target: ModelTraits,
  output: JsonObject,
  report: Report,
): JsonObject {
  const thinkingConfig = renderThinking(prompt.thinking, target, report);
  return {
    ...asObject(prompt.unknownFields?.['generationConfig']),
    ...asObject(findRoundTrip(prompt.formatSpecific, 'generate-content')['generationConfig']),
    ...asObject(findFormatFields(prompt.formatSpecific, 'generate-content')['generationConfig']),
    ...renderSampling(prompt, target, report),
    ...compact({
      maxOutputTokens: renderMaxTokens(prompt.maxTokens, target, report),
      stopSequences: limitStops(prompt.stop, MAX_STOPS, report),
      candidateCount: renderChoices(prompt.choices),
      seed: renderSeed(prompt.seed, report),
      ...renderPenalties(prompt, target, report),
      responseLogprobs: prompt.logprobs,
      logprobs: renderTopLogprobs(prompt, report),
      thinkingConfig,
      ...renderImages(prompt.images),
    }),
    ...output,
  };
}

/** What is asked for of images. A model that draws none answers 400 if it is asked for some. */
function renderImages({ place, aspectRatio, size: imageSize }: ImageOptions = {}): JsonObject {
  const imageConfig = compact({ aspectRatio, imageSize });
  return {
    ...(place && { responseModalities: place === 'alone' ? ['IMAGE'] : ['TEXT', 'IMAGE'] }),
    ...(!isEmpty(imageConfig) && { imageConfig }),
  };
}

/**
 * Google's seed is an integer of 32 bits, and OpenAI's of 64 ("Invalid value at 'generation_config.seed'
 * (TYPE_INT32)"). Of a longer one, the last 32 bits are sent: the same seed every time.
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

/** The number of alternatives for each token, which is "only valid if responseLogprobs=True" (GenerationConfig). */
function renderTopLogprobs({ logprobs, topLogprobs }: Prompt, report: Report): number | undefined {
  if (logprobs) return topLogprobs;
  if (topLogprobs) report('topLogprobs', 'dropped', 'no log probabilities were requested');
  return undefined;
}

/** Models that think, as all from 2.5 on do, answer 400: "Penalty is not enabled for this model". */
function renderPenalties(prompt: Prompt, target: ModelTraits, report: Report): JsonObject {
  const { presencePenalty, frequencyPenalty, formatSpecific: own } = prompt;
  if (target.thinking === undefined || own?.format === 'generate-content') {
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

function renderChoices(choices: number | undefined): number | undefined {
  if (choices !== undefined && choices > MAX_CANDIDATES) {
    throw invalid(`This model gives at most ${MAX_CANDIDATES} answers at once.`, 'choices');
  }
  return choices;
}
