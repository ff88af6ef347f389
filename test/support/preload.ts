/** Faults injected into a gateway's own process: a program that Node runs before the gateway's. */

import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BUILT_PROGRAM } from './built-program.ts';
import type { ProcessOptions } from './process.ts';

/**
 * @param program an ES module. It imports what `built.ts` builds beside the program as `gateway:<name>`, and has the modules
 * that the gateway has then.
 */
export function preload(program: string, execArgv: readonly string[] = []): ProcessOptions {
  const source = program.replaceAll(
    /gateway:(\w+)/g,
    (_, name) => pathToFileURL(join(dirname(BUILT_PROGRAM), `${name}.js`)).href,
  );
  return { execArgv: [...execArgv, '--import', `data:text/javascript,${encodeURIComponent(source)}`] };
}
