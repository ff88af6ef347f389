/** Results of failed tools, for formats without a field that says so: the text says it. */

import { flat } from '../../lib/flat-text.ts';
import type { ToolResultPart } from '../prompt.ts';

const LOOKS_FAILED = /^\W*(tool_use_|tool_)?(error|fail|exception|traceback)/i;

/**
 * The content of a result, after a word for the failure; the content itself if nothing failed, or if it says so
 * already.
 */
export function contentWithFailure({ content, isError }: ToolResultPart): ToolResultPart['content'] {
  if (!isError) return content;
  const [first, ...rest] = content;
  if (first?.kind !== 'text') return [{ kind: 'text', text: 'Error' }, ...content];
  if (LOOKS_FAILED.test(first.text)) return content;
  return [{ ...first, text: flat(`Error: ${first.text}`) }, ...rest];
}
