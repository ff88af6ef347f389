/** The report on tools of one name: both formats have kinds of tools that may share a name, and others do not. */

import type { ParseReport } from '../format.ts';

/** Reports the new names of tools that share one with another tool. @see distinctTools */
export function reportRenamedTools(names: ReadonlyMap<string, string>, report: ParseReport): void {
  if (names.size === 0) return;
  const written = [...names.values()].join(', ');
  report('tools', 'approximated', `other tools have the same names: sent as ${written}`);
}
