/** What only one of OpenAI's two formats can express, for services that speak both. */

import type { FormatName, MediaPart, Prompt } from '../../conversation/prompt.ts';
import { isSearch } from '../../conversation/tools.ts';
import type { ModelTraits } from '../format.ts';

type Target = Pick<ModelTraits, 'model' | 'input' | 'dialect'>;

/** OpenAI's models that search the web, but for the search models, which are not in responses ("Web search" guide). */
const SEARCHES = /^gpt-(?:4o|4\.1|[5-9])(?!-nano|.*-search)/;

/** The only format of the two that can express all of a prompt; undefined if both can, or neither. */
export function findOnlyFormat(
  prompt: Prompt,
  target: Target,
): Extract<FormatName, 'chat-completions' | 'responses'> | undefined {
  const onlyResponses = needsResponses(prompt, target);
  if (onlyResponses === needsChatCompletions(prompt, target)) return undefined;
  return onlyResponses ? 'responses' : 'chat-completions';
}

/**
 * Its `input_file` has a `file_url`; the `file` of chat-completions takes only data and ids. Chat-completions takes
 * `web_search_options` only for the search models. Azure's administrators may forbid the tool.
 */
function needsResponses(prompt: Prompt, { model, dialect }: Target): boolean {
  if (dialect === 'openai' && maySearch(prompt) && SEARCHES.test(model)) return true;
  return hasMedia(prompt, ({ media, source }) => media === 'document' && isAddress(source));
}

/** Responses has neither `n` nor `input_audio`. */
function needsChatCompletions(prompt: Prompt, { input }: Target): boolean {
  if ((prompt.choices ?? 1) > 1) return true;
  return input?.includes('audio') === true && hasMedia(prompt, ({ media }) => media === 'audio');
}

function hasMedia({ turns }: Prompt, matches: (part: MediaPart) => boolean): boolean {
  return turns.some(({ parts }) =>
    parts.some((part) => {
      if (part.kind === 'media') return matches(part);
      return (
        part.kind === 'tool-result' && part.content.some((inner) => inner.kind === 'media' && matches(inner))
      );
    }),
  );
}

function isAddress(source: MediaPart['source']): boolean {
  return source.kind === 'url' && /^https?:/i.test(source.url);
}

function maySearch({ tools, toolChoice }: Prompt): boolean {
  if (toolChoice?.mode === 'none' || (toolChoice?.allowed && toolChoice.search !== true)) return false;
  return tools?.some(isSearch) ?? false;
}
