/** The package as npm publishes it. The program in it runs by itself, in a folder that has no package beside it. */

import { execFileSync, spawn } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import OpenAI from 'openai';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { packedManifest } from '../../build/packed-manifest.ts';
import { OPTIONAL_PACKAGES } from '../../src/upstream/optional-packages.ts';
import { buildPart } from '../support/build-package.ts';
import { cleanFolder } from '../support/clean-folder.ts';
import { KEY } from '../support/gateway.ts';
import { type GatewayProcess, spawnGateway } from '../support/process.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = cleanFolder('gateway-built-');
const dist = join(folder, 'dist');
const program = join(dist, 'gateway.js');
let running: GatewayProcess;

beforeAll(async () => {
  buildPart('program', dist);
  buildPart('library', join(dist, 'library'));
  writeFileSync(
    join(folder, 'package.json'),
    packedManifest(readFileSync(join(ROOT, 'package.json'), 'utf8')),
  );
  for (const name of ['fixtures', 'README.md', 'LICENSE', 'CHANGELOG.md'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  running = await spawnGateway({ log: 'json' }, { program });
});
afterAll(async () => {
  await running.close();
  rmSync(folder, { recursive: true, force: true });
});

test('it answers streams of every vendor, and records them', async () => {
  const client = new OpenAI({ apiKey: KEY, baseURL: `${running.url}/v1` });
  for (const model of ['openai/gpt-4.1', 'anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash']) {
    const stream = await client.chat.completions.create({
      model,
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
    });
    let text = '';
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
    expect(text).not.toBe('');
  }
  // The lines of the log and the rows come from the accounting worker.
  await expect.poll(() => running.output().split('"model":').length - 1).toBe(3);
  const usage = () =>
    execFileSync(process.execPath, [program, 'usage', '--simulated', '--json'], {
      cwd: running.directory,
      encoding: 'utf8',
    });
  await expect.poll(usage).toContain('openai/gpt-4.1');
});

test('it serves the console with its scripts', async () => {
  const html = await (await fetch(`${running.url}/`)).text();
  const [, script] = /src="\.(\/console\/[^"]+)"/.exec(html) ?? [];
  for (const path of [script, '/openapi.json', '/config.schema.json'])
    expect([path, (await fetch(`${running.url}${path}`)).status]).toEqual([path, 200]);
});

test('it knows its version', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(execFileSync(process.execPath, [program, '--version'], { encoding: 'utf8' })).toContain(version);
});

test('its modules have only characters that V8 keeps in one byte', () => {
  const modules = globSync('*.js', { cwd: dist });
  expect(modules).toContain('gateway.js');
  const twoBytes = modules.filter((name) => !/^[\0-\xff]*$/.test(readFileSync(join(dist, name), 'utf8')));
  expect(twoBytes).toEqual([]);
});

test('it has the licences of what is in it', () => {
  const licenses = readFileSync(join(dist, 'LICENSES.txt'), 'utf8');
  for (const name of ['h3', 'undici', 'zod', 'preact', 'markdown-it', 'kysely', 'pino', 'eventsource-parser'])
    expect(licenses).toMatch(new RegExp(`^${name} \\d`, 'm'));
});

describe('what npm packs', () => {
  const manifest = z.array(
    z.object({
      filename: z.string(),
      size: z.number(),
      unpackedSize: z.number(),
      files: z.array(z.object({ path: z.string() })),
    }),
  );
  let packed: z.infer<typeof manifest>[number];

  beforeAll(() => {
    const made = execFileSync('npm', ['pack', '--json', '--ignore-scripts'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const [first] = manifest.parse(JSON.parse(made));
    if (first === undefined) throw new Error(made);
    packed = first;
  });

  test('is less than 15 MB unpacked, and has no sources and no tests', () => {
    expect(packed.unpackedSize).toBeLessThan(15_000_000);
    const paths = packed.files.map(({ path }) => path);
    for (const path of [
      'dist/gateway.js',
      'dist/library/translate.js',
      'dist/library/config.schema.json',
      'CHANGELOG.md',
    ])
      expect(paths).toContain(path);
    expect(paths.filter((path) => /^(?:src|test|bench|build)\/|\.map$/.test(path))).toEqual([]);
  });

  test('brings one package, no Node of its own, and no script that runs while it is installed', () => {
    const about = z
      .looseObject({ dependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
    expect(Object.keys(about.dependencies)).toEqual(['eventsource-parser']);
    for (const field of ['scripts', 'optionalDependencies', 'devDependencies'])
      expect(about).not.toHaveProperty(field);
  });

  test('has types that every resolution finds (@arethetypeswrong), and what its manifest names (publint)', async () => {
    const tarball = createPackageFromTarballData(new Uint8Array(readFileSync(join(folder, packed.filename))));
    const checked = await checkPackage(tarball);
    const problems = checked.types === false ? ['no types'] : checked.problems;
    // The package is for `import` alone: Node's own require takes it, and older resolutions know no exports.
    const others = problems.filter((problem) => {
      if (typeof problem === 'string') return true;
      return (
        problem.kind !== 'CJSResolvesToESM' &&
        !('resolutionKind' in problem && problem.resolutionKind === 'node10')
      );
    });
    expect(others).toEqual([]);
    const { messages, pkg } = await publint({ pkgDir: folder, pack: false });
    expect(
      messages.filter(({ type }) => type !== 'suggestion').map((message) => formatMessage(message, pkg)),
    ).toEqual([]);
  });
});

describe('S-27 without any package beside it', () => {
  const directory = join(folder, 'work');

  beforeAll(() => mkdirSync(directory));

  /** Runs a command; a started gateway is ended once `until` matches its output. */
  function run(args: readonly string[], env: Record<string, string> = {}, until?: RegExp) {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: directory,
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        const seen = until?.test(output);
        output += text;
        // A second signal would end it early, with another code.
        if (seen === false && until?.test(output)) child.kill('SIGTERM');
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

  test.each(['ts', 'js', 'mts'])('reads a configuration in .%s', async (ending) => {
    const name = `other.config.${ending}`;
    writeFileSync(join(directory, name), 'export default { port: 4321 };\n');
    const { code, output } = await run(['check'], { GATEWAY_CONFIG: name, OPENAI_API_KEY: 'sk-test' });
    expect(code, output).toBe(0);
    expect(output).toContain('127.0.0.1:4321');
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
    expect(output).toContain(`npm install --save-prod ${OPTIONAL_PACKAGES.traces.join(' ')}`);
  });
});
