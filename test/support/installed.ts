/** Programs that tests need and that no package of npm brings. */

import { execFileSync } from 'node:child_process';

/**
 * Whether a program is there; where not, says so in a line, or fails where that environment variable is 1.
 * @param name of what is tested with it, as `Redis`; `REQUIRE_REDIS` is the variable.
 * @param debian the package of Debian's that has it.
 */
export function isInstalled(program: string, name: string, debian: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    const missing = `the package ${debian} is not installed.`;
    if (process.env[`REQUIRE_${name.toUpperCase()}`] === '1')
      throw new Error(`There is no ${name}: ${missing}`);
    console.log(`Skipped with ${name}: ${missing}`);
    return false;
  }
}
