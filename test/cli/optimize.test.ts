/** V8 optimizes functions once the gateway serves, and not before. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SOURCE_PROGRAM } from '../support/command.ts';

const MODULE = new URL('../../src/cli/optimize.ts', import.meta.url);

/** The flags of V8 that a file sets. */
function flagsIn(file: string | URL): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/setFlagsFromString\('(--.*)'\)/g)].map(
    ([, flag = '']) => flag,
  );
}

test('the filters while it serves are those that V8 has by itself', () => {
  const options = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  const flags = flagsIn(MODULE);
  expect(flags).toHaveLength(2);
  for (const flag of flags) expect(options).toContain(`default: ${flag.replace('*', '"*"')}\n`);
});

test('V8 follows them while it runs, for a function that has been called before, too', () => {
  // The fourth bit says that there is optimized code (V8, `runtime.h`).
  const script = `
    import { setFlagsFromString } from 'node:v8';
    import { optimize } from '${MODULE.href}';
    function sum(to) { let all = 0; for (let at = 0; at < to; at++) all += at % 7; return all; }
    function isOptimizedAfterUse() {
      for (let round = 0; round < 5_000; round++) sum(1_000);
      return (%GetOptimizationStatus(sum) & 8) !== 0;
    }
    for (const flag of ${JSON.stringify(flagsIn(SOURCE_PROGRAM))}) setFlagsFromString(flag);
    const during = isOptimizedAfterUse();
    optimize();
    console.log(JSON.stringify([during, isOptimizedAfterUse()]));`;
  const flags = ['--allow-natives-syntax', '--no-concurrent-recompilation'];
  const args = [...flags, '--input-type=module', '--eval', script];
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toBe('[false,true]\n');
});
