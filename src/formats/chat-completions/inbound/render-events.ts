/** Events as the chunks of a chat-completions stream (OpenAI API reference, "The chat completion chunk object"). */

import type {
  OpenPart,
  Reply,
  ReplyEnd,
  ReplyEvent,
  ReplyStart,
  Usage,
} from '../../../conversation/reply.ts';
import { mergeUsage, startAt } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import type { EventRenderer, RequestContext } from '../../format.ts';
import { hasTokens, renderUsage } from '../wire/usage.ts';
import { type ChoiceRenderer, choiceRenderer } from './render-choice.ts';
import { renderLateError } from './render-error.ts';
import { renderHead, renderUnknownFields, wantsFunctionCall } from './response-fields.ts';

/** @see Inbound.renderEvents */
export function renderEvents(asked: RequestContext): EventRenderer {
  const includeUsage = asked.prompt.includeUsage === true;
  const isOld = wantsFunctionCall(asked);
  const choices: ChoiceRenderer[] = [];
  /** What stands before and after the one choice of a chunk; before that of the first one, the extras too. */
  let before = '';
  let first = '';
  // OpenAI: with include_usage every chunk but the one that tells usage says null.
  const after = includeUsage ? '],"usage":null}' : ']}';
  let usage: Usage = {};
  let start: Reply['start'] = { id: '', model: '' };

  /** @param part what it begins with, if that is a part. */
  const choiceAt = (index: number, out: Sink<Sse>, part?: OpenPart): ChoiceRenderer => {
    let choice = choices[index];
    while (choice === undefined) {
      out.enqueue({ data: first + firstChoice(choices.length, part) + after });
      first = before;
      choices.push(choiceRenderer({ index: choices.length, before, after, isOld }));
      choice = choices[index];
    }
    return choice;
  };

  const headOf = (told: Reply['start']): string => opening(renderHead(told, 'chat.completion.chunk', asked));

  const begin = ({ type: _, ...told }: ReplyStart): void => {
    start = told;
    const head = renderHead(start, 'chat.completion.chunk', asked);
    // What the vendor says beyond the standard fields stands in the first chunk alone.
    first = opening({ ...renderUnknownFields(start), ...head });
    before = opening(head);
  };

  const end = (event: ReplyEnd, out: Sink<Sse>): void => {
    choiceAt(0, out);
    if (includeUsage && hasTokens(usage)) {
      const last = event.serviceTier === start.serviceTier ? before : headOf(startAt(event, start));
      out.enqueue({ data: `${last}],"usage":${JSON.stringify(renderUsage(usage))}}` });
    }
    out.enqueue({ data: '[DONE]' });
  };

  return {
    transform(event: ReplyEvent, out) {
      switch (event.type) {
        case 'part-delta':
          choices[event.choice]?.say(event.text, out);
          return;
        case 'part-start':
          choiceAt(event.choice, out, event.part).open(event, out);
          return;
        case 'part-detail':
          choiceAt(event.choice, out).note(event);
          return;
        case 'part-end':
          choiceAt(event.choice, out).close(out);
          return;
        case 'logprobs':
          choiceAt(event.choice, out).sayLogprobs(event.tokens, out);
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
    // Who splits a stream at its empty lines takes a comment, and what comes after it, for no event.
    ping(out) {
      for (const choice of choices) choice.say('', out);
    },
  };
}

/** A choice's first chunk, which says the role, and an empty text where text follows, as OpenAI does; else there is none. */
function firstChoice(index: number, part?: OpenPart): string {
  const delta = { role: 'assistant', content: part?.kind === 'text' ? '' : null, refusal: null };
  return JSON.stringify({ index, delta, logprobs: null, finish_reason: null });
}

/** A chunk's JSON text up to its first choice. */
function opening(fields: JsonObject): string {
  const { choices: _, usage: __, ...rest } = fields;
  return `${JSON.stringify(rest).slice(0, -1)},"choices":[`;
}
