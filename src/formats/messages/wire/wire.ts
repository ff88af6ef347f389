/**
 * The names of Anthropic's wire: `POST /v1/messages`, as the types of `@anthropic-ai/sdk` 1.11 have them. Sorting what
 * comes in: fields that mean something here alone go into `own`, fields nobody here knows into `extra`.
 */

import { formatSpecificOf } from '../../../conversation/format-specific.ts';
import type { CacheBreakpoint, Prompt, TextPart } from '../../../conversation/prompt.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { compact, isEmpty, isObject } from '../../../lib/json.ts';
import type { ModelTraits } from '../../format.ts';

/** The neutral words' name for this format. */
export const FORMAT = 'messages';

/** Fields of a request that only Anthropic knows what to do with; from `betas` on they are beta. */
export const REQUEST_OWN: ReadonlySet<string> = new Set([
  'speed',
  'inference_geo',
  'container',
  'diagnostics',
  'user_profile_id',
  'workspace_id',
  'betas',
  'billing_policy',
  'context_management',
  'fallbacks',
  'fallback_credit_token',
  'mcp_servers',
  // Not in the types: Claude Code's, where it runs tools without asking.
  'safeguards',
]);

/** Fields of a tool of the caller's own that only Anthropic knows what to do with. */
export const TOOL_OWN: ReadonlySet<string> = new Set([
  'type',
  'defer_loading',
  'eager_input_streaming',
  'input_examples',
  'allowed_callers',
]);

/** Whether the caller of a prompt speaks this format: what such a one wrote is the vendor's to judge. */
export function speaksMessages({ formatSpecific: own }: Prompt): boolean {
  return own?.format === FORMAT;
}

/**
 * Whether what such a caller wrote is to be said as it is: in the plain format, which nobody in particular reads. A vendor
 * has it as it is without a translation, which is made for a model that has refused that, in the place of another.
 */
export function keepsAll(prompt: Prompt, { dialect }: ModelTraits): boolean {
  return speaksMessages(prompt) && dialect === '';
}

/** How long a marked prefix may be kept (prompt caching guide). */
const TTLS = ['5m', '1h'];

/** `cache_control` as a mark, or as an own field where it is not of the one known form. */
export function parseMark(value: Json | undefined): { mark?: CacheBreakpoint; fields: JsonObject } {
  if (value === undefined || value === null) return { fields: {} };
  if (!isObject(value)) return { fields: { cache_control: value } };
  const { type, ttl, ...rest } = value;
  if (type !== 'ephemeral' || !isEmpty(rest)) return { fields: { cache_control: value } };
  if (ttl === undefined) return { mark: {}, fields: {} };
  return typeof ttl === 'string' && TTLS.includes(ttl)
    ? { mark: { ttl }, fields: {} }
    : { fields: { cache_control: value } };
}

/** `{ mark, own }` of a block with this `cache_control` and these fields that only Anthropic has: to be spread. */
export function markAndOwn(
  cacheControl: Json | undefined,
  fields: JsonObject = {},
): Pick<TextPart, 'cacheBreakpoint' | 'formatSpecific'> {
  const { mark, fields: written } = parseMark(cacheControl);
  return {
    ...(mark && { cacheBreakpoint: mark }),
    ...formatSpecificOf(FORMAT, compact({ ...written, ...fields })),
  };
}

/** `{ cache_control }` for a mark, else nothing: to be spread. A time Anthropic has not is left to its default. */
export function renderMark(mark: CacheBreakpoint | undefined): JsonObject {
  if (mark === undefined) return {};
  const { ttl } = mark;
  return { cache_control: { type: 'ephemeral', ...(ttl !== undefined && TTLS.includes(ttl) && { ttl }) } };
}
