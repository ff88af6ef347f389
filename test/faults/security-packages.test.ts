/**
 * S-27: the installed packages are those of the lockfile, come from the registry, and run nothing during the
 * installation.
 */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));

const ranges = z.record(z.string(), z.string());
const manifest = z
  .object({ dependencies: ranges, devDependencies: ranges, optionalDependencies: ranges, scripts: ranges })
  .parse(read('package.json'));
const lock = z
  .object({
    lockfileVersion: z.number(),
    packages: z.record(
      z.string(),
      z.looseObject({
        integrity: z.string().optional(),
        resolved: z.string().optional(),
        link: z.boolean().optional(),
        inBundle: z.boolean().optional(),
        hasInstallScript: z.boolean().optional(),
        dependencies: z.record(z.string(), z.string()).default({}),
        optionalDependencies: z.record(z.string(), z.string()).default({}),
      }),
    ),
  })
  .parse(read('package-lock.json'));
const installed = Object.entries(lock.packages).filter(([path]) => path !== '');

test('S-27 every package is pinned by the hash of its content', () => {
  expect(lock.lockfileVersion).toBe(3);
  expect(installed.length).toBeGreaterThan(50);
  for (const [path, { integrity, link, inBundle }] of installed) {
    expect(link, path).toBeUndefined();
    if (!inBundle) expect(integrity, path).toMatch(/^sha512-/);
  }
});

test('S-27 every package comes from a registry, none from a repository, an address or a folder', () => {
  for (const [name, range] of Object.entries({
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.optionalDependencies,
  })) {
    // An alias for a package refers to the registry too.
    expect(range, name).toMatch(/^(?:npm:(?:@[a-z-]+\/)?[a-z-]+@)?[\^~]?\d+\.\d+\.\d+$/);
    expect(lock.packages, name).toHaveProperty([`node_modules/${name}`]);
  }
  for (const [path, { resolved }] of installed) expect(resolved ?? 'https:', path).toMatch(/^https:/);
});

// npm installs nothing at all from a lockfile that lacks a package which another may use, on whatever system.
test('S-27 the lockfile has every package that another one names, so that `npm ci` installs it', () => {
  const missing = installed.flatMap(([path, entry]) =>
    Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
      .filter((name) => !reachable(path, name))
      .map((name) => `${path} needs ${name}`),
  );
  expect(missing).toEqual([]);
});

/** Whether a package finds another in its own node_modules or in one above it. */
function reachable(path: string, name: string): boolean {
  if (`${path}/node_modules/${name}` in lock.packages) return true;
  const above = path.lastIndexOf('/node_modules/');
  return above === -1 ? `node_modules/${name}` in lock.packages : reachable(path.slice(0, above), name);
}

test('S-27 no package runs anything when it is installed, and our own runs one line, and in a clone builds the console', () => {
  const running = installed.filter(([, { hasInstallScript }]) => hasInstallScript);
  expect(running.map(([path]) => path)).toEqual([]);
  const own = Object.entries(manifest.scripts).filter(([name]) =>
    /^(?:pre|post)?(?:install|prepare)$/.test(name),
  );
  // The purpose of the first is in test/cli/bundled-node.test.ts. npm runs the second in a clone alone.
  expect(own).toEqual([
    ['postinstall', 'node -e 0 || rm -f node_modules/.bin/node'],
    ['prepare', 'node src/console/prepare.js'],
  ]);
});
