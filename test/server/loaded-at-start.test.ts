/**
 * The modules that a start loads: code that only the sandbox or other commands use costs no start time or
 * memory.
 */

import { afterEach, expect, test } from 'vitest';
import { SOURCE_PROGRAM } from '../support/command.ts';
import { preload } from '../support/preload.ts';
import { type GatewayProcess, spawnGateway } from '../support/process.ts';

let running: GatewayProcess | undefined;
afterEach(async () => {
  await running?.close();
  running = undefined;
});

/** Reports the address of every module of the sandbox and of devtools as Node loads it. */
const REPORT = {
  program: SOURCE_PROGRAM,
  ...preload(`
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      if (/\\/src\\/(?:sandbox|devtools)\\//.test(url)) process.stderr.write('loaded ' + url + '\\n');
      return next(url, context);
    },
  });
`),
};

test('a start with a real vendor loads neither the sandbox nor the developer tools', async () => {
  const vendors = { openai: { apiKey: 'sk-of-theirs', baseUrl: 'http://127.0.0.1:9/v1' } };
  running = await spawnGateway({ vendors }, REPORT);
  await (await fetch(`${running.url}/health/ready`)).body?.cancel();
  expect(running.output()).not.toContain('loaded ');
});

test('a start without any vendor loads the sandbox, and no developer tools', async () => {
  running = await spawnGateway({}, REPORT);
  expect(running.output()).toMatch(/loaded \S+\/src\/sandbox\/sandbox\.ts/);
  expect(running.output()).not.toContain('/src/devtools/');
});
