/** A whole reply as a response: the very object that ends a stream of the same answer, made in the same place. */

import type { Reply } from '../../conversation/reply.ts';
import type { JsonObject } from '../../json.ts';
import type { Asked } from '../format.ts';
import { answerWriter } from './answer-writer.ts';
import type { Teller } from './item.ts';
import { replay } from './replay.ts';

/** @see Inbound.renderReply */
export function renderReply(reply: Reply, asked: Asked): JsonObject {
  const answer = answerWriter(asked, UNHEARD);
  for (const event of replay(reply)) answer.add(event);
  return answer.ended();
}

const UNHEARD: Teller = { say() {}, sayEach() {}, deltas: () => () => {} };
