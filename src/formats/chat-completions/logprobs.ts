/** Log probabilities of tokens (OpenAI API reference, `choices[].logprobs`). */

import type { TokenLogprob } from '../../conversation/reply.ts';
import {
  asList,
  asNumber,
  asObject,
  asObjects,
  asText,
  isList,
  type Json,
  type JsonObject,
} from '../../json.ts';

/** The tokens of a `logprobs`, those of a refusal where it has no other; Together writes two lists instead. */
export function parseLogprobs(logprobs: Json | undefined): readonly TokenLogprob[] {
  const fields = asObject(logprobs);
  if (fields === undefined) return [];
  const { content, refusal, tokens } = fields;
  if (isList(tokens)) return parseColumns(tokens, asList(fields['token_logprobs']));
  const spoken = asObjects(content);
  return (spoken.length > 0 ? spoken : asObjects(refusal)).map(parseToken);
}

/** Tokens as the `logprobs` of a choice. */
export function renderLogprobs(tokens: readonly TokenLogprob[], isRefusal: boolean): JsonObject {
  const rendered = tokens.map((token) => ({
    ...renderToken(token),
    top_logprobs: (token.top ?? []).map(renderToken),
  }));
  return isRefusal ? { content: null, refusal: rendered } : { content: rendered, refusal: null };
}

function parseToken(token: JsonObject): TokenLogprob {
  const { bytes, top_logprobs: top } = token;
  return {
    token: asText(token['token']) ?? '',
    logprob: asNumber(token['logprob']) ?? 0,
    ...(bytes === null && { bytes }),
    ...(isList(bytes) && { bytes: bytes.filter((byte) => typeof byte === 'number') }),
    ...(isList(top) && top.length > 0 && { top: asObjects(top).map(parseToken) }),
  };
}

function parseColumns(tokens: readonly Json[], logprobs: readonly Json[]): TokenLogprob[] {
  return tokens.flatMap((token, at) =>
    typeof token === 'string' ? [{ token, logprob: asNumber(logprobs[at]) ?? 0 }] : [],
  );
}

function renderToken({ token, logprob, bytes }: TokenLogprob): JsonObject {
  return { token, logprob, bytes: bytes === undefined ? [...Buffer.from(token, 'utf8')] : bytes };
}
