/** What only one of OpenAI's two formats can express, for services that speak both. */

import type { FormatName, MediaPart, Prompt } from '../../conversation/prompt.ts';
import { isSearch } from '../../conversation/tools.ts';
import type { ModelTraits } from '../format.ts';

type Format = Extract<FormatName, 'chat-completions' | 'responses'>;

interface Row {
  readonly format: Format;
  /** Whether a prompt asks this of a model that can do it. */
  asks(prompt: Prompt, target: Target): boolean;
}

type Target = Pick<ModelTraits, 'model' | 'input' | 'dialect'>;

/** OpenAI's models that search the web, but for the search models, which are not in responses ("Web search" guide). */
const SEARCHES = /^gpt-(?:4o|4\.1|[5-9])(?!-nano|.*-search)/;

const ROWS: readonly Row[] = [
  // `input_file` has a `file_url`; the `file` of chat-completions takes only data and ids.
  {
    format: 'responses',
    asks: (prompt) => hasMedia(prompt, ({ media, source }) => media === 'document' && isAddress(source)),
  },
  // Chat-completions takes `web_search_options` only for the search models. Azure's administrators may forbid the tool.
  {
    format: 'responses',
    asks: (prompt, { model, dialect }) => dialect === 'openai' && maySearch(prompt) && SEARCHES.test(model),
  },
  // Responses has neither `n` nor `input_audio`.
  { format: 'chat-completions', asks: ({ choices = 1 }) => choices > 1 },
  {
    format: 'chat-completions',
    asks: (prompt, { input }) =>
      input?.includes('audio') === true && hasMedia(prompt, ({ media }) => media === 'audio'),
  },
];

/** The only format of the two that can express all of a prompt; undefined if both can, or neither. */
export function findOnlyFormat(prompt: Prompt, target: Target): Format | undefined {
  const needed = new Set(ROWS.filter(({ asks }) => asks(prompt, target)).map(({ format }) => format));
  const [only, other] = needed;
  return other === undefined ? only : undefined;
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
