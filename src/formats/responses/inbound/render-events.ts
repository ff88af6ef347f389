/**
 * Neutral events as a responses stream (OpenAI API reference, "Streaming events"): every event numbered without gaps,
 * items strictly one after another, and the whole response at the end.
 */

import type { ReplyEvent } from '../../../conversation/reply.ts';
import { asText, type JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import type { EventRenderer, RequestContext } from '../../format.ts';
import { errorFields } from '../wire/errors.ts';
import type { Teller } from './output-item.ts';
import { answerWriter } from './response-writer.ts';

/** @see Inbound.renderEvents */
export function renderEvents(asked: RequestContext): EventRenderer {
  let sink: Sink<Sse> | undefined;
  let sequence = 0;
  const number = (): number => {
    sequence += 1;
    return sequence - 1;
  };

  const tell: Teller = {
    say(type, fields) {
      sink?.enqueue({ event: type, data: JSON.stringify({ type, sequence_number: number(), ...fields }) });
    },
    sayEach(types, fields) {
      const written = JSON.stringify(fields).slice(1);
      for (const type of types)
        sink?.enqueue({ event: type, data: `{"type":"${type}","sequence_number":${number()},${written}` });
    },
    deltas(type, place) {
      const [head, tail] = envelope(type, place);
      return (text) =>
        sink?.enqueue({ event: type, data: `${head}${number()}${tail}${JSON.stringify(text)}}` });
    },
  };
  const answer = answerWriter(asked, tell);

  return {
    transform(event: ReplyEvent, out) {
      sink = out;
      answer.add(event);
    },
    fail(error, out) {
      sink = out;
      // The vendor's connection broke after its last word: the answer is whole.
      if (answer.over()) return;
      // A failure before the first event: clients expect a response to begin before it fails.
      answer.begin();
      const fields = errorFields(error);
      tell.say('error', fields);
      const word = asText(fields['code']) ?? 'server_error';
      tell.say('response.failed', { response: answer.failed({ code: word, message: error.message }) });
    },
    // Codex waits for events, for five minutes, and takes no comment for one (openai/codex#31539); who splits a stream at
    // its empty lines takes a comment, and what comes after it, for no event.
    ping(out) {
      sink = out;
      answer.pause();
    },
  };
}

/** What stands around the number, and before the text, of each of a text's deltas. */
function envelope(type: string, place: JsonObject): readonly [head: string, tail: string] {
  const start = JSON.stringify({ type, ...place });
  return [`${start.slice(0, -1)},"sequence_number":`, ',"delta":'];
}
