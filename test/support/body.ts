/** Bodies for tests. */

import type { Body, BodySink } from '../../src/streams/body.ts';

/** A stream as a body: read only as long as its sink takes more. */
export function bodyOf(stream: ReadableStream<Uint8Array>): Body {
  const reader = stream.getReader();
  let sink: BodySink | undefined;
  let wants = false;
  let isReading = false;

  async function read(to: BodySink): Promise<void> {
    if (isReading) return;
    isReading = true;
    try {
      while (wants) {
        const { done, value } = await reader.read();
        if (done) {
          to.close();
          return;
        }
        wants = to.write(value);
      }
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      // A GatewayError as a rule: what else a source may fail with is for the test to see.
      Reflect.apply(to.abort, to, [error]);
    } finally {
      isReading = false;
    }
  }

  const pull = (): void => {
    wants = true;
    if (sink !== undefined) void read(sink);
  };
  return {
    pipeTo(to) {
      sink = to;
      pull();
    },
    pull,
    cancel() {
      wants = false;
      void reader.cancel('cancelled').catch(() => undefined);
    },
  };
}
