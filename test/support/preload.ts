/** Faults injected into a gateway's own process: a program that Node runs before the gateway's. */

import type { ProcessOptions } from './process.ts';

/** @param program an ES module; it may import the gateway's own modules as `gateway:<path below src>`. */
export function preload(program: string, execArgv: readonly string[] = []): ProcessOptions {
  const source = program.replaceAll(
    /gateway:([\w/.-]+)/g,
    (_, path) => new URL(`../../src/${path}`, import.meta.url).href,
  );
  return { execArgv: [...execArgv, '--import', `data:text/javascript,${encodeURIComponent(source)}`] };
}
