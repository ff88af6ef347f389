/**
 * Renders neutral events as a responses stream (OpenAI API reference, "Streaming events"): events are numbered without
 * gaps, items come strictly one after another, and the whole response comes at the end.
 */

import type { ReplyEvent } from '../../../conversation/reply.ts';
import { asText, type JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import type { EventRenderer, RequestContext } from '../../format.ts';
import { renderFailureCode } from '../wire/failure-codes.ts';
import type { EventWriter } from './output-item.ts';
import { renderErrorFields } from './render-error.ts';
import { responseWriter } from './response-writer.ts';

/** @see Inbound.renderEvents */
export function renderEvents(request: RequestContext): EventRenderer {
  let sink: Sink<Sse> | undefined;
  let sequence = 0;
  const nextNumber = (): number => {
    sequence += 1;
    return sequence - 1;
  };

  const events: EventWriter = {
    write(type, fields) {
      const data = JSON.stringify({ type, sequence_number: nextNumber(), ...fields });
      sink?.enqueue({ event: type, data });
    },
    writeEach(types, makeFields) {
      const serialized = JSON.stringify(makeFields()).slice(1);
      for (const type of types) {
        const data = `{"type":"${type}","sequence_number":${nextNumber()},${serialized}`;
        sink?.enqueue({ event: type, data });
      }
    },
    deltas(type, place) {
      const [head, tail] = deltaTemplate(type, place);
      return (text) =>
        sink?.enqueue({ event: type, data: `${head}${nextNumber()}${tail}${JSON.stringify(text)}}` });
    },
  };
  const response = responseWriter(request, events);

  return {
    transform(event: ReplyEvent, out) {
      sink = out;
      response.add(event);
    },
    fail(error, out) {
      sink = out;
      // The vendor's connection broke after its last event: the answer is whole.
      if (response.isOver()) return;
      // Clients expect a response to begin before it fails, even if it fails before the first event.
      response.begin();
      const fields = renderErrorFields(error);
      events.write('error', fields);
      const code = renderFailureCode(asText(fields['code']));
      events.write('response.failed', { response: response.renderFailed({ code, message: error.message }) });
    },
    // An event, and no comment: Codex waits five minutes for an event, and does not count comments
    // (openai/codex#31539). Clients that split the stream at empty lines take a comment, together with the event after
    // it, for no event.
    ping(out) {
      sink = out;
      response.keepAlive();
    },
  };
}

/** What the deltas of one text have in common: the JSON before the number, and between the number and the text. */
function deltaTemplate(type: string, place: JsonObject): readonly [head: string, tail: string] {
  const start = JSON.stringify({ type, ...place });
  return [`${start.slice(0, -1)},"sequence_number":`, ',"delta":'];
}
