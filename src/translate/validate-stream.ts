/** Checks a stream against the rules of its format while it passes. */

import type { FormatName } from '../conversation/prompt.ts';
import { asGatewayError } from '../lib/errors.ts';
import { validator } from '../protocol/validate.ts';
import type { Result, ValidateOptions } from '../protocol/validator.ts';
import { decodeSse, type Sse } from '../streams/sse.ts';
import type { Sink } from '../streams/step.ts';
import { checkFormats } from './check-input.ts';

/** What `validateStream` takes besides the format. */
export interface StreamCheck extends ValidateOptions {
  /** Called once, when the stream has ended: with every rule that it has broken. */
  readonly report: (result: Result) => void;
}

/**
 * Makes the transform. It passes all bytes on as they are, whatever they say, and reports at the end which rules of the
 * format they have broken.
 * @throws TypeError if there is no such format.
 */
export function validateStream(
  format: FormatName,
  { report, ...options }: StreamCheck,
): TransformStream<Uint8Array, Uint8Array> {
  checkFormats(format);
  const judge = validator(format, options);
  const decoder = decodeSse();
  const events: Sink<Sse> = { enqueue: (event) => judge.add(event) };
  /** Why the rest of the stream could not be read. */
  let unread: string | undefined;
  const attempt = (work: () => void): void => {
    if (unread !== undefined) return;
    try {
      work();
    } catch (error) {
      unread = asGatewayError(error).message;
    }
  };
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      attempt(() => decoder.transform(chunk, events));
    },
    flush() {
      attempt(() => decoder.flush?.(events));
      const violations = judge.end();
      const cut = unread === undefined ? [] : [{ rule: 'unreadable', index: 0, detail: unread }];
      report({ violations: [...violations, ...cut], failed: judge.failed() });
    },
  });
}
