/** How callers name the fields of a prompt. */

import type { FormatName, Prompt } from '../conversation/prompt.ts';
import { isObject, type Json, type JsonObject } from '../lib/json.ts';
import { speller } from './spellings.ts';

/**
 * The callers' names of a prompt's fields, where they differ from the prompt's. The first one that a request contains
 * is used; a request contains `output_config.effort` if it has an `output_config` with an `effort`.
 */
const CALLED: ReadonlyMap<string, readonly string[]> = new Map<keyof Prompt, readonly string[]>([
  ['turns', ['messages', 'input']],
  ['toolChoice', ['tool_choice', 'function_call']],
  ['parallelToolCalls', ['parallel_tool_calls', 'tool_choice.disable_parallel_tool_use']],
  ['output', ['response_format', 'text.format', 'output_format', 'output_config.format']],
  ['thinking', ['thinking', 'reasoning_effort', 'reasoning', 'output_config.effort', 'enable_thinking']],
  ['maxTokens', ['max_completion_tokens', 'max_tokens', 'max_output_tokens']],
  ['topP', ['top_p']],
  ['topK', ['top_k']],
  ['stop', ['stop', 'stop_sequences']],
  ['frequencyPenalty', ['frequency_penalty']],
  ['presencePenalty', ['presence_penalty']],
  ['choices', ['n']],
  ['logprobs', ['logprobs', 'include']],
  ['topLogprobs', ['top_logprobs']],
  ['user', ['user', 'safety_identifier', 'metadata.user_id']],
  ['serviceTier', ['service_tier']],
  ['cacheKey', ['prompt_cache_key']],
  ['cacheBreakpoint', ['cache_control']],
  ['cachedContent', ['extra_body.google.cached_content']],
]);

/** The same for Google's format, where most of them are inside another field. */
const CALLED_BY_GOOGLE: ReadonlyMap<string, readonly string[]> = new Map<keyof Prompt, readonly string[]>([
  ['turns', ['contents']],
  ['toolChoice', ['toolConfig.functionCallingConfig']],
  ['output', ['generationConfig.responseMimeType']],
  ['thinking', ['generationConfig.thinkingConfig']],
  ['maxTokens', ['generationConfig.maxOutputTokens']],
  ['temperature', ['generationConfig.temperature']],
  ['topP', ['generationConfig.topP']],
  ['topK', ['generationConfig.topK']],
  ['stop', ['generationConfig.stopSequences']],
  ['seed', ['generationConfig.seed']],
  ['frequencyPenalty', ['generationConfig.frequencyPenalty']],
  ['presencePenalty', ['generationConfig.presencePenalty']],
  ['choices', ['generationConfig.candidateCount']],
  ['logprobs', ['generationConfig.responseLogprobs']],
  ['topLogprobs', ['generationConfig.logprobs']],
]);

/** The same for names inside turns and tools. */
const CALLED_WITHIN: Readonly<Partial<Record<FormatName, Readonly<Record<string, string>>>>> = {
  'chat-completions': { '.mark': '.cache_control', '.citations': '.annotations', '.thinking': '.reasoning' },
  responses: {
    '.mark': '.prompt_cache_breakpoint',
    '.citations': '.annotations',
    '.thinking': '.reasoning',
    '.signature': '.encrypted_content',
  },
  messages: { '.mark': '.cache_control' },
  'generate-content': {
    '.detail': '.mediaResolution',
    '.thinking': '.thought',
    '.signature': '.thoughtSignature',
  },
};

/**
 * Translates a place in a prompt to the caller's name of it: `turns[].citations` becomes `input[].annotations`,
 * `own.store` becomes `store`. A name that is not a place of a prompt is returned unchanged.
 * @param from the format of `body`.
 * @param spell spells fields as `body` does; whoever asks for many fields makes it once.
 */
export function fieldPathForCaller(
  field: string,
  from: FormatName,
  body: JsonObject,
  spell = speller(from, body),
): string {
  const [root = '', ...rest] = field.split(/(?=[.[])/);
  if (root === 'own') return spell(rest.join('').slice(1));
  const names = (from === 'generate-content' ? CALLED_BY_GOOGLE : CALLED).get(root) ?? [root];
  const called = names.find((name) => hasPath(body, name)) ?? names[0] ?? root;
  const within = rest.map((part) => CALLED_WITHIN[from]?.[part] ?? part).join('');
  return spell(called + within);
}

function hasPath(body: JsonObject, path: string): boolean {
  let at: Json | undefined = body;
  for (const name of path.split('.')) {
    if (!isObject(at) || at[name] === undefined) return false;
    at = at[name];
  }
  return true;
}
