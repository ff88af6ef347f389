/** Writes an answer as OpenAI does: the response begins, its items come one after another, and it ends as a whole. */

import { prefixedId } from '../../../conversation/ids.ts';
import {
  type Choice,
  getChoiceEnd,
  mergeStart,
  mergeUsage,
  type Reply,
  type ReplyEvent,
  type Usage,
} from '../../../conversation/reply.ts';
import { findGivenNames } from '../../../conversation/rules/distinct-tools.ts';
import { asList, type JsonObject } from '../../../lib/json.ts';
import { foreign } from '../../foreign.ts';
import type { RequestContext } from '../../format.ts';
import { renderFinish } from '../wire/finish-reasons.ts';
import { findNamespacedNames } from '../wire/namespaces.ts';
import { findClientCalls } from './client-calls.ts';
import { itemWriter } from './item-writer.ts';
import type { EventWriter } from './output-item.ts';
import { responseRenderer } from './response-fields.ts';

export interface ResponseWriter {
  add(event: ReplyEvent): void;
  /** Begins the response if it has not begun yet. */
  begin(): void;
  /** Writes an event that says nothing new: an empty delta of the open text, or else that the response is in progress. */
  keepAlive(): void;
  /** Renders the whole response. */
  render(): JsonObject;
  /** Whether the response has ended, so that no event may follow. */
  isOver(): boolean;
  /** Renders the response as far as it came before it failed. */
  renderFailed(error: { readonly code: string; readonly message: string }): JsonObject;
}

/** Writes one response. It is one answer: callers of this format cannot ask for several, so only the first is written. */
export function responseWriter(request: RequestContext, events: EventWriter): ResponseWriter {
  const renderer = responseRenderer(request);
  const foreignContent = foreign();
  let start: Reply['start'] = { id: '', model: '' };
  let end: Choice['end'] = { finish: 'other' };
  let usage: Usage = {};
  let begun = false;
  let over = false;

  const items = itemWriter(events, {
    makeId: (prefix, index) => prefixedId(prefix, request.id + index.toString(16).padStart(2, '0')),
    names: findNamespacedNames(request.prompt.tools),
    givenNames: findGivenNames(request.prompt),
    clientCalls: findClientCalls(request.prompt.tools),
    hasLogprobs: request.prompt.logprobs === true,
    includesEncrypted: asList(request.body['include']).includes('reasoning.encrypted_content'),
    foreign: foreignContent,
  });
  const getProgress = () => ({
    start,
    output: items.output,
    usage,
    refused: items.refused(),
    additional: foreignContent.fields(),
  });
  const render = (): JsonObject => renderer.ended(getProgress(), end);

  const begin = (): void => {
    if (begun) return;
    begun = true;
    events.writeEach(['response.created', 'response.in_progress'], () => ({
      response: renderer.begun(start),
    }));
  };

  return {
    begin,
    keepAlive() {
      if (!begun) return begin();
      if (over || items.keepAlive()) return;
      events.write('response.in_progress', { response: renderer.begun(start, items.shown()) });
    },
    render,
    isOver: () => over,
    renderFailed: (error) => renderer.failed(getProgress(), error),
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
          // A response that began before the vendor's did keeps its id.
          start = begun ? { ...rest, id: '', created: request.created } : rest;
          return begin();
        }
        case 'choice-end':
          end = getChoiceEnd(event);
          return items.finish(renderFinish(end, items.refused()).status, end.finish === 'stop');
        case 'reply-end': {
          start = mergeStart(event, start);
          over = true;
          const response = render();
          events.write(`response.${response['status']}`, { response });
        }
      }
    },
  };
}
