/** The report on tools that share a name. Only OpenAI's formats tell them apart, by their kinds and namespaces. */

import type { ParseReport } from '../format.ts';

/** Reports the new names of tools that share one with another tool. @see distinctTools */
export function reportRenamedTools(names: ReadonlyMap<string, string>, report: ParseReport): void {
  if (names.size === 0) return;
  const written = [...names.values()].join(', ');
  report('tools', 'approximated', `other tools have the same names: sent as ${written}`);
}
