/** How closely the model looks at an image: OpenAI's `detail`, and `mediaResolution` of a part ("Media resolution"). */

import { asObject, isEmpty, type Json } from '../../../lib/json.ts';

const LEVELS: readonly (readonly [detail: string, level: string])[] = [
  ['low', 'MEDIA_RESOLUTION_LOW'],
  ['high', 'MEDIA_RESOLUTION_HIGH'],
  ['original', 'MEDIA_RESOLUTION_ULTRA_HIGH'],
];

/** The neutral detail for a part's `mediaResolution`; undefined if no detail says exactly the same. */
export function parseDetail(resolution: Json | undefined): string | undefined {
  const { level, ...rest } = asObject(resolution) ?? {};
  return isEmpty(rest) ? LEVELS.find(([, name]) => name === level)?.[0] : undefined;
}

/** The `level` for a neutral detail; undefined if Gemini has none for it. */
export function findLevel(detail: string | undefined): string | undefined {
  return LEVELS.find(([name]) => name === detail)?.[1];
}
