/**
 * Cache breakpoints as services take them: OpenAI's `prompt_cache_breakpoint` or Anthropic's `cache_control`. A
 * breakpoint that a caller of this format wrote keeps its spelling, unless the service does not take it.
 */

import { findRoundTrip } from '../../../conversation/format-specific.ts';
import type { CacheBreakpoint, ContentPart, FormatSpecific } from '../../../conversation/prompt.ts';
import { isEmpty, type JsonObject, withoutNulls } from '../../../lib/json.ts';
import type { ModelTraits } from '../../model-traits.ts';
import type { PromptPath } from '../../notes.ts';
import { BREAKPOINT, takesBreakpoints } from '../../openai/cache-breakpoints.ts';
import type { Dialect } from '../dialect.ts';
import type { RenderContext } from './render-context.ts';

/** What has a breakpoint: a part, a tool, a result or the whole prompt. */
interface Marked {
  readonly cacheBreakpoint?: CacheBreakpoint;
  readonly formatSpecific?: FormatSpecific;
}

/**
 * The breakpoint as a caller of this format wrote it, to be spread; empty if there is none, or the service does not take
 * it so: OpenAI knows no `cache_control` ("Unknown parameter").
 */
export function writtenBreakpoint(
  formatSpecific: FormatSpecific | undefined,
  { dialect, target }: RenderContext,
): JsonObject {
  if (formatSpecific === undefined || isRefused(target)) return NOTHING;
  const { prompt_cache_breakpoint: breakpoint, cache_control: control } = findRoundTrip(
    formatSpecific,
    'chat-completions',
  );
  return withoutNulls({
    prompt_cache_breakpoint: breakpoint,
    cache_control: isOpenAis(dialect) ? undefined : control,
  });
}

const NOTHING: JsonObject = {};

function isRefused({ avoids }: ModelTraits): boolean {
  return avoids?.has('service-fields') === true;
}

/** Whether this is OpenAI's service, or a cloud's with its models. */
function isOpenAis({ openaiFields, lossless }: Dialect): boolean {
  return openaiFields && !lossless;
}

/**
 * The breakpoint in the dialect's spelling. Where the service has none, it is dropped and reported.
 * @param path the part of the prompt that has the breakpoint, as notes name it.
 * @returns fields to spread; none without a breakpoint.
 */
export function renderBreakpoint(
  { cacheBreakpoint, formatSpecific }: Marked,
  context: RenderContext,
  path: PromptPath = 'turns[].mark',
): JsonObject {
  if (cacheBreakpoint === undefined) return NOTHING;
  const written = writtenBreakpoint(formatSpecific, context);
  if (!isEmpty(written)) return written;
  if (context.dialect.cacheControl) return { cache_control: { type: 'ephemeral', ...cacheBreakpoint } };
  context.report(path, 'dropped', 'the service caches by itself');
  return NOTHING;
}

/** The breakpoint of a part of a message. OpenAI takes its own on all parts but refusals, and on nothing else. */
export function renderPartBreakpoint(part: ContentPart, context: RenderContext): JsonObject {
  if (part.cacheBreakpoint === undefined) return NOTHING;
  const isOwn = part.kind !== 'refusal' && marksParts(context);
  return isOwn && isEmpty(writtenBreakpoint(part.formatSpecific, context))
    ? BREAKPOINT
    : renderBreakpoint(part, context);
}

/** Whether the service takes breakpoints on parts only, not on the message around them. */
export function marksParts({ dialect, target }: RenderContext): boolean {
  return isOpenAis(dialect) && takesBreakpoints(target.model) && !isRefused(target);
}

/** The breakpoint of a call, which only some routers take, and only as a caller of theirs writes it. */
export function renderCallBreakpoint(call: Marked, context: RenderContext): JsonObject {
  const { lossless, cacheControl } = context.dialect;
  const isOwn = call.formatSpecific?.format === 'chat-completions';
  if (isOwn && (lossless || cacheControl)) return renderBreakpoint(call, context);
  if (call.cacheBreakpoint) context.report('turns[].mark', 'dropped', 'calls have none here');
  return NOTHING;
}

/** The parts of a message whose breakpoint stands on the message itself: the last part has none. */
export function withoutMessageBreakpoint(parts: readonly ContentPart[]): readonly ContentPart[] {
  const last = parts.at(-1);
  if (last === undefined || last.formatSpecific !== undefined) return parts;
  const { cacheBreakpoint: _, ...rest } = last;
  return [...parts.slice(0, -1), rest];
}
