/** A body from outside as text, and no more of it than what is asked for can have. */

import { gather } from './byte-accumulator.ts';

/** @param most bytes. @returns undefined where there are more, of which the rest is not read. */
export async function boundedText(body: AsyncIterable<Buffer>, most: number): Promise<string | undefined> {
  const whole = gather(most);
  for await (const chunk of body) {
    if (whole.size() + chunk.byteLength > most) return undefined;
    whole.add(chunk);
  }
  return whole.whole().toString('utf8');
}
