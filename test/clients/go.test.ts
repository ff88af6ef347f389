/** Clients written in Go, against a running gateway. Their tests are in `test/clients/go`; each is a test here too. */

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'vitest';
import { isObject, parseJson } from '../../src/lib/json.ts';
import { GO, isAvailable } from '../support/programs.ts';
import { ALL_CLIENTS, addVersions, holdResults, type Outcome } from './client-results.ts';
import { startRecordedGateway } from './recorded-gateway.ts';

const FOLDER = join(import.meta.dirname, 'go');

/** Each client, the module of which it is part, and its test. */
const CLIENTS = [
  ['openai-go (chat-completions)', 'github.com/openai/openai-go/v3', 'TestOpenaiChat'],
  ['openai-go (responses)', 'github.com/openai/openai-go/v3', 'TestOpenaiResponses'],
  ['anthropic-sdk-go', 'github.com/anthropics/anthropic-sdk-go', 'TestAnthropic'],
  ['google.golang.org/genai', 'google.golang.org/genai', 'TestGenai'],
  ['go-openai', 'github.com/sashabaranov/go-openai', 'TestGoOpenai'],
  ['langchaingo (OpenAI)', 'github.com/tmc/langchaingo', 'TestLangchaingoOpenai'],
  ['langchaingo (Anthropic)', 'github.com/tmc/langchaingo', 'TestLangchaingoAnthropic'],
] as const;

/** Frameworks that take minutes to compile, each a module of its own, because they want different versions of the same. */
const MORE = [
  ['eino', [['eino (OpenAI)', 'github.com/cloudwego/eino-ext/components/model/openai', 'TestEino']]],
  [
    'fantasy',
    [
      ['fantasy (OpenAI)', 'charm.land/fantasy', 'TestFantasyOpenai'],
      ['fantasy (Anthropic)', 'charm.land/fantasy', 'TestFantasyAnthropic'],
      ['fantasy (Google)', 'charm.land/fantasy', 'TestFantasyGoogle'],
    ],
  ],
  ['genkit', [['Genkit for Go (OpenAI)', 'github.com/firebase/genkit/go', 'TestGenkit']]],
] as const;

if (isAvailable(GO)) {
  const outcomes = [...(await runGo(FOLDER))];
  const clients = [...addVersions(CLIENTS, join(FOLDER, 'go.mod'), findVersion)];
  for (const [name, more] of ALL_CLIENTS ? MORE : []) {
    outcomes.push(...(await runGo(join(FOLDER, name))));
    clients.push(...addVersions(more, join(FOLDER, name, 'go.mod'), findVersion));
  }
  holdResults('Go', outcomes, clients, join(FOLDER, 'results.json'));
} else {
  test.skip('clients in Go', () => {});
}

/** Runs the tests of a Go module. @throws Error if it does not compile. */
async function runGo(folder: string): Promise<readonly Outcome[]> {
  const gateway = await startRecordedGateway();
  try {
    const { printed, problems } = await goTest(folder, gateway.environment);
    const outcomes = outcomesIn(printed);
    if (outcomes.length === 0) throw new Error(`No test of ${folder} ran:\n${printed}${problems}`);
    return outcomes;
  } finally {
    await gateway.close();
  }
}

function goTest(folder: string, environment: Readonly<Record<string, string>>) {
  // As .ci/run compiles them: without optimizations that take the compiler a third of its time, and for once.
  const flags = ['-gcflags=all=-N -l', '-vet=off', '-count=1'];
  return new Promise<{ readonly printed: string; readonly problems: string }>((resolve) => {
    execFile(
      'go',
      ['test', '-json', ...flags, '.'],
      { cwd: folder, env: { ...process.env, ...environment }, maxBuffer: 2 ** 28 },
      // A test that fails makes the command fail; what it printed says which.
      (_, printed, problems) => resolve({ printed, problems }),
    );
  });
}

/** The tests without subtests in what `go test -json` prints. */
function outcomesIn(printed: string): readonly Outcome[] {
  const output = new Map<string, string>();
  const ended = new Map<string, boolean>();
  for (const line of printed.split('\n')) {
    const event = line.startsWith('{') ? parseJson(line) : undefined;
    if (!isObject(event)) continue;
    const { Action: action, Test: name, Output: text } = event;
    // What belongs to no test is about all of them: the program did not compile, or ended early.
    const told = typeof name === 'string' ? name : 'the whole run';
    if (action === 'output' && typeof text === 'string') output.set(told, (output.get(told) ?? '') + text);
    if (action === 'pass' || action === 'fail' || action === 'skip') ended.set(told, action === 'pass');
  }
  const names = [...output.keys(), ...ended.keys()];
  const isLeaf = (name: string): boolean => !names.some((other) => other.startsWith(`${name}/`));
  return [...new Set(names)].filter(isLeaf).map((name) => ({
    name,
    // A test that has not ended took the program down with it.
    passed: ended.get(name) ?? false,
    output: output.get(name) ?? '',
  }));
}

function findVersion(required: string, module: string): string | undefined {
  return new RegExp(`^(?:require|\\s)\\s*${RegExp.escape(module)} v(\\S+)`, 'm').exec(required)?.[1];
}
