/** Tool results as tool messages. */

import type { ContentPart, MediaPart, Part, TextPart, ToolResultPart } from '../../../conversation/prompt.ts';
import { contentWithFailure } from '../../../conversation/rules/failed-result.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { ownFields } from '../../own-fields.ts';
import { renderBreakpoint } from './render-cache-breakpoints.ts';
import { renderContent } from './render-content.ts';
import type { RenderContext } from './render-context.ts';
import { callIdFor } from './tool-names.ts';

export interface RenderedResults {
  readonly messages: JsonObject[];
  /** What the tool messages could not hold: to be said by the user after them. */
  readonly moved: readonly (TextPart | MediaPart)[];
}

/** Results in their order; images and files of them follow, where a tool message takes text alone. */
export function renderResults(results: readonly ToolResultPart[], context: RenderContext): RenderedResults {
  const moved: (TextPart | MediaPart)[] = [];
  const messages = results.map((result) => {
    const media = result.content.filter((part) => part.kind === 'media');
    if (context.dialect.mediaInToolMessages || media.length === 0) return renderResult(result, context);
    context.report(
      'turns[].content',
      'approximated',
      'images and files of a result are sent in a user message after it',
    );
    moved.push(text(`From the result of ${result.name ?? result.id}:`));
    for (const part of media) moved.push(part);
    const rest = result.content.filter((part) => part.kind !== 'media');
    const content = rest.length > 0 ? rest : [text('The result is in the next user message.')];
    return renderResult({ ...result, content }, context);
  });
  return { messages, moved };
}

/** What a user says right after results as part of the last one, where no user message may follow. */
export function appendToLastResult(
  results: readonly ToolResultPart[],
  said: readonly ContentPart[],
  { report }: RenderContext,
): readonly ToolResultPart[] {
  const last = results.at(-1);
  if (last === undefined || said.length === 0) return results;
  report('turns[].content', 'approximated', 'what the user says after a result is sent with the result');
  const texts = said.map((part) => (part.kind === 'refusal' ? text(part.text) : part));
  return [...results.slice(0, -1), { ...last, content: [...last.content, ...texts] }];
}

function renderResult(result: ToolResultPart, context: RenderContext): JsonObject {
  const { dialect, report } = context;
  const own = ownFields(result.formatSpecific, 'chat-completions', 'turns[]', report);
  const content = toldError(result, context);
  const isMarkInside = dialect.cacheControl && own['cache_control'] === undefined;
  return {
    ...result.unknownFields,
    ...(!isMarkInside && renderBreakpoint(result, context)),
    role: 'tool',
    tool_call_id: callIdFor(result.id, dialect),
    content: renderContent(isMarkInside ? markedContent(content, result) : content, '\n', context),
  };
}

/** A failed result says so in words, for there is no field for it. */
function toldError(result: ToolResultPart, { report }: RenderContext): ToolResultPart['content'] {
  const content = contentWithFailure(result);
  if (content !== result.content) {
    report('turns[].is_error', 'approximated', "sent as the word 'Error' before the result");
  }
  return content;
}

/** Routers take cache marks on parts of the content alone. */
function markedContent(
  content: ToolResultPart['content'],
  { cacheBreakpoint: mark }: ToolResultPart,
): ToolResultPart['content'] {
  const last = content.at(-1);
  return mark === undefined || last === undefined
    ? content
    : [...content.slice(0, -1), { ...last, cacheBreakpoint: mark }];
}

function text(words: string): TextPart {
  return { kind: 'text', text: words };
}

/** The results among parts. */
export function findResults(parts: readonly Part[]): readonly ToolResultPart[] {
  return parts.filter((part) => part.kind === 'tool-result');
}
