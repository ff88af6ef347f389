/** Results of tools that failed, for formats that have no field for it: the text says so. */

import type { ToolResultPart } from '../prompt.ts';

const LOOKS_FAILED = /^\W*(tool_use_|tool_)?(error|fail|exception|traceback)/i;

/** The content of a result, with the word for a failure before it; itself where nothing failed, or it says so. */
export function contentWithFailure({ content, isError }: ToolResultPart): ToolResultPart['content'] {
  if (!isError) return content;
  const [first, ...rest] = content;
  if (first?.kind !== 'text') return [{ kind: 'text', text: 'Error' }, ...content];
  if (LOOKS_FAILED.test(first.text)) return content;
  return [{ ...first, text: `Error: ${first.text}` }, ...rest];
}
