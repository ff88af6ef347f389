/**
 * The suite github.com/avelrl/openai-compatible-tester against a running gateway, in both of its modes, with models of all
 * four vendors. It is not installed with the other programs; if it is on the PATH, each of its tests is a test here.
 */

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asObjects, asText, isObject, parseJson } from '../../src/lib/json.ts';
import { isAvailable, OPENAI_COMPATIBLE_TESTER } from '../support/programs.ts';
import { startRecordedGateway } from './recorded-gateway.ts';

const MODELS = {
  openai: 'openai/gpt-5.4',
  anthropic: 'anthropic/claude-sonnet-5-5',
  google: 'google/gemini-3.8-flash',
  deepseek: 'deepseek/deepseek-v4-flash',
} as const;

const PATHS = { models: '/v1/models', chat: '/v1/chat/completions', responses: '/v1/responses' };
const ON = { enabled: true };
const SUITE = {
  passes: 1,
  parallelism: 1,
  timeout_seconds: 60,
  retry: { max_attempts: 1 },
  stream: ON,
  tool_calling: ON,
  structured_outputs: ON,
  conversations: { enabled: false },
  memory: ON,
};

/** Its configuration is YAML, of which JSON is a part. */
const CONFIGURATION = {
  endpoints: { base_url: 'http://gateway', api_key_env: 'OPENAI_API_KEY', paths: PATHS },
  models: {
    profiles: Object.entries(MODELS).map(([name, model]) => ({
      name,
      chat_model: model,
      responses_model: model,
    })),
  },
  suite: SUITE,
  clients: {},
};

/** What the gateway does not offer, or its simulated models cannot, and how the suite calls that. */
const OTHERWISE: Readonly<Record<string, string>> = {
  // Stored responses are not read again.
  'responses.store_get': 'unsupported',
  // Nothing is stored for models that OpenAI does not serve; strict mode knows no refusal of that.
  'anthropic responses.memory.prev_id': 'stateless',
  'google responses.memory.prev_id': 'stateless',
  // Wants `four plus four` as an expression: a simulated model does not calculate.
  'responses.custom_tool.grammar': 'fail',
};

interface Row {
  readonly name: string;
  readonly status: string;
  readonly expected: string;
  readonly problem: string;
}

if (isAvailable(OPENAI_COMPATIBLE_TESTER)) {
  for (const mode of ['compat', 'strict'] as const) {
    const rows = await run(mode);
    describe(mode, () => {
      test.each(rows)('$name', ({ status, expected, problem }) => {
        expect({ status, problem: status === expected ? '' : problem }).toEqual({
          status: expected,
          problem: '',
        });
      });
    });
  }
} else {
  test.skip('openai-compatible-tester', () => {});
}

async function run(mode: 'compat' | 'strict'): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'compatible-'));
  mkdirSync(join(folder, 'configs'));
  for (const [name, content] of Object.entries(CONFIGURATION))
    writeFileSync(join(folder, `configs/${name}.yaml`), JSON.stringify(content));
  const { environment, close } = await startRecordedGateway();
  try {
    const printed = await new Promise<string>((resolve) => {
      execFile(
        OPENAI_COMPATIBLE_TESTER.name,
        ['--no-tui', '--json', '--out-dir', 'report', '--mode', mode],
        {
          cwd: folder,
          env: {
            ...process.env,
            BASE_URL: environment.GATEWAY_URL,
            OPENAI_API_KEY: environment.GATEWAY_KEY,
          },
        },
        // A test that fails makes the command fail; its report says which.
        (_, told, problems) => resolve(told + problems),
      );
    });
    const [, place] = /to (\S*report\S*)/.exec(printed) ?? [];
    if (place === undefined) throw new Error(`The suite did not run:\n${printed}`);
    return rowsIn(readFileSync(resolve(folder, place, 'full_log.jsonl'), 'utf8'), mode);
  } finally {
    await close();
    rmSync(folder, { recursive: true });
  }
}

function rowsIn(log: string, mode: 'compat' | 'strict'): readonly Row[] {
  const lines = log
    .split('\n')
    .filter(Boolean)
    .map((line) => parseJson(line));
  return asObjects(lines).map((line) => {
    if (!isObject(line)) throw new TypeError('no row');
    const id = asText(line['test_id']) ?? '';
    const name = `${asText(line['profile'])} ${id}`;
    const limit = OTHERWISE[name] ?? OTHERWISE[id] ?? 'pass';
    return {
      name,
      status: asText(line['status']) ?? '',
      expected: limit === 'stateless' ? (mode === 'compat' ? 'unsupported' : 'fail') : limit,
      problem: JSON.stringify(line),
    };
  });
}
