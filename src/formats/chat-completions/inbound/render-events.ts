/** A reply's events as chunks of a stream (OpenAI API reference, "The chat completion chunk object"). */

import type { OpenPart, ReplyEnd, ReplyEvent, ReplyStart, Usage } from '../../../conversation/reply.ts';
import { mergeStart, mergeUsage, UNNAMED } from '../../../conversation/reply.ts';
import { findGivenNames } from '../../../conversation/rules/distinct-tools.ts';
import type { GatewayError } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import type { EventRenderer, RequestContext } from '../../format.ts';
import { renderError } from '../../openai/errors.ts';
import { hasTokens, renderUsage } from '../wire/usage.ts';
import { ChoiceRenderer } from './render-choice.ts';
import { renderHead, renderUnknownFields, wantsFunctionCall, withGivenName } from './response-fields.ts';

/** @see Inbound.renderEvents */
export function renderEvents(context: RequestContext): EventRenderer {
  return new ChunkRenderer(context);
}

class ChunkRenderer implements EventRenderer {
  readonly #context: RequestContext;
  readonly #includeUsage: boolean;
  readonly #names: ReadonlyMap<string, string>;
  #choices: ChoiceRenderer[] = [];
  /** The JSON text of a chunk before its one choice. The first chunk has the vendor's own fields in addition. */
  #before = '';
  #first = '';
  readonly #after: string;
  #usage: Usage = {};
  #start = UNNAMED;

  constructor(context: RequestContext) {
    this.#context = context;
    this.#includeUsage = context.prompt.includeUsage === true;
    this.#names = findGivenNames(context.prompt);
    // With include_usage, OpenAI sends `usage: null` in every chunk but the one with the usage.
    this.#after = this.#includeUsage ? '],"usage":null}' : ']}';
  }

  transform(event: ReplyEvent, out: Sink<Sse>): void {
    switch (event.type) {
      case 'part-delta':
        this.#choices[event.choice]?.write(event.text, out);
        return;
      case 'part-start':
        this.#choiceAt(event.choice, out, event.part).open(
          this.#names.size === 0 ? event : { ...event, part: withGivenName(event.part, this.#names) },
          out,
        );
        return;
      case 'part-detail':
        this.#choiceAt(event.choice, out).addDetail(event);
        return;
      case 'part-end':
        this.#choiceAt(event.choice, out).close(out);
        return;
      case 'logprobs':
        this.#choiceAt(event.choice, out).writeLogprobs(event.tokens, out);
        return;
      case 'choice-end':
        this.#choiceAt(event.choice, out).end(event, out);
        return;
      case 'usage':
        this.#usage = mergeUsage(this.#usage, event.usage);
        return;
      case 'reply-start':
        this.#begin(event);
        return;
      case 'reply-end':
        this.#end(event, out);
        return;
    }
  }

  fail(error: GatewayError, out: Sink<Sse>): void {
    out.enqueue(renderLateError(error));
  }

  /** An empty delta, and no comment: clients that split a stream at its empty lines lose the event after a comment. */
  ping(out: Sink<Sse>): void {
    for (const choice of this.#choices) choice.write('', out);
  }

  /** @param part the part with which the choice begins, if it begins with one. */
  #choiceAt(index: number, out: Sink<Sse>, part?: OpenPart): ChoiceRenderer {
    let choice = this.#choices[index];
    while (choice === undefined) {
      const next = this.#choices.length;
      out.enqueue({ data: this.#first + renderFirstChoice(next, part) + this.#after });
      this.#first = this.#before;
      const usesFunctionCall = wantsFunctionCall(this.#context);
      const frame = { index: next, before: this.#before, after: this.#after, usesFunctionCall };
      // Most replies have one choice. Pushed onto an empty list, it would make room for 17, in each open stream.
      if (next === 0) this.#choices = [new ChoiceRenderer(frame)];
      else this.#choices.push(new ChoiceRenderer(frame));
      choice = this.#choices[index];
    }
    return choice;
  }

  #begin(head: ReplyStart): void {
    this.#start = head;
    const fields = renderHead(head, 'chat.completion.chunk', this.#context);
    // Only the first chunk has the vendor's own fields.
    this.#first = renderChunkStart({ ...renderUnknownFields(head), ...fields });
    this.#before = renderChunkStart(fields);
  }

  #end(event: ReplyEnd, out: Sink<Sse>): void {
    this.#choiceAt(0, out);
    if (this.#includeUsage && hasTokens(this.#usage)) {
      const isSame = event.serviceTier === this.#start.serviceTier;
      const last = isSame ? this.#before : this.#renderOpening(mergeStart(event, this.#start));
      out.enqueue({ data: `${last}],"usage":${JSON.stringify(renderUsage(this.#usage))}}` });
    }
    out.enqueue({ data: '[DONE]' });
  }

  #renderOpening(head: ReplyStart): string {
    return renderChunkStart(renderHead(head, 'chat.completion.chunk', this.#context));
  }
}

/** A choice's first chunk: the role and, if a text follows, an empty content, as OpenAI sends it. */
function renderFirstChoice(index: number, part?: OpenPart): string {
  const delta = { role: 'assistant', content: part?.kind === 'text' ? '' : null, refusal: null };
  return JSON.stringify({ index, delta, logprobs: null, finish_reason: null });
}

/** The JSON text of a chunk up to its first choice. */
function renderChunkStart(fields: JsonObject): string {
  const { choices: _, usage: __, ...rest } = fields;
  return `${JSON.stringify(rest).slice(0, -1)},"choices":[`;
}

/**
 * An error inside a stream that has begun. Its data is the same object as in an error response.
 * @see Inbound.renderLateError
 */
export function renderLateError(error: GatewayError): Sse {
  return { data: JSON.stringify(renderError(error)) };
}
