/** Looks at a Redis without serving. */

import { openRedis } from './redis.ts';

/** Connects once. @returns a sentence for everything that keeps processes from sharing limits there. */
export async function inspectRedis(url: string): Promise<readonly string[]> {
  const found: string[] = [];
  const { close } = await openRedis(
    url,
    (sentence) => void found.push(sentence),
    () => {},
  );
  close();
  return found;
}
