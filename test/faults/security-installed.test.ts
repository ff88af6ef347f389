/**
 * S-27: production needs few packages; code that needs others asks for them by name, and works without them otherwise.
 */

import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { OPTIONAL_PACKAGES } from '../../src/upstream/optional-packages.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (name: string): unknown => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));

const ranges = z.record(z.string(), z.string());
const manifest = z
  .object({
    dependencies: ranges,
    devDependencies: ranges,
    peerDependencies: ranges,
    peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.literal(true) })),
  })
  .parse(read('package.json'));
const flag = z.boolean().default(false);
const { packages } = z
  .object({
    packages: z.record(z.string(), z.object({ dev: flag, optional: flag, devOptional: flag, peer: flag })),
  })
  .parse(read('package-lock.json'));
/** Where npm puts what `npm ci --omit=dev --omit=optional` installs. */
const production = Object.entries(packages)
  .filter(([path, { dev, optional, devOptional }]) => path !== '' && !dev && !optional && !devOptional)
  .map(([path]) => path);

test('S-27 production installs fewer than 90 packages, none of them of a cloud', () => {
  expect(production.length).toBeGreaterThan(40);
  expect(production.length).toBeLessThan(90);
  // The metrics library brings the names of OpenTelemetry's API along, and nothing else of it.
  const others = production.filter((path) => path !== 'node_modules/@opentelemetry/api');
  for (const path of others) expect(path).not.toMatch(/@aws|@smithy|google|@opentelemetry/);
});

test('S-27 each optional package is a peer dependency with the same range as in the tests', () => {
  const names = Object.values(OPTIONAL_PACKAGES).flat().toSorted();
  expect(Object.keys(manifest.peerDependencies).toSorted()).toEqual(names);
  expect(Object.keys(manifest.peerDependenciesMeta).toSorted()).toEqual(names);
  for (const name of names) expect(manifest.devDependencies[name]).toBe(manifest.peerDependencies[name]);
});

test('S-27 docs/packages.md says what each package is for', () => {
  const told = readFileSync(join(ROOT, 'docs/packages.md'), 'utf8');
  const rows = [...told.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
  const names = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)];
  expect(rows.toSorted()).toEqual(names.toSorted());
  expect(told).toContain(`installs ${production.length} packages`);
});

describe('S-27 a gateway with the production packages alone', () => {
  let root: string;
  let directory: string;

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'gateway-production-'));
    directory = join(root, 'work');
    mkdirSync(directory);
    for (const name of ['src', 'fixtures', 'package.json'])
      cpSync(join(ROOT, name), join(root, name), { recursive: true });
    for (const path of production.filter((path) => path.lastIndexOf('node_modules/') === 0)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      symlinkSync(join(ROOT, path), join(root, path));
    }
  });
  afterAll(() => rmSync(root, { recursive: true }));

  /** Runs a command; a started gateway is ended once `until` matches its output. */
  function run(args: readonly string[], env: Record<string, string> = {}, until?: RegExp) {
    const child = spawn(process.execPath, [join(root, 'src/cli/gateway.js'), ...args], {
      cwd: directory,
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
        if (until?.test(output)) child.kill('SIGTERM');
      });
    }
    return new Promise<{ code: number | null; output: string }>((done) =>
      child.once('close', (code) => done({ code, output })),
    );
  }

  function configure(config: object): void {
    writeFileSync(join(directory, 'gateway.config.json'), JSON.stringify({ port: 0, ...config }));
  }

  test('starts, for people and for machines', async () => {
    for (const log of ['pretty', 'json']) {
      configure({ log, keys: [{ name: 'test', key: 'gw_a-key-of-the-tests' }] });
      const { code, output } = await run(['start'], {}, /http:\/\/127\.0\.0\.1:\d+/);
      expect(code, output).toBe(0);
    }
  });

  test.each(['aws', 'google'] as const)('with credentials of %s it says what to install', async (type) => {
    const place = { baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1', credentials: type };
    configure({ vendors: { openai: place } });
    const { code, output } = await run(['check']);
    expect(code).not.toBe(0);
    expect(output).toContain('vendors.openai.credentials: needs ');
    expect(output).toContain(`npm install --save-prod ${OPTIONAL_PACKAGES[type].join(' ')}`);
  });

  test('with credentials of azure it needs nothing', async () => {
    const credentials = { type: 'azure', tenantId: 't', clientId: 'c', clientSecret: 's' };
    configure({ vendors: { openai: { baseUrl: 'https://house.openai.azure.com/openai/v1', credentials } } });
    const { code, output } = await run(['check']);
    expect(code, output).toBe(0);
  });

  test('with a trace collector it says what to install', async () => {
    configure({});
    const { code, output } = await run(['start'], { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    expect(code).toBe(78);
    expect(output).toContain('OTEL_EXPORTER_OTLP_ENDPOINT: needs packages that are not installed');
    const [, ...missing] = OPTIONAL_PACKAGES.traces;
    expect(output).toContain(`npm install --save-prod ${missing.join(' ')}`);
  });
});
