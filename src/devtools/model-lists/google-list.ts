/**
 * Google's list: `GET /v1beta/models`, paged by `pageToken` (ai.google.dev, "Models", models.list). It says which
 * methods a model is asked by, but neither when it was released nor when it ends.
 */

import { asList, asObjects, asText, isList, isObject, type JsonObject } from '../../lib/json.ts';
import { type Listed, type ListReader, parseTitle, parseTokens } from './listed.ts';

/** Reads Google's list, for `askList`. */
export const googleList: ListReader = {
  path: (next) =>
    `/v1beta/models?pageSize=1000${next === undefined ? '' : `&pageToken=${encodeURIComponent(next)}`}`,
  page(body) {
    if (!isObject(body)) return undefined;
    const { models, nextPageToken } = body;
    // Google leaves out what is empty: a page after the last model is an object without fields.
    if (!isList(models) && Object.keys(body).some((field) => field !== 'nextPageToken')) return undefined;
    const next = asText(nextPageToken);
    return { models: asObjects(models).flatMap(parseModel), ...(next && { next }) };
  },
};

function parseModel(model: JsonObject): readonly Listed[] {
  const name = asText(model['name'])?.replace(/^models\//, '');
  if (name === undefined) return [];
  const methods = asList(model['supportedGenerationMethods']);
  return [
    {
      name,
      title: parseTitle(model['displayName']),
      contextWindow: parseTokens(model['inputTokenLimit']),
      maxOutputTokens: parseTokens(model['outputTokenLimit']),
      kind: methods.includes('generateContent') ? undefined : parseKind(methods.map(asText)),
    },
  ];
}

/** What the methods other than `generateContent` make. */
const MADE_BY: Readonly<Record<string, string>> = {
  embedContent: 'embedding',
  predict: 'image',
  predictLongRunning: 'video',
  bidiGenerateContent: 'live audio',
};

function parseKind(methods: readonly (string | undefined)[]): string {
  const known = methods.find((method) => method !== undefined && Object.hasOwn(MADE_BY, method));
  return (known !== undefined && MADE_BY[known]) || 'no generateContent';
}
