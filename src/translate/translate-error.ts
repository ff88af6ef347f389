/** Translates a vendor's refusal, and says what the library throws, in the caller's format. */

import type { FormatName } from '../conversation/prompt.ts';
import { formats } from '../formats/formats.ts';
import { asGatewayError } from '../lib/errors.ts';
import { checkFormats } from './check-input.ts';
import { type ErrorAnswer, errorAnswer } from './error-answer.ts';
import { randomId } from './random-id.ts';

/** A vendor's answer of status 400 and above. */
export interface Refusal {
  /** The format of the vendor. */
  readonly from: FormatName;
  /** The format of the caller. */
  readonly to: FormatName;
  readonly status: number;
  /** The body as text. */
  readonly body: string;
}

/**
 * Translates a refusal.
 * @returns the status and the body of the response.
 * @throws TypeError if `from` or `to` is no format.
 */
export function translateError({ from, to, status, body }: Refusal): ErrorAnswer {
  checkFormats(from);
  return renderError(formats[from].outbound.parseError(status, body), to);
}

/**
 * Renders an error as a response in the caller's format.
 * @param error what this library has thrown. Of any other error nothing is shown.
 * @throws TypeError if `to` is no format.
 */
export function renderError(error: unknown, to: FormatName): ErrorAnswer {
  checkFormats(to);
  return errorAnswer(asGatewayError(error), to, randomId());
}
