/** Faults injected into a gateway's own process: a program that Node runs before the gateway's. */

import { SOURCE_PROGRAM } from './command.ts';
import type { ProcessOptions } from './process.ts';

/**
 * @param program an ES module. If it imports modules of the gateway itself, as `gateway:<path below src>`, the gateway is
 * that of the sources.
 */
export function preload(program: string, execArgv: readonly string[] = []): ProcessOptions {
  const source = program.replaceAll(
    /gateway:([\w/.-]+)/g,
    (_, path) => new URL(`../../src/${path}`, import.meta.url).href,
  );
  return {
    execArgv: [...execArgv, '--import', `data:text/javascript,${encodeURIComponent(source)}`],
    ...(source !== program && { program: SOURCE_PROGRAM }),
  };
}
