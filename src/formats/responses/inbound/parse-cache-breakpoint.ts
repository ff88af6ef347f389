/**
 * The cache breakpoint of a part, a result or a tool: in OpenAI's spelling (`prompt_cache_breakpoint`), or in Anthropic's
 * (`cache_control`), which routers take in this format too.
 */

import type { CacheBreakpoint } from '../../../conversation/prompt.ts';
import { asObject, type JsonObject, withoutFields } from '../../../lib/json.ts';
import { parseCacheControl } from '../../openai/cache-breakpoints.ts';

/** Fields, split into the breakpoint and the others. */
interface SplitBreakpoint {
  readonly cacheBreakpoint: CacheBreakpoint | undefined;
  /** OpenAI's own breakpoint, as the caller wrote it. */
  readonly own: JsonObject;
  /** All other fields. The vendor refuses a breakpoint that is no object. */
  readonly rest: JsonObject;
}

/** Splits the breakpoint off the fields of a part, a result or a tool. */
export function splitBreakpoint(fields: JsonObject): SplitBreakpoint {
  const own = asObject(fields['prompt_cache_breakpoint']);
  const other = asObject(fields['cache_control']);
  if (own === undefined && other === undefined) return { cacheBreakpoint: undefined, own: {}, rest: fields };
  return {
    // OpenAI's times (30 minutes, 12 hours) are none that others have.
    cacheBreakpoint: parseCacheControl(other),
    own: own ? { prompt_cache_breakpoint: own } : {},
    rest: withoutFields(fields, [
      ...(own ? ['prompt_cache_breakpoint'] : []),
      ...(other ? ['cache_control'] : []),
    ]),
  };
}
