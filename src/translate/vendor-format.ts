/** The format in which a service gets the requests to a model. */

import type { Model } from '../catalog/model.ts';
import type { FormatName, Prompt } from '../conversation/prompt.ts';
import type { ModelTraits } from '../formats/format.ts';
import { formats } from '../formats/formats.ts';
import { findOnlyFormat } from '../formats/openai/one-format-only.ts';
import type { JsonObject } from '../lib/json.ts';

/** What decides on the format, of a service. */
export interface FormatSpeaker {
  /** The formats that it speaks. Other formats are translated to the first one. */
  readonly formats: readonly [FormatName, ...FormatName[]];
}

/**
 * Picks the format for a request to a service: the caller's own if the service speaks it well enough, otherwise another.
 * @param asked the caller's format.
 * @param dialect the name of the service's deviations in its format.
 * @param request the body, or the part of it that decides; it is read only if it matters.
 */
export function vendorFormat(
  speaker: FormatSpeaker,
  model: Model,
  asked: FormatName,
  dialect: string,
  request: () => JsonObject,
): FormatName {
  const { isKnownElsewhere } = formats[asked].outbound;
  const isNative =
    speaker.formats.includes(asked) ||
    (model.endpoints?.some((format) => format === asked) && (isKnownElsewhere?.(request(), dialect) ?? true));
  const spoken = isNative ? asked : translatedFormat(speaker, model);
  // A caller who uses a format of the service's own has chosen it, or needs what the other one lacks.
  if (spoken === asked || model.thinking === undefined) return spoken;
  const thinking = formats[spoken].outbound.thinkingFormat?.(dialect);
  if (thinking === undefined || thinking === asked) return spoken;
  return model.endpoints?.some((format) => format === thinking) ? thinking : spoken;
}

/**
 * The format that other formats are translated to. OpenAI's models show their reasoning, and take it back, only in
 * `responses` ("Reasoning models", OpenAI documentation).
 */
export function translatedFormat({ formats }: FormatSpeaker, model: Model): FormatName {
  return model.thinking !== undefined && formats.includes('responses') ? 'responses' : formats[0];
}

/**
 * Picks the format: another one that the vendor speaks, if only that one can express the prompt.
 * @param usual the format of other translated requests to this model.
 */
export function formatForPrompt(
  usual: FormatName,
  { formats }: FormatSpeaker,
  prompt: Prompt,
  target: ModelTraits,
): FormatName {
  if (!formats.includes('chat-completions') || !formats.includes('responses')) return usual;
  return findOnlyFormat(prompt, target) ?? usual;
}
