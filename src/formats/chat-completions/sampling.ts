/** How the answer is drawn: temperature and its like, as the dialect and the model take them. */

import type { Prompt } from '../../conversation/prompt.ts';
import { compact, type JsonObject } from '../../json.ts';
import type { Writing } from './writing.ts';

export function renderSampling(prompt: Prompt, writing: Writing): JsonObject {
  const { dialect, target, report } = writing;
  const drop = (field: string, detail: string): undefined => {
    report(field, 'dropped', detail);
  };
  const { topK, logprobs, topLogprobs } = prompt;
  const wishes = compact({
    temperature: prompt.temperature,
    top_p: prompt.topP,
    frequency_penalty: prompt.frequencyPenalty,
    presence_penalty: prompt.presencePenalty,
    top_k: dialect.topK || topK === undefined ? topK : drop('topK', 'has no counterpart here'),
    logprobs: dialect.logprobs || !logprobs ? logprobs : drop('logprobs', 'the service tells none'),
    top_logprobs:
      dialect.logprobs || topLogprobs === undefined
        ? topLogprobs
        : drop('topLogprobs', 'the service tells none'),
  });
  if (target.sampling) return { ...wishes, ...renderStop(prompt.stop, writing) };
  for (const field of Object.keys(wishes)) drop(field, 'the model refuses it');
  return renderStop(prompt.stop, writing);
}

function renderStop(stop: Prompt['stop'], { dialect, target, report }: Writing): JsonObject {
  if (stop === undefined || stop.length === 0) return {};
  const { refusesStop } = dialect;
  const isTaken = refusesStop === 'sampling' ? target.sampling : target.thinking === undefined;
  if (refusesStop === 'never' || isTaken) return { stop };
  report('stop', 'dropped', 'the model refuses it');
  return {};
}
