/** Writes an answer as OpenAI does: the response begins, its items come one after another, and it ends as a whole. */

import {
  type Choice,
  getChoiceEnd,
  mergeStart,
  mergeUsage,
  type ReplyEvent,
  UNNAMED,
  type Usage,
} from '../../../conversation/reply.ts';
import { findGivenNames } from '../../../conversation/rules/distinct-tools.ts';
import { asList } from '../../../lib/json.ts';
import { Foreign } from '../../foreign.ts';
import type { RequestContext } from '../../format.ts';
import { renderStatus } from '../wire/finish-reasons.ts';
import { findNamespacedNames } from '../wire/namespaces.ts';
import { findClientCalls } from './client-calls.ts';
import { ItemWriter } from './item-writer.ts';
import type { EventWriter } from './output-item.ts';
import type { RenderedResponse } from './rendered-response.ts';
import { type Progress, ResponseRenderer } from './response-fields.ts';

type End = Choice['end'];

const NO_END: End = { finish: 'other' };
const NO_USAGE: Usage = {};

/** Writes one response. It is one answer: callers of this format cannot ask for several, so only the first is written. */
export class ResponseWriter {
  readonly #created: number;
  readonly #events: EventWriter;
  readonly #renderer: ResponseRenderer;
  readonly #foreign = new Foreign();
  readonly #items: ItemWriter;
  #start = UNNAMED;
  #end = NO_END;
  #usage = NO_USAGE;
  #begun = false;
  #over = false;

  constructor(request: RequestContext, events: EventWriter) {
    this.#created = request.created;
    this.#events = events;
    this.#renderer = new ResponseRenderer(request);
    this.#items = new ItemWriter(events, {
      stem: request.id,
      names: findNamespacedNames(request.prompt.tools),
      givenNames: findGivenNames(request.prompt),
      clientCalls: findClientCalls(request.prompt.tools),
      hasLogprobs: request.prompt.logprobs === true,
      includesEncrypted: asList(request.body['include']).includes('reasoning.encrypted_content'),
      foreign: this.#foreign,
      ended: new Map(),
    });
  }

  add(event: ReplyEvent): void {
    if ('choice' in event && event.choice !== 0) return;
    switch (event.type) {
      case 'part-delta':
        this.#items.delta(event);
        return;
      case 'part-start':
        this.#items.start(event);
        return;
      case 'part-detail':
        this.#items.detail(event);
        return;
      case 'part-end':
        this.#items.end();
        return;
      case 'logprobs':
        this.#items.logprobs(event);
        return;
      case 'usage':
        this.#usage = mergeUsage(this.#usage, event.usage);
        return;
      case 'reply-start':
        // A response that began before the vendor's did keeps its id.
        this.#start = this.#begun ? { ...event, id: '', created: this.#created } : event;
        this.begin();
        return;
      case 'choice-end': {
        this.#end = getChoiceEnd(event);
        const status = renderStatus(this.#end, this.#items.refused);
        this.#items.finish(status, this.#end.finish === 'stop');
        return;
      }
      case 'reply-end': {
        this.#start = mergeStart(event, this.#start);
        this.#over = true;
        const status = renderStatus(this.#end, this.#items.refused);
        this.#events.writeResponse([`response.${status}`], () => this.render());
      }
    }
  }

  begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    const types = ['response.created', 'response.in_progress'];
    this.#events.writeResponse(types, () => this.#renderer.begun(this.#start));
  }

  /** Writes an event that says nothing new: an empty delta of the open text, or else that the response is in progress. */
  keepAlive(): void {
    if (!this.#begun) this.begin();
    else if (!this.#over && !this.#items.keepAlive()) {
      const shown = this.#items.shown();
      this.#events.writeResponse(['response.in_progress'], () => this.#renderer.begun(this.#start, shown));
    }
  }

  render(): RenderedResponse {
    return this.#renderer.ended(this.#progress(), this.#end);
  }

  /** Whether no event may follow. */
  isOver(): boolean {
    return this.#over;
  }

  /** Renders the response as far as it came before it failed. */
  renderFailed(error: { readonly code: string; readonly message: string }): RenderedResponse {
    return this.#renderer.failed(this.#progress(), error);
  }

  #progress(): Progress {
    return {
      start: this.#start,
      output: this.#items.output,
      usage: this.#usage,
      refused: this.#items.refused,
      additional: this.#foreign.fields(),
    };
  }
}
