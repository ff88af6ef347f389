/** Reports at the end of a run which tests were skipped and what they lacked, so that no skipped test looks passed. */

import type { Reporter, TestModule } from 'vitest/node';
import { PROGRAMS, type Program } from './programs.ts';

/** How many tests of a file were skipped. */
export interface SkippedFile {
  readonly file: string;
  readonly tests: number;
}

/** The last lines of a run; empty if nothing was skipped and no program is missing. */
export function skippedReport(skipped: readonly SkippedFile[], missing: readonly Program[]): string {
  if (skipped.length === 0) return '';
  const lines = missing.map(
    ({ name, remedy, variable }) => `${name} is missing: ${remedy}. ${variable}=1 makes that a failure.`,
  );
  const files = skipped.map(({ file, tests }) => `  ${file}: ${tests} skipped`);
  return ['', ...lines, 'Not tested:', ...files, ''].join('\n');
}

export default class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.map((module) => ({
      file: module.relativeModuleId,
      tests: Array.from(module.children.allTests('skipped')).length,
    }));
    const missing = PROGRAMS.filter(({ isThere }) => !isThere());
    const report = skippedReport(
      skipped.filter(({ tests }) => tests > 0),
      missing,
    );
    if (report !== '') console.log(report);
  }
}
