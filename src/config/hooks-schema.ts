/** The hooks in a configuration. */

import { types } from 'node:util';
import { z } from 'zod';
import type { Hooks } from '../conversation/hooks.ts';
import { milliseconds } from './durations.ts';

const isFunction = (value: unknown): boolean => typeof value === 'function';
const isSynchronous = (value: unknown): boolean => isFunction(value) && !types.isAsyncFunction(value);
const MUST = 'must be a function';

/** No value in a file of JSON or YAML is a function (JSON Schema, 9.2.1.4). */
const IN_CODE_ALONE = { not: {} };

export const hooksSchema = z.strictObject({
  /** Called with each request before anything of it goes to a vendor. */
  onRequest: z.custom<NonNullable<Hooks['onRequest']>>(isFunction, MUST).meta(IN_CODE_ALONE).exactOptional(),
  /** Called with each event of an answer. */
  onReplyEvent: z
    .custom<NonNullable<Hooks['onReplyEvent']>>(isSynchronous, `${MUST} that is not async`)
    .meta(IN_CODE_ALONE)
    .exactOptional(),
  /** How long `onRequest` may take. */
  timeout: milliseconds.min(1).default(1_000),
  /** What happens when a hook throws or takes too long. */
  failure: z.enum(['refuse', 'ignore']).default('refuse'),
});
