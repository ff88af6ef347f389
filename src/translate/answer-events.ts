/** What a vendor says, as events of a reply: parsed, and finished where the gateway stands in for the vendor. */

import type { ReplyEvent } from '../conversation/reply.ts';
import { UniqueCallIds } from '../conversation/rules/unique-call-ids.ts';
import { StopWatcher } from '../conversation/stop-at.ts';
import { unwrapMember } from '../conversation/unwrap-member.ts';
import type { EventParser, Inbound, ModelTraits, Outbound, RequestContext } from '../formats/format.ts';
import type { Sse } from '../streams/sse.ts';
import { fuse, type Step } from '../streams/step.ts';

/** How an answer is translated back into the caller's format. */
export interface AnswerTranslation {
  readonly inbound: Inbound;
  readonly outbound: Outbound;
  readonly asked: RequestContext;
  readonly target: ModelTraits;
  /** The stop sequences that the vendor does not get, so that they are looked for here; none of them is empty. */
  readonly stops?: readonly string[];
  /** What sees the events of the answer: the cache, then the operator's hook. Absent if neither does. */
  readonly hook?: Step<ReplyEvent, ReplyEvent>;
}

/** What reads an answer. */
export interface AnswerReader {
  /** The vendor's own parser. */
  readonly parser: EventParser;
  /** That parser, and all that follows it. */
  readonly step: Step<Sse, ReplyEvent>;
}

/**
 * Makes the reader of one answer, streamed or whole. Calls have distinct ids, the value of an enum is taken out of its
 * object, and the answer ends at a stop sequence that the vendor was not given.
 * @throws GatewayError from its steps, as `Outbound.parseEvents` does.
 */
export function answerEvents({ outbound, asked, target, stops, hook }: AnswerTranslation): AnswerReader {
  const { prompt, id } = asked;
  const parser = outbound.parseEvents(prompt, target);
  const named = fuse(parser, new UniqueCallIds(prompt.calls, id));
  const member = prompt.output?.kind === 'json-schema' ? prompt.output.unwrap : undefined;
  // A stop sequence is looked for in what the caller gets.
  const unwrapped = member === undefined ? named : fuse(named, unwrapMember(member));
  const stopped = stops ? fuse(unwrapped, new StopWatcher(stops)) : unwrapped;
  return { parser, step: hook ? fuse(stopped, hook) : stopped };
}
