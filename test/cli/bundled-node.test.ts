/**
 * The Node that npm installs comes first in the path of every script, but does not run everywhere: since
 * version 25 it needs libatomic, which slim images lack. There the system's own Node is used. (If the loader
 * of glibc itself is missing, as on Alpine, shells skip the binary by themselves.) No dependency runs a
 * script before this: S-27 checks that.
 */

import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { asObject, asText, parseJson } from '../../src/lib/json.ts';

const MANIFEST = resolve(import.meta.dirname, '../../package.json');

let directory: string;
const linked = (): string => join(directory, 'node_modules/.bin');

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-bundled-'));
  await mkdir(linked(), { recursive: true });
});
afterEach(() => rm(directory, { recursive: true }));

/** The script that npm runs last, with the path that npm gives its scripts. */
async function install() {
  const manifest = asObject(parseJson(await readFile(MANIFEST, 'utf8')));
  const command = asText(asObject(manifest?.['scripts'])?.['postinstall']) ?? '';
  const path = [linked(), dirname(process.execPath), process.env['PATH']].join(delimiter);
  return spawnSync('sh', ['-c', command], {
    cwd: directory,
    env: { ...process.env, PATH: path },
    encoding: 'utf8',
  });
}

test('a Node that runs stays, without a message', async () => {
  await symlink(process.execPath, join(linked(), 'node'));
  expect(await install()).toMatchObject({ status: 0, stdout: '', stderr: '' });
  expect(await readdir(linked())).toEqual(['node']);
});

test('a Node that lacks a library is removed', async () => {
  const binary = join(directory, 'binary');
  await writeFile(binary, '#!/bin/sh\necho libatomic.so.1: cannot open shared object file >&2\nexit 127\n');
  await chmod(binary, 0o755);
  await symlink(binary, join(linked(), 'node'));
  expect((await install()).status).toBe(0);
  expect(await readdir(linked())).toEqual([]);
});
