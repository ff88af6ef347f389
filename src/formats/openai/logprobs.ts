/** Log probabilities of tokens, in the list that both of OpenAI's formats have. */

import type { TokenLogprob } from '../../conversation/reply.ts';
import { asNumber, asObjects, asText, isList, type Json, type JsonObject } from '../../lib/json.ts';
import { utf8Bytes } from '../../lib/utf8.ts';

/** The tokens of a list; none if the value is no list. */
export function parseTokens(value: Json | undefined): readonly TokenLogprob[] {
  return asObjects(value).map(parseToken);
}

/**
 * Tokens as a list.
 * @param takesNull whether `bytes` may be null, as it is from vendors that send none.
 */
export function renderTokens(tokens: readonly TokenLogprob[], takesNull: boolean): readonly JsonObject[] {
  return tokens.map((token) => ({
    ...renderToken(token, takesNull),
    top_logprobs: (token.top ?? []).map((top) => renderToken(top, takesNull)),
  }));
}

function parseToken(token: JsonObject): TokenLogprob {
  const { bytes, top_logprobs: top } = token;
  return {
    token: asText(token['token']) ?? '',
    logprob: asNumber(token['logprob']) ?? 0,
    ...(bytes === null && { bytes }),
    ...(isList(bytes) && { bytes: bytes.filter((byte) => typeof byte === 'number') }),
    ...(isList(top) && top.length > 0 && { top: parseTokens(top) }),
  };
}

function renderToken({ token, logprob, bytes }: TokenLogprob, takesNull: boolean): JsonObject {
  if (bytes === null && takesNull) return { token, logprob, bytes };
  return { token, logprob, bytes: bytes ?? utf8Bytes(token) };
}
