/** A plain start loads no library that its configuration does not use, which saves time and memory. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runCommand, SOURCE_PROGRAM } from '../../support/command.ts';
import { postJson } from '../../support/post-json.ts';
import { type GatewayProcess, spawnGateway } from '../../support/process.ts';
import { eventually } from '../../support/raw.ts';

/**
 * Makes every thread and process report on standard error which of these packages it loads, by import or by
 * require. prom-client requires @opentelemetry/api by itself, so only the SDK and the exporter count.
 */
const HOOK = `
  import { writeSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      const [, name] = /\\/node_modules\\/(pg|ioredis|@opentelemetry(?!\\/api\\/))\\//.exec(url) ?? [];
      if (name !== undefined) writeSync(2, 'LOADED ' + name + ';');
      return next(url, context);
    },
  });`;
const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(HOOK)}`;

function loaded(output: string): readonly string[] {
  return [...new Set(Array.from(output.matchAll(/LOADED ([^;]+);/g), ([, name = '']) => name))].sort();
}

let gateway: GatewayProcess | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

async function askSandbox(url: string): Promise<void> {
  const response = await postJson(`${url}/v1/chat/completions`, {
    model: 'sandbox/echo',
    messages: [{ role: 'user', content: 'Hello.' }],
  });
  await response.text();
}

test.each([1, 2])(
  '%i process(es) without addresses load neither PostgreSQL nor Redis nor OpenTelemetry',
  async (workers) => {
    gateway = await spawnGateway({ workers }, { program: SOURCE_PROGRAM, env: { NODE_OPTIONS } });
    await askSandbox(gateway.url);
    expect(loaded(gateway.output())).toEqual([]);
  },
);

test('addresses of Redis and of a collector load the libraries for them', async () => {
  gateway = await spawnGateway(
    {},
    {
      program: SOURCE_PROGRAM,
      env: {
        NODE_OPTIONS,
        REDIS_URL: 'redis://127.0.0.1:1',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      },
    },
  );
  const { output } = gateway;
  await eventually(() => loaded(output()).length === 2, 'both are loaded');
  expect(loaded(output())).toEqual(['@opentelemetry', 'ioredis']);
});

test('a DATABASE_URL loads the driver of PostgreSQL', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-unused-'));
  const env = { NODE_OPTIONS, DATABASE_URL: 'postgres://127.0.0.1:1/gateway' };
  const { stderr } = await runCommand(directory, ['keys', 'list'], env, SOURCE_PROGRAM);
  rmSync(directory, { recursive: true });
  expect(loaded(stderr)).toEqual(['pg']);
});
