/** The beta features that a caller of another format cannot opt into: those of Anthropic's tools that need one. */

import type { Prompt } from '../../../conversation/prompt.ts';
import { asText } from '../../../lib/json.ts';

const FIRST = 'computer-use-2024-10-22';

/** The control of a computer, and the other tools of its first version ("Computer use tool", platform.claude.com/docs). */
const BETAS: ReadonlyMap<string, string> = new Map([
  ['bash_20241022', FIRST],
  ['text_editor_20241022', FIRST],
  ['computer_20241022', FIRST],
  ['computer_20250124', 'computer-use-2025-01-24'],
  ['computer_20251124', 'computer-use-2025-11-24'],
]);

/** @see Outbound.renderHeaders */
export function renderHeaders({ tools = [], formatSpecific }: Prompt): Readonly<Record<string, string>> {
  // Anthropic's own callers have written the header themselves.
  if (formatSpecific?.format === 'messages') return {};
  const betas = tools.flatMap((tool) => {
    const { shorthand } = tool.kind === 'function' ? tool : {};
    const type = shorthand?.format === 'messages' ? asText(shorthand.fields['type']) : undefined;
    return BETAS.get(type ?? '') ?? [];
  });
  return betas.length > 0 ? { 'anthropic-beta': [...new Set(betas)].join() } : {};
}
