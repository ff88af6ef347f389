/** The request to a vendor, and what of it is left to do once the vendor answers. */

import { lettersAndDigits } from '../conversation/ids.ts';
import type { FormatName, Prompt } from '../conversation/prompt.ts';
import { outlinePrompt } from '../conversation/prompt-outline.ts';
import {
  type ModelTraits,
  type Outbound,
  type Report,
  type RequestContext,
  unreported,
} from '../formats/format.ts';
import { type JsonObject, withoutFields } from '../lib/json.ts';
import { wordList } from '../lib/words.ts';
import { findStops } from './find-stops.ts';
import { renderPrompt } from './render-prompt.ts';

export interface WrittenRequest {
  /** The body of the vendor's request. */
  readonly request: JsonObject;
  /** The stop sequences that the vendor does not get; absent if it gets all of them. None of them is empty. */
  readonly stops?: readonly string[];
}

/**
 * Renders a prompt in a vendor's format.
 * @param from the format of `body`, which the prompt was parsed from.
 * @throws GatewayError `invalid-request`, with the field of `body` as its param.
 */
export function writeRequest(
  outbound: Outbound,
  prompt: Prompt,
  target: ModelTraits,
  from: FormatName,
  body: JsonObject,
  report: Report = unreported,
): WrittenRequest {
  let untold = false;
  const listen: Report = (field, outcome, detail) => {
    untold ||= field === 'stop' && outcome === 'approximated';
    report(field, outcome, detail);
  };
  const request = renderPrompt(outbound, prompt, target, listen, from, body);
  return untold ? { request, stops: findStops(prompt, from, body) } : { request };
}

/** The fields of all formats that hold a dialogue. */
export const DIALOGUE_FIELDS = wordList(`
  messages input contents system systemInstruction system_instruction
`);

/**
 * Collects what a renderer of answers needs to know about the request. The dialogue is no part of it, so that an open
 * stream does not hold it.
 * @param id the exchange's id, from which ids in the answer are made.
 */
export function requestContext(id: string, given: Prompt, sent: JsonObject): RequestContext {
  const prompt = outlinePrompt(given);
  const body = withoutFields(sent, DIALOGUE_FIELDS);
  return { prompt, body, id: lettersAndDigits(id), created: Math.floor(Date.now() / 1000) };
}
