/** The settings of sampling: temperature and the like, the limit of tokens, stop sequences and log probabilities. */

import type { Prompt } from '../../../conversation/prompt.ts';
import { compact, isList, type Json, type JsonObject } from '../../../lib/json.ts';
import { flagAt, integerAt, numberAt, wrongType } from '../../openai/fields.ts';

/** The settings of a body. */
type Sampling = Pick<
  Prompt,
  | 'maxTokens'
  | 'temperature'
  | 'topP'
  | 'topK'
  | 'stop'
  | 'seed'
  | 'frequencyPenalty'
  | 'presencePenalty'
  | 'choices'
  | 'logprobs'
  | 'topLogprobs'
>;

/**
 * The settings that a body has. Absent ones are no property of the result.
 * @throws GatewayError `invalid-request` for a value of the wrong type.
 */
export function parseSampling(body: JsonObject): Sampling {
  return compact({
    maxTokens:
      integerAt(body['max_completion_tokens'], 'max_completion_tokens') ??
      integerAt(body['max_tokens'], 'max_tokens'),
    temperature: numberAt(body['temperature'], 'temperature'),
    topP: numberAt(body['top_p'], 'top_p'),
    topK: numberAt(body['top_k'], 'top_k'),
    stop: parseStop(body['stop']),
    // `random_seed` is Mistral's name.
    seed: integerAt(nearestNumber(body['seed']), 'seed') ?? integerAt(body['random_seed'], 'random_seed'),
    frequencyPenalty: numberAt(body['frequency_penalty'], 'frequency_penalty'),
    presencePenalty: numberAt(body['presence_penalty'], 'presence_penalty'),
    choices: integerAt(body['n'], 'n'),
    logprobs: flagAt(body['logprobs'], 'logprobs'),
    topLogprobs: integerAt(body['top_logprobs'], 'top_logprobs'),
  });
}

/**
 * The nearest number to a seed of more digits than a JavaScript number holds. The lost digits do not matter: Gemini's
 * seeds have 32 bits, so it refuses the seed anyway.
 */
function nearestNumber(seed: Json | undefined): Json | undefined {
  return JSON.isRawJSON(seed) ? Number(JSON.stringify(seed)) : seed;
}

/** Stop sequences: a string, or a list of strings. An empty list is none. */
function parseStop(value: Json | undefined): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return [value];
  if (!isList(value)) throw wrongType('stop', 'one of a string or array of strings', value);
  if (value.length === 0) return undefined;
  return value.map((item, at) => {
    if (typeof item === 'string') return item;
    throw wrongType(`stop[${at}]`, 'a string', item);
  });
}
