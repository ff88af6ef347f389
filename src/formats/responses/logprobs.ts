/** Log probabilities of output_text parts. */

import type { TokenLogprob } from '../../conversation/reply.ts';
import { asNumber, asObjects, asText, isList, type Json, type JsonObject } from '../../json.ts';

/** Tokens as a text's `logprobs` lists them. */
export function parseLogprobs(value: Json | undefined): TokenLogprob[] {
  return asObjects(value).map((token) => {
    const { bytes, top_logprobs: top } = token;
    return {
      token: asText(token['token']) ?? '',
      logprob: asNumber(token['logprob']) ?? 0,
      ...(isList(bytes) && { bytes: bytes.filter((byte) => typeof byte === 'number') }),
      ...(bytes === null && { bytes }),
      ...(isList(top) && { top: parseLogprobs(top) }),
    };
  });
}

/** Tokens as a text part has them. */
export function renderLogprobs(tokens: readonly TokenLogprob[]): JsonObject[] {
  return tokens.map(({ top, ...token }) => ({
    ...alternative(token),
    top_logprobs: (top ?? []).map(alternative),
  }));
}

function alternative({ token, logprob, bytes }: TokenLogprob): JsonObject {
  return { token, logprob, bytes: bytes ?? [...new TextEncoder().encode(token)] };
}
