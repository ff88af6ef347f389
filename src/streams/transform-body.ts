/** A body whose bytes a step changes on their way. */

import type { Body } from './body.ts';
import type { Step } from './step.ts';

/** @param step must not throw. */
export function changed(body: Body, step: Step<Uint8Array, Uint8Array>): Body {
  return {
    pipeTo(sink) {
      let takesMore = true;
      const out = {
        enqueue(chunk: Uint8Array) {
          takesMore = sink.write(chunk);
        },
      };
      body.pipeTo({
        write(chunk) {
          takesMore = true;
          step.transform(chunk, out);
          return takesMore;
        },
        close() {
          step.flush?.(out);
          sink.close();
        },
        abort: (error) => sink.abort(error),
      });
    },
    pull: () => body.pull(),
    cancel: (error) => body.cancel(error),
  };
}
