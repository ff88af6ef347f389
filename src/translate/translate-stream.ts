/** Translates a vendor's stream while it arrives. */

import { formats } from '../formats/formats.ts';
import { asGatewayError, type GatewayError } from '../lib/errors.ts';
import { framedAsEvents } from '../streams/framing.ts';
import { pipedSource } from '../streams/piped-source.ts';
import { ON_DEMAND } from '../streams/source-stream.ts';
import { fuse } from '../streams/step.ts';
import { BoundedStream, decodeByLooks } from './decode-answer.ts';
import { translatedBody } from './translated-body.ts';
import { EndWatch, type ReportLate } from './watch-end.ts';
import { type Route, wayBack } from './way-back.ts';

const report: ReportLate = (error, render, out) => render(error, out);

/**
 * Makes the transform of one answer of status 200, from the vendor's bytes to the caller's. In the caller's own format
 * the bytes stay as they are. If the answer fails, breaks off or merely stops, the last event is the error event of the
 * caller's format, and the stream then closes: it never fails itself.
 * @throws TypeError if `from` or `to` is no format, or `request` was translated between other formats.
 */
export function translateStream(way: Route): TransformStream<Uint8Array, Uint8Array> {
  const translation = wayBack(way);
  const { writable, source } = pipedSource();
  if (translation === undefined) return { writable, readable: watched(source.stream(), way.to) };
  const { body } = translatedBody(source, translation, {
    decode: (pieces) => fuse(new BoundedStream(), decodeByLooks(undefined, pieces)),
    framing: framedAsEvents(translation.inbound.ping),
    failures: { report },
  });
  return { writable, readable: body };
}

/** The same bytes, and the error event if they break off. */
function watched(source: ReadableStream<Uint8Array>, format: Route['to']): ReadableStream<Uint8Array> {
  const watch = new EndWatch(formats[format]);
  const reader = source.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const failed = (error: GatewayError): void => {
          watch.fail(error, controller, report);
          controller.close();
        };
        try {
          const { done, value } = await reader.read();
          if (!done) return watch.transform(value, controller);
          watch.flush();
          controller.close();
        } catch (error) {
          failed(asGatewayError(error));
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    ON_DEMAND,
  );
}
