/** An answer as OpenAI tells it: the response begins, its items come and go, and it ends whole. */

import { prefixedId } from '../../../conversation/ids.ts';
import {
  type Choice,
  endOf,
  mergeUsage,
  type Reply,
  type ReplyEvent,
  startAt,
  type Usage,
} from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { foreign } from '../../foreign.ts';
import type { RequestContext } from '../../format.ts';
import { renderFinish } from '../wire/finish-reasons.ts';
import { callersNames } from '../wire/namespaces.ts';
import { responseMaker } from '../wire/response-fields.ts';
import { clientCalls } from './client-calls.ts';
import { itemWriter } from './item-writer.ts';
import type { Teller } from './output-item.ts';

export interface AnswerWriter {
  add(event: ReplyEvent): void;
  /** Begins the response, if it has not begun. */
  begin(): void;
  /** Says nothing more: of the text that is open, else that the response goes on. */
  pause(): void;
  /** The whole response. */
  ended(): JsonObject;
  /** Whether the response has ended, so that nothing more can be said of it. */
  over(): boolean;
  /** The response as far as it came before it failed. */
  failed(error: { readonly code: string; readonly message: string }): JsonObject;
}

/** A response is one answer: of a reply with several, which nobody can ask for in this format, the first. */
export function answerWriter(asked: RequestContext, tell: Teller): AnswerWriter {
  const make = responseMaker(asked);
  const others = foreign();
  let start: Reply['start'] = { id: '', model: '' };
  let end: Choice['end'] = { finish: 'other' };
  let usage: Usage = {};
  let begun = false;
  let over = false;

  const items = itemWriter(tell, {
    makeId: (prefix, index) => prefixedId(prefix, asked.id + index.toString(16).padStart(2, '0')),
    names: callersNames(asked.prompt.tools),
    clientCalls: clientCalls(asked.prompt.tools),
    scored: asked.prompt.logprobs === true,
    foreign: others,
  });
  const progress = () => ({
    start,
    output: items.output,
    usage,
    refused: items.refused(),
    others: others.fields(),
  });
  const ended = (): JsonObject => make.ended(progress(), end);

  const begin = (): void => {
    if (begun) return;
    begun = true;
    tell.sayEach(['response.created', 'response.in_progress'], { response: make.begun(start) });
  };

  return {
    begin,
    pause() {
      if (!begun) return begin();
      if (over || items.pause()) return;
      tell.say('response.in_progress', { response: make.begun(start, items.told()) });
    },
    ended,
    over: () => over,
    failed: (error) => make.failed(progress(), error),
    add(event) {
      if ('choice' in event && event.choice !== 0) return;
      switch (event.type) {
        case 'part-delta':
          return items.delta(event);
        case 'part-start':
          return items.start(event);
        case 'part-detail':
          return items.detail(event);
        case 'part-end':
          return items.end();
        case 'logprobs':
          return items.logprobs(event);
        case 'usage':
          usage = mergeUsage(usage, event.usage);
          return;
        case 'reply-start': {
          const { type: _, ...rest } = event;
          // What has begun before the vendor did keeps the id that it was given.
          start = begun ? { ...rest, id: '', created: asked.created } : rest;
          return begin();
        }
        case 'choice-end':
          end = endOf(event);
          return items.finish(renderFinish(end, items.refused()).status, end.finish === 'stop');
        case 'reply-end': {
          start = startAt(event, start);
          over = true;
          const response = ended();
          tell.say(`response.${response['status']}`, { response });
        }
      }
    },
  };
}
