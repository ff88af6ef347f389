/** A mistake on the command line is reported in one line, and nothing is done. */

import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import about from '../../package.json' with { type: 'json' };
import { BUILT_PROGRAM } from '../support/built-program.ts';
import { runCommand, startCommand } from '../support/command.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-mistakes-'));
  const request = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello!' }] };
  await writeFile(join(directory, 'request.json'), JSON.stringify(request));
});
afterAll(() => rm(directory, { recursive: true }));

test.each([
  ['start', '--prot=8123'],
  ['check', '--prot=8123'],
  ['models', '--prot=8123'],
  ['models', 'list', '--prot=8123'],
  ['explain', 'request.json', '--prot=8123'],
  ['validate', 'request.json', '--prot=8123'],
  ['usage', '--prot=8123'],
])('an unknown option is rejected: %s %s %s', async (...words) => {
  const { code, stdout, stderr } = await runCommand(directory, words);
  expect(stderr).toBe('Unknown option --prot. See --help.\n');
  expect(stdout).toBe('');
  expect(code).toBe(1);
});

test('a value cannot be taken away by --no-, which is for switches', async () => {
  for (const words of [
    ['keys', 'create', 'team', '--no-models'],
    ['start', '--no-port'],
  ]) {
    const { code, stdout, stderr } = await runCommand(directory, words);
    expect(stderr).toBe(`Unknown option ${words.at(-1)}. See --help.\n`);
    expect([code, stdout]).toEqual([1, '']);
  }
});

test.each([
  [
    ['--model-limits', 'openai/* budget-day=1', '--model-limits', 'anthropic/* budget-day=1'],
    '--model-limits',
  ],
  [['--budget-day=1', '--budgetDay', '2'], '--budget-day'],
])(
  'an option with two values is rejected, since only one would count: keys create team %j',
  async (options, meant) => {
    const { code, stdout, stderr } = await runCommand(directory, ['keys', 'create', 'team', ...options]);
    expect(stderr).toBe(`The option ${meant} is given more than once.\n`);
    expect([code, stdout]).toEqual([1, '']);
  },
);

test.each([
  ['usage', '--key', '--simulated'],
  ['keys', 'create', 'team', '--group', '--budget-day', '5'],
  ['keys', 'create', 'team', '--budgetDay', '--models=openai/*'],
])('an option is no value of the option before it: %s %s', async (...words) => {
  const { code, stdout, stderr } = await runCommand(directory, words);
  expect(stderr).toMatch(/^The option --(?:key|group|budget-day) has no value\.\n$/);
  expect([code, stdout]).toEqual([1, '']);
});

test.each([
  ['--budgetmonth=50', '--budget-month'],
  ['--BUDGET-MONTH=50', '--budget-month'],
  ['--budget_month=50', '--budget-month'],
  ['--Models=openai/*', '--models'],
])('an option in another spelling is rejected, not ignored: keys create team %s', async (option, meant) => {
  const { code, stdout, stderr } = await runCommand(directory, ['keys', 'create', 'team', option]);
  const [name] = option.split('=');
  expect(stderr).toBe(`Unknown option ${name}. Did you mean ${meant}?\n`);
  expect([code, stdout]).toEqual([1, '']);
});

test.each([
  ['--port', ['start']],
  ['--key', ['usage']],
  ['--models', ['keys', 'create', 'team']],
  ['--budget-day', ['keys', 'change', 'team']],
  ['--name', ['record']],
])('%s without a value is rejected, for example if a shell variable is unset: %s', async (option, words) => {
  for (const said of [[`${option}=`], [option, ''], [option]]) {
    const { code, stdout, stderr } = await runCommand(directory, [...words, ...said]);
    expect(stderr).toBe(`The option ${option} has no value.\n`);
    expect([code, stdout]).toEqual([1, '']);
  }
});

test.each([
  [['start', '--port=99999'], 'The configuration is not valid: port: must be at most 65535 (PORT)\n', 78],
  [['start', '--workers=0'], 'The configuration is not valid: workers: must be at least 1 (WORKERS)\n', 78],
  [['audit', '--limit=x'], '--limit: must be a whole number from 1 to 10000\n'],
  [['usage', '--limit=0'], '--limit: must be a whole number from 1 to 10000\n'],
  [['usage', '--limit=1.5'], '--limit: must be a whole number from 1 to 10000\n'],
  [
    ['usage', '--by=a,tag'],
    '--by: must be day, group, key, model, vendor, tag, or several of them, comma-separated\n',
  ],
])('a value that is not valid is rejected with a right one: %j', async (words, said, exit = 1) => {
  const { code, stdout, stderr } = await runCommand(directory, words);
  expect([code, stdout, stderr]).toEqual([exit, '', said]);
});

test.each([
  [['models', '--vendor', 'openai'], 'Name a command before --vendor. Commands: list, sync.\n'],
  [
    ['keys', '--key=gw_secret'],
    'Name a command before --key. Commands: create, list, change, rotate, revoke.\n',
  ],
  [['--port', '8123'], 'Name a command before --port. Commands: start, keys, '],
])('an option where a command must stand is a mistake, not a question for help: %j', async (words, said) => {
  const { code, stdout, stderr } = await runCommand(directory, words);
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(said)]);
});

test('an option that npm takes for a longer option of its own is rejected', () => {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, GATEWAY_STORE_PATH: join(directory, 'kept.db') };
  const { status, stderr } = spawnSync('npm', ['run', 'gateway', 'usage', '--by', 'tag'], {
    env,
    encoding: 'utf8',
  });
  expect(stderr).toMatch(/^(?:Unexpected argument tag\..*, after a separate --\.|npm swallowed --by\..*)$/m);
  expect(status).toBe(1);
});

test.each([
  ['--group', ['run', 'gateway', 'usage', '--group', 'search']],
  ['--models', ['run', 'gateway', 'keys', 'create', 'team', '--models', 'openai/*']],
  ['--budget-day', ['run', 'gateway', 'groups', 'create', 'team', '--budget-day=5']],
  ['--json', ['run', 'gateway', 'usage', '--json']],
  ['--port', ['start', '--port', '8123']],
])('%s before --, where npm swallows it, is rejected: %s', (option, words) => {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, GATEWAY_STORE_PATH: join(directory, 'kept.db') };
  const { status, stderr } = spawnSync('npm', words, { env, encoding: 'utf8' });
  expect(stderr).toContain(`npm swallowed ${option}. Put options after a separate --: npm `);
  expect(status).toBe(1);
  expect(
    spawnSync('npm', ['run', 'gateway', 'keys', 'list'], { env, encoding: 'utf8' }).stdout,
  ).not.toContain('team');
});

test.each([['start'], ['check', 'gateway.config.json'], ['explain', 'request.json']])(
  'an extra argument is rejected: %s %s',
  async (...words) => {
    const { code, stdout, stderr } = await runCommand(directory, [...words, '8123']);
    expect(stderr).toMatch(/^Unexpected argument 8123\..*\n$/);
    expect(stdout).toBe('');
    expect(code).toBe(1);
  },
);

test.each(['explain', 'validate'])('%s of a file that does not exist', async (command) => {
  const { code, stderr } = await runCommand(directory, [command, 'none.json']);
  expect(stderr).toBe('none.json cannot be read (ENOENT).\n');
  expect(code).toBe(1);
});

test.each([
  ['models', '--json'],
  ['keys', 'list'],
  ['usage', '--csv'],
])('a reader that closes the pipe early is no error: %s %s', async (...words) => {
  const { child, ended } = startCommand(directory, words);
  child.stdout.destroy();
  const { code, stderr } = await ended;
  expect(stderr).toBe('');
  expect(code).toBe(0);
});

test('help is plain text without a terminal', async () => {
  for (const words of [['--help'], ['start', '--help'], ['keys', 'rotate', '--help']]) {
    const { stdout } = await runCommand(directory, words);
    expect(stdout).toMatch(/^USAGE /m);
    expect(stdout).not.toContain('\u001b');
  }
});

test('the help of a command shows the full command', async () => {
  for (const words of [['start'], ['keys', 'create'], ['models', 'sync'], ['store', 'copy'], ['keys']]) {
    const { stdout } = await runCommand(directory, [...words, '--help']);
    expect(stdout).toMatch(new RegExp(`^USAGE gateway ${words.join(' ')} `, 'm'));
  }
});

test.each([[[]], [['keys']], [['keys', 'create']]])(
  'gateway help %j prints the same as --help',
  async (words) => {
    const asked = await runCommand(directory, ['help', ...words]);
    expect(asked).toEqual(await runCommand(directory, [...words, '--help']));
    expect([asked.code, asked.stderr]).toEqual([0, '']);
  },
);

test('--version prints the version of package.json', async () => {
  const { code, stdout } = await runCommand(directory, ['--version']);
  expect(stdout).toBe(`${about.version}\n`);
  expect(code).toBe(0);
});

test.each([
  [
    ['keys', 'create'],
    'Missing NAME. Usage: gateway keys create NAME; options: gateway keys create --help\n',
  ],
  [['validate'], 'Missing FILE. Usage: gateway validate FILE; options: gateway validate --help\n'],
  [['nonsense'], /^Unknown command nonsense\. Commands: start, keys, .*, record\.\n$/],
  [['keys', 'bogus'], 'Unknown command keys bogus. Commands: create, list, change, rotate, revoke.\n'],
])('what is missing or unknown is said in one line: %j', async (words, line) => {
  const { code, stdout, stderr } = await runCommand(directory, words);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(line);
});

test('commands in hints can be pasted: under npm, as npm takes them', async () => {
  const env = { npm_lifecycle_event: 'gateway' };
  const { stderr } = await runCommand(directory, ['keys', 'create'], env);
  expect(stderr).toBe(
    'Missing NAME. Usage: npm run gateway keys create NAME; options: npm run gateway keys create -- --help\n',
  );
  const made = await runCommand(directory, ['groups', 'create', 'search'], env);
  expect(made.stderr).toContain("npm run gateway keys create NAME -- --group 'search'");
  const none = await runCommand(directory, ['keys', 'revoke', 'none'], env);
  expect(none.stderr).toBe('There is no key none (see "npm run gateway keys list").\n');
});

test('without a terminal nothing is coloured, whatever goes wrong', async () => {
  for (const words of [[], ['--help'], ['keys'], ['keys', '--help'], ['nonsense'], ['keys', 'create']]) {
    const { stdout, stderr } = await runCommand(directory, words, { FORCE_COLOR: '1' });
    expect(stdout + stderr, words.join(' ')).not.toContain('\u001b');
  }
});

test.each([
  [['chek'], 'Unknown command chek. Did you mean check? Commands: start, '],
  [['Keys'], 'Unknown command Keys. Did you mean keys? Commands: start, '],
  [['keys', 'crate'], 'Unknown command keys crate. Did you mean keys create? Commands: create, '],
  [['frobnicate'], 'Unknown command frobnicate. Commands: start, '],
])('a misspelt command is answered with the nearest one: %j', async (words, said) => {
  const { code, stdout, stderr } = await runCommand(directory, words);
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(said)]);
});

test('the status of a refusal without the refusal is rejected, not ignored', async () => {
  const words = ['explain', 'request.json', '--status', '400'];
  const { code, stdout, stderr } = await runCommand(directory, words);
  expect([code, stdout, stderr]).toEqual([1, '', '--status needs --refusal, the file with the refusal.\n']);
});

test.runIf(process.platform === 'linux')('output that cannot be written is reported in one line', () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, [BUILT_PROGRAM, 'models'], {
    cwd: directory,
    stdio: ['ignore', full, 'pipe'],
  });
  closeSync(full);
  expect(String(stderr)).toBe('The output cannot be written (ENOSPC).\n');
  expect(status).toBe(1);
});
