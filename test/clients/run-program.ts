/** Runs programs that test clients of other languages and print a line of JSON for each test. */

import { execFile } from 'node:child_process';
import { isObject, parseJson } from '../../src/lib/json.ts';
import type { Outcome } from './client-results.ts';

/** What the program prints. @throws Error if it fails */
export function runProgram(
  folder: string,
  program: string,
  options: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      program,
      options,
      { cwd: folder, env: { ...process.env, ...environment }, maxBuffer: 2 ** 28 },
      (error, printed, problems) =>
        error === null ? resolve(printed) : reject(new Error(`${program} failed:\n${printed}${problems}`)),
    );
  });
}

/** The tests in what a program prints: `{ name, passed, output }` on each line. */
export function parseOutcomes(printed: string): readonly Outcome[] {
  return printed.split('\n').filter(Boolean).map(parseOutcome);
}

function parseOutcome(line: string): Outcome {
  const told = parseJson(line);
  if (!isObject(told)) throw new TypeError(`No outcome: ${line}`);
  const { name, passed, output } = told;
  return { name: String(name), passed: passed === true, output: String(output) };
}
