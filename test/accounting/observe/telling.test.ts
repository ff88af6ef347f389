/** Where a serving process reports its own events: in its log, and nowhere else if it has one. */

import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { asText, isObject, type JsonObject, tryParseJson } from '../../../src/lib/json.ts';
import { openStore } from '../../../src/store/store.ts';
import { call } from '../../support/caller.ts';
import { KEY, vendorsAtUrl } from '../../support/gateway.ts';
import { firstKeyOf, type GatewayProcess, spawnGateway } from '../../support/process.ts';
import { childrenOf } from '../../support/process-tree.ts';
import { soon } from '../../support/soon.ts';
import { startUpstream, type TestUpstream } from '../../support/upstream.ts';

const IN_FORCE = 'The configuration was reloaded and is in force.';

let vendor: TestUpstream;
let gateway: GatewayProcess;
beforeEach(async () => {
  // A stream that never ends.
  vendor = await startUpstream((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"choices":[]}\n\n');
  });
});
afterEach(async () => {
  await gateway.close();
  await vendor.close();
});

function configOf(workers: number): ConfigInput {
  return { port: 0, workers, vendors: vendorsAtUrl(vendor.url), timeouts: { drain: 300 } };
}

function reload(config: object): void {
  const file = join(gateway.directory, 'gateway.config.json');
  writeFileSync(`${file}.new`, JSON.stringify(config));
  renameSync(`${file}.new`, file);
  gateway.signal('SIGHUP');
}

/** The lines of standard output. @throws Error if one is not a JSON object. */
function lines(): readonly JsonObject[] {
  const written = gateway.written().stdout.split('\n');
  // The last line may be incomplete.
  return written.slice(0, -1).map((line) => {
    const value = tryParseJson(line);
    if (!isObject(value)) throw new Error(`No JSON: ${line}`);
    return value;
  });
}

const says = (message: string | RegExp) => (): void => {
  const found = lines().find(({ msg }) => asText(msg)?.match(message));
  expect(found, String(message)).toBeDefined();
};

describe.each([1, 2])('a JSON log of %d processes that serve', (workers) => {
  test('is JSON to its last line, and contains every event', async () => {
    const config = { ...configOf(workers), keys: [{ name: 'test', key: KEY }] };
    gateway = await spawnGateway(configOf(workers), { env: { GATEWAY_LOG: 'json' } });
    says(/^Gateway on http:\/\/127\.0\.0\.1:\d+ with \d+ models\.$/)();

    reload({ ...config, limits: { bodyBytes: -1 } });
    await soon(
      says(/^The new configuration was refused, and the old one stays in force\. .*limits\.bodyBytes/),
    );
    reload({ ...config, usage: { keepDays: 3 } });
    await soon(says(IN_FORCE));
    says(`${IN_FORCE} Changes to usage take effect when the gateway is restarted.`)();
    if (workers > 1) {
      const [worker] = childrenOf(gateway.pid);
      if (worker === undefined) throw new Error('There is no worker.');
      process.kill(worker, 'SIGKILL');
      await soon(says('A worker ended (SIGKILL) and is being replaced.'.replace(/[()]/g, '.')));
      await soon(says('A new worker is serving.'));
    }

    const body = JSON.stringify({ model: 'gpt-4o', stream: true, messages: [] });
    const { over } = await call(gateway.url, '/v1/chat/completions', body);
    gateway.signal('SIGTERM');
    await over;
    expect(await gateway.ended).toBe(0);
    await soon(says('Answers cut off before they were complete: 1.'));
    says('exchange')();
    for (const line of lines()) {
      expect(line['level']).toMatch(/^(?:info|warn|error)$/);
      expect(Date.parse(asText(line['time']) ?? '')).toBeGreaterThan(0);
    }
    expect(gateway.written().stderr).toBe('');
  });
});

test('changes to a configuration that need a restart are reported, and nothing else', async () => {
  gateway = await spawnGateway(configOf(1));
  reload({ ...configOf(1), usage: { ask: 'always' }, log: 'none' });
  await soon(says(IN_FORCE));
  expect(lines().filter(({ msg }) => asText(msg)?.includes('take effect'))).toMatchObject([
    { msg: `${IN_FORCE} Changes to log take effect when the gateway is restarted.` },
  ]);
});

test('with a JSON log, the key that a first start has made is in no log', async () => {
  gateway = await spawnGateway(configOf(1), { keyless: true, env: { GATEWAY_LOG: 'json' } });
  await firstKeyOf(gateway);
  reload({ ...configOf(1), usage: { keepDays: 3 } });
  await soon(says(IN_FORCE));
  expect(gateway.output()).not.toContain('gw_');
});

test('without a log, a failure is a plain line on standard error', async () => {
  gateway = await spawnGateway(configOf(1), { env: { GATEWAY_LOG: 'none' } });
  expect(gateway.written().stdout).toMatch(/^Gateway on http/);
  reload({ ...configOf(1), keys: [], limits: { bodyBytes: -1 } });
  await soon(() =>
    expect(gateway.written().stderr).toMatch(
      /^The new configuration was refused, and the old one stays in force\. .*bodyBytes.*\n$/,
    ),
  );
});

test('a store that is readable again is reported at the level info', async () => {
  gateway = await spawnGateway(configOf(1));
  const store = await openStore({ path: join(gateway.directory, '.gateway', 'gateway.db') });
  const rename = (from: string, to: string) => store.db.schema.alterTable(from).renameTo(to).execute();
  const levelOf = (message: RegExp) => lines().find(({ msg }) => asText(msg)?.match(message))?.['level'];
  await rename('gateway_changes', 'gateway_elsewhere');
  await soon(() => expect(levelOf(/^Keys cannot be read/)).toBe('error'));
  await rename('gateway_elsewhere', 'gateway_changes');
  await soon(() => expect(levelOf(/^Keys can be read/)).toBe('info'));
  await store.close();
});
