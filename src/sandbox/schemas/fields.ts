/** What the schemas of all vendors are written in. */

import { z } from 'zod';
import { wordList } from '../../lib/words.ts';

export const text = z.string();
export const flag = z.boolean();
export const whole = z.int();
export const free = z.record(z.string(), z.unknown());

/** An object with a `type` and these fields only. */
export function tagged<const Type extends string, Fields extends z.ZodRawShape>(type: Type, fields?: Fields) {
  return z.strictObject({ type: z.literal(type), ...fields });
}

/** Fields of one schema. */
export function each<Field extends z.ZodType>(field: Field, names: string): Readonly<Record<string, Field>> {
  return Object.fromEntries(wordList(names).map((name) => [name, field]));
}
