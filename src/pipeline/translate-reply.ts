/** The answer in the caller's format; byte for byte as it came on the native path. */

import type { Stage } from '../streams/chain.ts';
import type { RenderedReply, VendorAnswer } from './exchange.ts';
import { nativeReply } from './reply/native-reply.ts';
import { refusedReply } from './reply/refused-reply.ts';
import { type ReplyOptions, translatedReply } from './reply/translated-reply.ts';

/**
 * Makes the stage that turns the vendor's answer into the caller's reply, as soon as its status is known. A later
 * failure becomes the last event of the stream.
 * @throws GatewayError if the vendor refused and its error is not in the caller's format, or if its body is not an
 *   answer.
 */
export function translateReply(options: ReplyOptions): Stage<VendorAnswer, RenderedReply> {
  return (answered) => {
    const { answer, translation } = answered;
    if (answer.status >= 400) return refusedReply(answered);
    return translation === undefined
      ? nativeReply(answered, options.hold)
      : translatedReply(answered, translation, options);
  };
}
