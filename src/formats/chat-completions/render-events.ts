/** Events as the chunks of a chat-completions stream (OpenAI API reference, "The chat completion chunk object"). */

import type { ReplyEvent, ReplyStart, Usage } from '../../conversation/reply.ts';
import { mergeUsage } from '../../conversation/reply.ts';
import type { JsonObject } from '../../json.ts';
import type { Sse } from '../../streams/sse.ts';
import type { Sink } from '../../streams/step.ts';
import type { Asked, EventRenderer } from '../format.ts';
import { renderExtras, renderHead, wantsOldCall } from './answer.ts';
import { renderLateError } from './errors.ts';
import { type ChoiceRenderer, choiceRenderer } from './render-choice.ts';
import { isKnown, renderUsage } from './usage.ts';

/** @see Inbound.renderEvents */
export function renderEvents(asked: Asked): EventRenderer {
  const includeUsage = asked.prompt.includeUsage === true;
  const isOld = wantsOldCall(asked);
  const choices: ChoiceRenderer[] = [];
  /** What stands before and after the one choice of a chunk. */
  let before = '';
  // OpenAI: with include_usage every chunk but the one that tells usage says null.
  const after = includeUsage ? '],"usage":null}' : ']}';
  let usage: Usage = {};

  const choiceAt = (index: number, out: Sink<Sse>): ChoiceRenderer => {
    let choice = choices[index];
    while (choice === undefined) {
      out.enqueue({ data: before + firstChoice(choices.length) + after });
      choices.push(choiceRenderer({ index: choices.length, before, after, isOld }));
      choice = choices[index];
    }
    return choice;
  };

  const begin = (start: ReplyStart, out: Sink<Sse>): void => {
    const head = renderHead(start, 'chat.completion.chunk', asked);
    // What the vendor says beyond the standard fields stands in the first chunk alone.
    out.enqueue({ data: opening({ ...renderExtras(start), ...head }) + firstChoice(0) + after });
    before = opening(head);
    choices.push(choiceRenderer({ index: 0, before, after, isOld }));
  };

  const end = (out: Sink<Sse>): void => {
    if (includeUsage && isKnown(usage)) {
      out.enqueue({ data: `${before}],"usage":${JSON.stringify(renderUsage(usage))}}` });
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
          choiceAt(event.choice, out).open(event, out);
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
          begin(event, out);
          return;
        case 'reply-end':
          end(out);
          return;
      }
    },
    fail(error, out) {
      out.enqueue(renderLateError(error));
    },
  };
}

/** A choice's first chunk, which says the role. */
function firstChoice(index: number): string {
  const delta = { role: 'assistant', content: '', refusal: null };
  return JSON.stringify({ index, delta, logprobs: null, finish_reason: null });
}

/** A chunk's JSON text up to its first choice. */
function opening(fields: JsonObject): string {
  const { choices: _, usage: __, ...rest } = fields;
  return `${JSON.stringify(rest).slice(0, -1)},"choices":[`;
}
