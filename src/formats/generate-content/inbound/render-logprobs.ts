/** `logprobsResult`: one list has the chosen tokens, and another has, step by step, the other likely ones. */

import type { TokenLogprob } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';

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
