/** `logprobsResult`: the chosen tokens in one list, and in another, step by step, what else was likely. */

import type { TokenLogprob } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { asNumber, asObjects, asText } from '../../../lib/json.ts';
import { utf8Bytes } from '../../../lib/utf8.ts';

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
