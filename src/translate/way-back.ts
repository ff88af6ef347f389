/** How an answer is translated back into the caller's format. */

import type { FormatName, Prompt } from '../conversation/prompt.ts';
import { formats } from '../formats/formats.ts';
import type { AnswerTranslation } from './answer-events.ts';
import { checkFormats } from './check-input.ts';
import { chooseTraits } from './choose-traits.ts';
import { randomId } from './random-id.ts';
import { TranslatedRequest } from './translate-request.ts';
import { requestContext } from './write-request.ts';

/** Which answer is translated. */
export interface Route {
  /** The format of the answer: the vendor's. */
  readonly from: FormatName;
  /** The format of the caller. */
  readonly to: FormatName;
  /**
   * What `translateRequest` returned for the request that is answered. Without it, the answer is translated as one to a
   * request that asks for everything: usage in the stream, and thoughts.
   */
  readonly request?: TranslatedRequest | undefined;
}

const EVERYTHING: Prompt = {
  model: '',
  turns: [],
  stream: true,
  includeUsage: true,
  thinking: { visible: true },
  // So a custom call may be one for the caller, whatever its name is.
  tools: [{ kind: 'custom', name: '' }],
};

/**
 * Finds the way; undefined if the answer stays as it is.
 * @throws TypeError if `from` or `to` is no format, or the request was translated between other formats.
 */
export function wayBack({ from, to, request }: Route): AnswerTranslation | undefined {
  checkFormats(from, to);
  const made = request && TranslatedRequest.wayBack(request);
  if (made !== undefined && (made.from !== from || made.to !== to))
    throw new TypeError(
      `The request was translated from ${made.to} to ${made.from}, so its answer goes from ${made.from} to ${made.to}.`,
    );
  if (made !== undefined) return made.translation;
  if (from === to) return undefined;
  return {
    inbound: formats[to].inbound,
    outbound: formats[from].outbound,
    asked: requestContext(randomId(), EVERYTHING, {}),
    target: chooseTraits('', from),
  };
}
