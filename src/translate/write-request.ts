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
import { amended, GatewayError, invalid } from '../lib/errors.ts';
import { isList, type JsonObject, withoutFields } from '../lib/json.ts';
import { wordList } from '../lib/words.ts';
import { fieldPathForCaller } from './field-path-for-caller.ts';

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

/** The fields that hold the dialogue. Each vendor refuses an empty one, in words about a list that the caller never wrote. */
export const DIALOGUES: readonly string[] = ['messages', 'input', 'contents'];

/**
 * Renders a prompt as the body of a request to a vendor. What the vendor cannot take is refused with the caller's names
 * of the fields.
 * @param from the format of `body`, which the prompt was parsed from.
 * @throws GatewayError `invalid-request`, with the field of `body` as its param.
 */
export function renderPrompt(
  outbound: Outbound,
  prompt: Prompt,
  target: ModelTraits,
  report: Report,
  from: FormatName,
  body: JsonObject,
): JsonObject {
  try {
    const request = outbound.renderRequest(prompt, target, report);
    const isEmpty = DIALOGUES.some((name) => isList(request[name]) && request[name].length === 0);
    // An empty list of the caller's own is answered by the vendor. With OpenAI's `prompt` it is valid.
    if (isEmpty && prompt.turns.length > 0) {
      throw invalid(
        'Nothing is left for this model to answer: what was sent is empty, or only another vendor can read it.',
        'turns',
      );
    }
    return request;
  } catch (error) {
    if (!(error instanceof GatewayError) || error.param === undefined) throw error;
    throw amended(error, { param: fieldPathForCaller(error.param, from, body) });
  }
}

/**
 * The most stop sequences, since each is searched for in each piece of an answer. Vendors that accept any take four or
 * five.
 */
const MAX_STOPS = 64;

/**
 * The stop sequences of a prompt, none of them empty. The gateway looks for them itself (`conversation/stop-at.ts`).
 * @throws GatewayError `invalid-request` if there are more than MAX_STOPS.
 */
function findStops({ stop = [] }: Prompt, from: FormatName, body: JsonObject): readonly string[] {
  if (stop.length > MAX_STOPS)
    throw invalid(
      `This model accepts at most ${MAX_STOPS} stop sequences.`,
      fieldPathForCaller('stop', from, body),
    );
  return stop.filter((sequence) => sequence !== '');
}
