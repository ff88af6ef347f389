/** The hooks in a configuration. */

import { z } from 'zod';
import type { Hooks } from '../conversation/hooks.ts';
import { milliseconds } from './durations.ts';

const isFunction = (value: unknown): boolean => typeof value === 'function';
const MUST = 'must be a function';

export const hooksSchema = z.strictObject({
  onRequest: z.custom<NonNullable<Hooks['onRequest']>>(isFunction, MUST).exactOptional(),
  onReplyEvent: z.custom<NonNullable<Hooks['onReplyEvent']>>(isFunction, MUST).exactOptional(),
  /** How long `onRequest` may take. */
  timeout: milliseconds.min(1).default(1_000),
  /** What happens when a hook throws or takes too long. */
  failure: z.enum(['refuse', 'ignore']).default('refuse'),
});
