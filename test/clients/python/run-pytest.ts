/** Runs the Python clients of a group in one process, against a gateway before recorded simulated vendors. */

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { KEY, startGateway } from '../../support/gateway.ts';
import { pythonOf } from '../../support/programs.ts';
import { CAPABILITIES } from '../table.ts';
import { startRecordingProxy } from './recording-proxy.ts';

const caseSchema = z.strictObject({
  file: z.string(),
  name: z.string(),
  /** An expected failure is one at the vendor too, whose reason is in `message`. */
  outcome: z.enum(['passed', 'failed', 'expected-failure', 'skipped']),
  message: z.string(),
  client: z.string(),
  version: z.string(),
  vendor: z.string().nullable(),
  capabilities: z.array(z.enum(CAPABILITIES)),
});

/** One test in Python, and how it ended. */
export type PythonCase = z.infer<typeof caseSchema>;

/**
 * Runs a group of `test/clients/python`.
 * @returns its tests in their order
 * @throws Error if pytest itself fails, with all that it wrote
 */
export async function runPytest(group: string): Promise<readonly PythonCase[]> {
  const sandbox = await startSandbox({ pace: 'none' });
  const proxy = await startRecordingProxy(new URL(sandbox.places.openai.baseUrl).origin);
  const gateway = await startGateway({
    vendors: Object.fromEntries(
      Object.entries(sandbox.places).map(([vendor, { baseUrl, apiKey }]) => [
        vendor,
        { baseUrl: proxy.url + new URL(baseUrl).pathname, apiKey },
      ]),
    ),
    generateContent: { models: 'all' },
    countTokens: { models: 'all' },
    aliases: ALIASES,
  });
  const directory = await mkdtemp(join(tmpdir(), 'gateway-python-'));
  const report = join(directory, 'report.jsonl');
  try {
    const output = await pytest(group, {
      GATEWAY_URL: gateway.url,
      GATEWAY_KEY: KEY,
      RECORD_URL: `${proxy.url}/passed`,
      REPORT: report,
      // Where clients that keep something write it.
      HOME: directory,
    });
    const lines = (await readFile(report, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
    if (lines.length === 0) throw new Error(`pytest has run nothing:\n${output}`);
    return lines.map((line) => caseSchema.parse(JSON.parse(line)));
  } finally {
    await gateway.close();
    await proxy.close();
    await sandbox.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Names for clients that take no model with a slash in its name. */
const ALIASES = {
  'google/gpt': 'openai/gpt-5.4',
  'google/claude': 'anthropic/claude-sonnet-4-5',
  'google/deepseek': 'deepseek/deepseek-v4-flash',
};

/** @returns all that it wrote */
function pytest(group: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const words = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--tb=short', '--color=no', group];
  const options = {
    cwd: import.meta.dirname,
    maxBuffer: 1e8,
    env: { PATH: process.env['PATH'], PYTHONDONTWRITEBYTECODE: '1', NO_COLOR: '1', ...environment },
  };
  return new Promise((resolve, reject) => {
    execFile(pythonOf(group), words, options, (error, stdout, stderr) => {
      // 1: tests have failed. All other codes mean that tests have not run.
      if (error === null || error.code === 1) resolve(stdout + stderr);
      else reject(new Error(`pytest has failed (${error.code}):\n${stdout}${stderr}`));
    });
  });
}
