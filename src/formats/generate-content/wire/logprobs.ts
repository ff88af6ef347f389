/** `logprobsResult`: one list has the chosen tokens, and another has, step by step, the other likely ones. */

import type { TokenLogprob } from '../../../conversation/reply.ts';
import { asNumber, asObjects, asText, type JsonObject } from '../../../lib/json.ts';
import { utf8Bytes } from '../../../lib/utf8.ts';

/** The chosen tokens of a `logprobsResult`, each with the alternatives of its step. */
export function parseLogprobs(result: JsonObject): readonly TokenLogprob[] {
  const tops = asObjects(result['topCandidates']);
  return asObjects(result['chosenCandidates']).map((chosen, step) => {
    const top = tops[step];
    return { ...parseToken(chosen), ...(top && { top: asObjects(top['candidates']).map(parseToken) }) };
  });
}

function parseToken(token: JsonObject): TokenLogprob {
  const text = asText(token['token']) ?? '';
  return {
    token: text,
    logprob: asNumber(token['logProbability']) ?? 0,
    bytes: utf8Bytes(text),
  };
}

/** The `logprobsResult` of tokens. */
export function renderLogprobs(tokens: readonly TokenLogprob[]): JsonObject {
  return {
    chosenCandidates: tokens.map(renderToken),
    ...(tokens.some((token) => token.top) && {
      topCandidates: tokens.map((token) => ({ candidates: (token.top ?? []).map(renderToken) })),
    }),
  };
}

function renderToken({ token, logprob }: TokenLogprob): JsonObject {
  return { token, logProbability: logprob };
}
