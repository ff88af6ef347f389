/** Clients written in Rust, against a running gateway. Their tests are in `test/clients/rust`; each is a test here too. */

import { join } from 'node:path';
import { test } from 'vitest';
import { isAvailable, RUST } from '../support/programs.ts';
import { ALL_CLIENTS, addVersions, holdResults, type Outcome } from './client-results.ts';
import { startRecordedGateway } from './recorded-gateway.ts';
import { parseOutcomes, runProgram } from './run-program.ts';

const FOLDER = join(import.meta.dirname, 'rust');

/** Each client, its crate, and its tests. */
const CLIENTS = [
  ['async-openai (chat-completions)', 'async-openai', 'AsyncOpenaiChat'],
  ['async-openai (responses)', 'async-openai', 'AsyncOpenaiResponses'],
  ['genai (OpenAI)', 'genai', 'GenaiChat'],
  ['genai (OpenAI responses)', 'genai', 'GenaiResponses'],
  ['genai (Anthropic)', 'genai', 'GenaiAnthropic'],
  ['genai (Gemini)', 'genai', 'GenaiGemini'],
] as const;

/** Those of the feature `full`, which takes a minute more to compile. */
const MORE = [
  ['rig (OpenAI)', 'rig-core', 'RigChat'],
  ['rig (OpenAI responses)', 'rig-core', 'RigResponses'],
  ['rig (Anthropic)', 'rig-core', 'RigAnthropic'],
  ['rig (Gemini)', 'rig-core', 'RigGemini'],
] as const;

if (isAvailable(RUST)) {
  const outcomes = await runRust();
  const clients = [...CLIENTS, ...(ALL_CLIENTS ? MORE : [])];
  const tested = addVersions(clients, join(FOLDER, 'Cargo.lock'), findVersion);
  holdResults('Rust', outcomes, tested, join(FOLDER, 'results.json'));
} else {
  test.skip('clients in Rust', () => {});
}

/** Compiles and runs the tests. @throws Error if they do not compile, or end early. */
async function runRust(): Promise<readonly Outcome[]> {
  const options = ['--quiet', '--locked', ...(ALL_CLIENTS ? ['--features', 'full'] : [])];
  await runProgram(FOLDER, 'cargo', ['build', ...options]);
  const gateway = await startRecordedGateway();
  try {
    return parseOutcomes(await runProgram(FOLDER, 'cargo', ['run', ...options], gateway.environment));
  } finally {
    await gateway.close();
  }
}

function findVersion(locked: string, crate: string): string | undefined {
  return new RegExp(`^name = "${RegExp.escape(crate)}"\nversion = "(.*)"$`, 'm').exec(locked)?.[1];
}
