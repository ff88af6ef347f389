/** The same answer in the caller's format; byte for byte as it is on the native path. */

import type { Stage } from '../streams/chain.ts';
import type { Answered, Replied } from './exchange.ts';
import { nativeReply } from './native-reply.ts';
import { refusedReply } from './refused-reply.ts';
import type { ReplyOptions } from './reply-options.ts';
import { translatedReply } from './translated-reply.ts';

/**
 * The reply as soon as its status is known. What goes wrong after that is the last event of its stream.
 * @throws GatewayError where the vendor refused, and its words are not the caller's format; and where what it sent is
 *   no answer.
 */
export function translateReply(options: ReplyOptions): Stage<Answered, Replied> {
  return (answered) => {
    const { answer, translation } = answered;
    if (answer.status >= 400) return refusedReply(answered);
    return translation === undefined
      ? nativeReply(answered, options.hold)
      : translatedReply(answered, translation, options);
  };
}
