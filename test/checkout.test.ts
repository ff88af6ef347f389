/** That a clone is the same on every system: file systems that fold case, Windows and its names, git there and its line ends. */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

/** Whatever git tells of all files, by its path: `-z`, as it quotes names elsewhere. */
function told(...words: readonly string[]): readonly string[] {
  const text = execFileSync('git', ['ls-files', '-z', ...words], { cwd: ROOT, encoding: 'utf8' });
  return text.split('\0').filter((line) => line !== '');
}

/** "Naming Files, Paths, and Namespaces" (Microsoft): the devices, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

// A download of the files alone has no history that could be asked.
describe.skipIf(!existsSync(resolve(ROOT, '.git')))('of a clone', () => {
  test('every name is one on Windows', () => {
    for (const path of told()) {
      // 260 of them with the folder of the clone, and of two files one beside it while it is being written.
      expect(path.length, path).toBeLessThan(120);
      for (const name of path.split('/')) {
        expect(name).toMatch(/^[\w.@+-]+$/);
        expect(name).not.toMatch(/\.$/);
        expect(name).not.toMatch(DEVICE);
      }
    }
  });

  test('no two names differ in their case alone', () => {
    const folders = told().map((path) =>
      path.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/')),
    );
    const names = new Set(folders.flat());
    expect(new Set([...names].map((name) => name.toLowerCase())).size).toBe(names.size);
  });

  test('there is no link, which Windows writes as a file that names another one', () => {
    expect(told('--stage').filter((line) => !/^100(?:644|755) /.test(line))).toEqual([]);
  });

  test('git leaves line ends as they are, whatever it is told to do on a machine', () => {
    const attributes = told('--eol').map((line) => /\sattr\/(.*?)\s*\t(.*)$/.exec(line)?.slice(1));
    expect(attributes.length).toBeGreaterThan(1_000);
    for (const [said, path] of attributes.map((found) => found ?? []))
      expect(said, path).toMatch(path?.endsWith('.sse') ? /^-text$/ : /^text=auto eol=lf$/);
  });
});
