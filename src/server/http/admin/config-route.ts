/** `/admin/config`: the effective configuration. */

import { z } from 'zod';
import type { ConfigEntry } from '../../../config/describe-config.ts';
import { answerJson } from './answers.ts';

export const configList = z.strictObject({
  object: z.literal('list'),
  data: z.array(
    z.strictObject({
      path: z.string().meta({ description: 'The names of its fields, joined by dots.' }),
      value: z.unknown().meta({ description: 'Any JSON; null for a secret.' }),
      secret: z.boolean().meta({ description: 'Whether it is a secret, which is set and not shown.' }),
      source: z.string().meta({ description: 'A variable of the environment, `file` or `default`.' }),
    }),
  ),
});

/** Answers with each value of the configuration and where it comes from, but with no secret. */
export function answerConfig(entries: readonly ConfigEntry[]): Response {
  const data = entries.map(({ path, value, isSecret, source }) => ({
    path,
    value: isSecret ? null : (value ?? null),
    secret: isSecret,
    source,
  }));
  return answerJson({ object: 'list', data });
}
