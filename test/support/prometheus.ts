/** Prometheus for tests, from Debian's package `prometheus` if it is installed. */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { asObject, asObjects, type Json, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { freePort } from './free-port.ts';
import { isAvailable, PROMETHEUS } from './programs.ts';

export interface TestPrometheus {
  /**
   * Returns the current value of each series of an expression. @throws Error that says what is wrong with the
   * expression.
   */
  query(expression: string): Promise<readonly JsonObject[]>;
  close(): Promise<void>;
}

/** Whether tests can use one here. @throws Error if REQUIRE_PROMETHEUS requires one and there is none. */
export function hasPrometheus(): boolean {
  return isAvailable(PROMETHEUS);
}

/**
 * Runs `promtool <words> FILE` with a file of that content.
 * @returns its output. @throws Error with its output if the content is invalid.
 */
export async function promtool(words: readonly string[], content: Json): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-promtool-'));
  try {
    // JSON is valid YAML.
    const file = join(directory, 'file.yaml');
    await writeFile(file, JSON.stringify(content));
    const { stdout } = await promisify(execFile)('promtool', [...words, file]);
    return stdout;
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** @param config the content of its file; resolves once the server answers. */
export async function startPrometheus(config: Json): Promise<TestPrometheus> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-prometheus-'));
  const file = join(directory, 'prometheus.yaml');
  await writeFile(file, JSON.stringify(config));
  const port = await freePort();
  const server = spawn(
    'prometheus',
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const kill = (): boolean => server.kill('SIGKILL');
  process.once('exit', kill);
  const url = `http://127.0.0.1:${port}`;

  async function close(): Promise<void> {
    process.off('exit', kill);
    if (server.exitCode === null && server.signalCode === null) {
      const exited = once(server, 'exit');
      kill();
      await exited;
    }
    await rm(directory, { recursive: true, force: true });
  }

  for (let tries = 0; ; tries += 1) {
    const ready = await fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) break;
    if (tries === 200 || server.exitCode !== null) {
      await close();
      throw new Error(`Prometheus did not start: ${said}`);
    }
    await pause(50);
  }

  return {
    async query(expression) {
      const answer = await fetch(`${url}/api/v1/query`, {
        method: 'POST',
        body: new URLSearchParams({ query: expression }),
      });
      const { status, error, data } = asObject(parseJson(await answer.text())) ?? {};
      if (status !== 'success') throw new Error(`${expression}: ${error}`);
      return asObjects(asObject(data)?.['result']);
    },
    close,
  };
}
