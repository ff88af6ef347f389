/** A reply's events as chunks of a stream (OpenAI API reference, "The chat completion chunk object"). */

import type {
  OpenPart,
  Reply,
  ReplyEnd,
  ReplyEvent,
  ReplyStart,
  Usage,
} from '../../../conversation/reply.ts';
import { mergeStart, mergeUsage } from '../../../conversation/reply.ts';
import { findGivenNames } from '../../../conversation/rules/distinct-tools.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import type { EventRenderer, RequestContext } from '../../format.ts';
import { hasTokens, renderUsage } from '../wire/usage.ts';
import { withGivenName } from './given-names.ts';
import { type ChoiceRenderer, choiceRenderer } from './render-choice.ts';
import { renderLateError } from './render-error.ts';
import { renderHead, renderUnknownFields, wantsFunctionCall } from './response-fields.ts';

/** @see Inbound.renderEvents */
export function renderEvents(context: RequestContext): EventRenderer {
  const includeUsage = context.prompt.includeUsage === true;
  const usesFunctionCall = wantsFunctionCall(context);
  const names = findGivenNames(context.prompt);
  const choices: ChoiceRenderer[] = [];
  /** The JSON text of a chunk before its one choice. The first chunk has the vendor's own fields in addition. */
  let before = '';
  let first = '';
  // With include_usage, OpenAI sends `usage: null` in every chunk but the one with the usage.
  const after = includeUsage ? '],"usage":null}' : ']}';
  let usage: Usage = {};
  let start: Reply['start'] = { id: '', model: '' };

  /** @param part the part with which the choice begins, if it begins with one. */
  const choiceAt = (index: number, out: Sink<Sse>, part?: OpenPart): ChoiceRenderer => {
    let choice = choices[index];
    while (choice === undefined) {
      out.enqueue({ data: first + renderFirstChoice(choices.length, part) + after });
      first = before;
      choices.push(choiceRenderer({ index: choices.length, before, after, usesFunctionCall }));
      choice = choices[index];
    }
    return choice;
  };

  const renderOpening = (head: Reply['start']): string =>
    renderChunkStart(renderHead(head, 'chat.completion.chunk', context));

  const begin = ({ type: _, ...head }: ReplyStart): void => {
    start = head;
    const fields = renderHead(start, 'chat.completion.chunk', context);
    // Only the first chunk has the vendor's own fields.
    first = renderChunkStart({ ...renderUnknownFields(start), ...fields });
    before = renderChunkStart(fields);
  };

  const end = (event: ReplyEnd, out: Sink<Sse>): void => {
    choiceAt(0, out);
    if (includeUsage && hasTokens(usage)) {
      const last = event.serviceTier === start.serviceTier ? before : renderOpening(mergeStart(event, start));
      out.enqueue({ data: `${last}],"usage":${JSON.stringify(renderUsage(usage))}}` });
    }
    out.enqueue({ data: '[DONE]' });
  };

  return {
    transform(event: ReplyEvent, out) {
      switch (event.type) {
        case 'part-delta':
          choices[event.choice]?.write(event.text, out);
          return;
        case 'part-start':
          choiceAt(event.choice, out, event.part).open(
            names.size === 0 ? event : { ...event, part: withGivenName(event.part, names) },
            out,
          );
          return;
        case 'part-detail':
          choiceAt(event.choice, out).addDetail(event);
          return;
        case 'part-end':
          choiceAt(event.choice, out).close(out);
          return;
        case 'logprobs':
          choiceAt(event.choice, out).writeLogprobs(event.tokens, out);
          return;
        case 'choice-end':
          choiceAt(event.choice, out).end(event, out);
          return;
        case 'usage':
          usage = mergeUsage(usage, event.usage);
          return;
        case 'reply-start':
          begin(event);
          return;
        case 'reply-end':
          end(event, out);
          return;
      }
    },
    fail(error, out) {
      out.enqueue(renderLateError(error));
    },
    // An empty delta, and no comment: clients that split a stream at its empty lines lose the event after a comment.
    ping(out) {
      for (const choice of choices) choice.write('', out);
    },
  };
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
