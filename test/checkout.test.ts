/**
 * A clone is the same on every system: case-insensitive file systems, Windows and its reserved names, and
 * git's line endings there.
 */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

/** What git reports of all files, by path: `-z`, since it quotes names otherwise. */
function told(...words: readonly string[]): readonly string[] {
  const text = execFileSync('git', ['ls-files', '-z', ...words], { cwd: ROOT, encoding: 'utf8' });
  return text.split('\0').filter((line) => line !== '');
}

/** "Naming Files, Paths, and Namespaces" (Microsoft): the devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

// A download of the files alone has no git history.
describe.skipIf(!existsSync(resolve(ROOT, '.git')))('of a clone', () => {
  test('every name is valid on Windows', () => {
    for (const path of told()) {
      // Windows allows 260 characters with the folder of the clone; a file that is being written has a
      // temporary one beside it.
      expect(path.length, path).toBeLessThan(120);
      for (const name of path.split('/')) {
        expect(name).toMatch(/^[\w.@+-]+$/);
        expect(name).not.toMatch(/\.$/);
        expect(name).not.toMatch(DEVICE);
      }
    }
  });

  test('no two names differ in case alone', () => {
    const folders = told().map((path) =>
      path.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/')),
    );
    const names = new Set(folders.flat());
    expect(new Set([...names].map((name) => name.toLowerCase())).size).toBe(names.size);
  });

  test('there is no symbolic link, which Windows checks out as a file with a path in it', () => {
    expect(told('--stage').filter((line) => !/^100(?:644|755) /.test(line))).toEqual([]);
  });

  test('git leaves line endings as they are, whatever its settings on a machine', () => {
    const attributes = told('--eol').map((line) => /\sattr\/(.*?)\s*\t(.*)$/.exec(line)?.slice(1));
    expect(attributes.length).toBeGreaterThan(1_000);
    for (const [said, path] of attributes.map((found) => found ?? []))
      expect(said, path).toMatch(path?.endsWith('.sse') ? /^-text$/ : /^text=auto eol=lf$/);
  });
});
