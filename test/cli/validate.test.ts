/** `gateway validate`: its output and its exit code for a recorded answer. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../support/command.ts';
import { FIXTURES } from '../support/recording.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-validate-'));
});
afterAll(() => rm(directory, { recursive: true }));

test('reports an answer that follows the protocol, one that breaks it, and one of an unknown format', async () => {
  const answer = join(FIXTURES, 'replies', 'messages', 'tool-call.sse');
  expect(await runCommand(directory, ['validate', answer])).toEqual({
    code: 0,
    stdout: 'messages: 0 violations\n',
    stderr: '',
  });
  const cut = (await readFile(answer, 'utf8')).split('\n\n').slice(0, -2).join('\n\n');
  await writeFile(join(directory, 'cut.sse'), `${cut}\n\n`);
  const broken = await runCommand(directory, ['validate', 'cut.sse']);
  expect(broken.code).toBe(1);
  expect(broken.stdout).toMatch(
    /^(?:event \d+: \S+: .*\n)+(?: {2}\S+: .*\n)+messages: (?:1 violation|(?:[2-9]|\d{2,}) violations)\n$/,
  );
  expect(broken.stdout).toContain('\n  stop-missing: `message_stop` ends the stream.\n');
  const other = await runCommand(directory, ['validate', answer, '--format=responses']);
  expect([other.code, other.stdout]).toEqual([
    1,
    expect.stringMatching(/\nresponses: (?:1 violation|(?:[2-9]|\d{2,}) violations)\n$/),
  ]);
  await writeFile(join(directory, 'page.html'), '<html></html>');
  const page = await runCommand(directory, ['validate', 'page.html']);
  expect([page.code, page.stdout]).toEqual([1, expect.stringContaining('\nunknown format: 1 violation\n')]);
  expect(await runCommand(directory, ['validate', answer, '--format=xml'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Unknown format xml'),
  });
});

test('a recorded answer cannot steer the terminal', async () => {
  const event = { type: 'message_start\x9b2J', '\x1b]0;mine\x07': 1 };
  await writeFile(join(directory, 'steering.sse'), `event: x\x1b[2J\ndata: ${JSON.stringify(event)}\n\n`);
  const { stdout } = await runCommand(directory, ['validate', 'steering.sse', '--format=messages']);
  expect(stdout).toContain('2J');
  expect(stdout).not.toMatch(/(?!\n)\p{Cc}/u);
});
