/** The settings of sampling: temperature and the like, the limit of tokens, stop sequences and log probabilities. */

import { compact, type JsonObject } from '../../../lib/json.ts';
import { flagAt, integerAt, numberAt, seedAt, stopsAt } from '../../openai/fields.ts';

/**
 * The settings that a body has, as fields of a prompt. Absent ones are no property of the result.
 * @throws GatewayError `invalid-request` for a value of the wrong type.
 */
export function parseSampling(body: JsonObject) {
  return compact({
    maxTokens:
      integerAt(body['max_completion_tokens'], 'max_completion_tokens') ??
      integerAt(body['max_tokens'], 'max_tokens'),
    temperature: numberAt(body['temperature'], 'temperature'),
    topP: numberAt(body['top_p'], 'top_p'),
    topK: numberAt(body['top_k'], 'top_k'),
    stop: stopsAt(body['stop']),
    // `random_seed` is Mistral's name.
    seed: seedAt(body['seed']) ?? integerAt(body['random_seed'], 'random_seed'),
    frequencyPenalty: numberAt(body['frequency_penalty'], 'frequency_penalty'),
    presencePenalty: numberAt(body['presence_penalty'], 'presence_penalty'),
    choices: integerAt(body['n'], 'n'),
    logprobs: flagAt(body['logprobs'], 'logprobs'),
    topLogprobs: integerAt(body['top_logprobs'], 'top_logprobs'),
  });
}
