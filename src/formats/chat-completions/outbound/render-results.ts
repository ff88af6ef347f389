/** Tool results as tool messages. */

import type { ContentPart, MediaPart, TextPart, ToolResultPart } from '../../../conversation/prompt.ts';
import { contentWithFailure } from '../../../conversation/rules/failed-result.ts';
import { contentWithBreakpoint, isPlain } from '../../../conversation/turn-parts.ts';
import { flat } from '../../../lib/flat-text.ts';
import { isEmpty, type JsonObject } from '../../../lib/json.ts';
import { keepItems } from '../../../lib/lists.ts';
import { reportForeign } from '../../own-fields.ts';
import { marksParts, renderBreakpoint, writtenBreakpoint } from './render-cache-breakpoints.ts';
import { renderContent } from './render-content.ts';
import type { RenderContext } from './render-context.ts';
import { callIdFor } from './tool-names.ts';

export interface RenderedResults {
  readonly messages: JsonObject[];
  /** Parts that the tool messages cannot hold. They go into a user message after them. */
  readonly moved: readonly (TextPart | MediaPart)[];
}

/** Results in their order. Their images and files are moved if tool messages take only text. */
export function renderResults(results: readonly ToolResultPart[], context: RenderContext): RenderedResults {
  const moved: (TextPart | MediaPart)[] = [];
  const messages = results.map((result) => {
    const media = keepItems(result.content, (part) => part.kind === 'media');
    if (context.dialect.mediaInToolMessages || media.length === 0) return renderResult(result, context);
    context.report(
      'turns[].content',
      'approximated',
      'images and files of a result are sent in a user message after it',
    );
    moved.push(text(flat(`From the result of ${result.name ?? result.id}:`)));
    for (const part of media) moved.push(part);
    const rest = result.content.filter((part) => part.kind !== 'media');
    const content = rest.length > 0 ? rest : [text('The result is in the next user message.')];
    return renderResult({ ...result, content }, context);
  });
  return { messages, moved };
}

/** The results with the user's content appended to the last one, for services that refuse a user message after a result. */
export function appendToLastResult(
  results: readonly ToolResultPart[],
  content: readonly ContentPart[],
  { report }: RenderContext,
): readonly ToolResultPart[] {
  const last = results.at(-1);
  if (last === undefined || content.length === 0) return results;
  report('turns[].content', 'approximated', 'what the user says after a result is sent with the result');
  const texts = content.map((part) => (part.kind === 'refusal' ? text(part.text) : part));
  return [...results.slice(0, -1), { ...last, content: [...last.content, ...texts] }];
}

function renderResult(result: ToolResultPart, context: RenderContext): JsonObject {
  const { dialect, report } = context;
  if (isPlain(result) && result.isError === undefined) {
    const content = renderContent(result.content, '\n', context);
    return { role: 'tool', tool_call_id: callIdFor(result.id, dialect), content };
  }
  reportForeign(result.formatSpecific, 'chat-completions', 'turns[]', report);
  const content = contentWithFailure(result);
  if (content !== result.content) {
    report('turns[].is_error', 'approximated', "sent as the word 'Error' before the result");
  }
  const isBreakpointInside =
    (dialect.cacheControl || marksParts(context)) &&
    isEmpty(writtenBreakpoint(result.formatSpecific, context));
  return {
    ...result.unknownFields,
    ...(!isBreakpointInside && renderBreakpoint(result, context)),
    role: 'tool',
    tool_call_id: callIdFor(result.id, dialect),
    content: renderContent(
      isBreakpointInside ? contentWithBreakpoint(content, result) : content,
      '\n',
      context,
    ),
  };
}

function text(words: string): TextPart {
  return { kind: 'text', text: words };
}
