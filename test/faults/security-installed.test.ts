/** S-27: production needs few packages, and each has a reason. `test/server/built.test.ts` runs it with none of them. */

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { OPTIONAL_PACKAGES } from '../../src/upstream/optional-packages.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (name: string): unknown => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));

const ranges = z.record(z.string(), z.string());
const manifest = z
  .object({
    dependencies: ranges,
    devDependencies: ranges,
    peerDependencies: ranges,
    peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.literal(true) })),
  })
  .parse(read('package.json'));
/** The SDKs whose types the library of translation has. */
const SDKS = ['@anthropic-ai/sdk', '@google/genai', 'openai'];

const flag = z.boolean().default(false);
const { packages } = z
  .object({
    packages: z.record(z.string(), z.object({ dev: flag, optional: flag, devOptional: flag, peer: flag })),
  })
  .parse(read('package-lock.json'));
/** Where npm puts what `npm ci --omit=dev --omit=optional` installs. */
const production = Object.entries(packages)
  .filter(([path, { dev, optional, devOptional }]) => path !== '' && !dev && !optional && !devOptional)
  .map(([path]) => path);

test('S-27 production installs one package', () => {
  expect(production).toEqual(['node_modules/eventsource-parser']);
});

test('S-27 each optional package is a peer dependency with the same range as in the tests', () => {
  const features = Object.values(OPTIONAL_PACKAGES).flat();
  const names = [...features, ...SDKS].toSorted();
  expect(Object.keys(manifest.peerDependencies).toSorted()).toEqual(names);
  expect(Object.keys(manifest.peerDependenciesMeta).toSorted()).toEqual(names);
  for (const name of features) expect(manifest.devDependencies[name]).toBe(manifest.peerDependencies[name]);
  // Only types are taken from these, where they are: no version of them may keep npm from installing the gateway.
  for (const name of SDKS) expect(manifest.peerDependencies[name]).toBe('*');
});

test('S-27 docs/packages.md says what each package is for', () => {
  const told = readFileSync(join(ROOT, 'docs/packages.md'), 'utf8');
  const rows = [...told.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
  const names = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)];
  expect(rows.toSorted()).toEqual(names.toSorted());
  expect(told).toContain(`installs ${production.length} package beside`);
});
