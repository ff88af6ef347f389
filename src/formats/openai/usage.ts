/**
 * Figures of usage that services which speak OpenAI's formats report in their own ways. Where the total of a usage
 * is more than its input and its output, each cause has a rule (`docs/translation.md`, "Usage").
 */

import { parseCount, type Tokens } from '../../conversation/tokens.ts';
import type { JsonObject } from '../../lib/json.ts';

/** The figures of one usage, under whatever names its format has for them; undefined for one that is missing. */
export interface ReportedCounts {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly total: number | undefined;
  readonly reasoning: number | undefined;
  /** The further figures that the usage names as parts of its input and of its output. */
  readonly inputKinds: readonly number[];
  readonly outputKinds: readonly number[];
}

/** Tokens that a usage names, and the figure to which they belong. */
interface NamedCount {
  readonly side: 'input' | 'output';
  readonly tokens: number;
}

/** More kinds of tokens than a usage names, and more of them than any service leaves out at once. */
const MAX_KINDS = 12;
const MAX_LEFT_OUT = 3;

/** Google's models, under the names that Google and the services in front of it give them. */
const GOOGLE_MODEL = /(?:^|[^a-z])(?:gemini|gemma)/i;

/** The kinds of tokens that the details of a usage name, apart from text. */
export function countKinds(details: JsonObject | undefined): readonly number[] {
  const kinds: number[] = [];
  for (const name in details) {
    if (!name.endsWith('_tokens') || name === 'text_tokens' || name === 'reasoning_tokens') continue;
    const tokens = parseCount(details[name]);
    if (tokens) kinds.push(tokens);
  }
  return kinds;
}

/**
 * All input and all output of a usage. Some services leave tokens out of the figure to which they belong, which only the
 * total shows.
 * @param model the model as the vendor calls it.
 */
export function settleCounts(
  counts: ReportedCounts,
  model: string,
): Pick<Tokens, 'input' | 'output' | 'reasoning'> {
  const { total, reasoning, output } = counts;
  const isGoogles = GOOGLE_MODEL.test(model);
  if (output === undefined) return settleWithoutOutput(counts, isGoogles);
  const { input = missingFigure(total, output) } = counts;
  const unexplained = total === undefined || input === undefined ? 0 : total - input - output;
  const leftOut = unexplained > 0 ? findLeftOut(unexplained, namedCounts(counts)) : undefined;
  if (leftOut !== undefined) {
    const [more, moreOutput] = [addCounts(leftOut, 'input'), addCounts(leftOut, 'output')];
    return { input: input === undefined ? input : input + more, output: output + moreOutput, reasoning };
  }
  // Vercel's gateway, in front of Gemini.
  if (reasoning !== undefined && reasoning > output) return { input, output: output + reasoning, reasoning };
  if (unexplained > 0 && !reasoning && isGoogles) {
    return { input, output: output + unexplained, reasoning: unexplained };
  }
  return { input, output, reasoning };
}

/** Google's OpenAI-compatible endpoint leaves out a completion of 0, also if there are thoughts. */
function settleWithoutOutput(
  { input, total, reasoning }: ReportedCounts,
  isGoogles: boolean,
): Pick<Tokens, 'input' | 'output' | 'reasoning'> {
  const output = missingFigure(total, input);
  const isEmpty = isGoogles && total !== undefined && total === input;
  return {
    input,
    output: output ?? reasoning ?? (isEmpty ? 0 : undefined),
    reasoning: isGoogles && !reasoning ? output : reasoning,
  };
}

/** The figure that makes up a total together with the other one; undefined if either is unknown, or nothing is missing. */
function missingFigure(total: number | undefined, other: number | undefined): number | undefined {
  return total === undefined || other === undefined || other >= total ? undefined : total - other;
}

/** In the order in which they are suspected, should several alone explain a total: xAI's reasoning first. */
function namedCounts({ reasoning, inputKinds, outputKinds }: ReportedCounts): readonly NamedCount[] {
  return [
    ...(reasoning ? [{ side: 'output', tokens: reasoning } as const] : []),
    ...inputKinds.map((tokens) => ({ side: 'input', tokens }) as const),
    ...outputKinds.map((tokens) => ({ side: 'output', tokens }) as const),
  ].slice(0, MAX_KINDS);
}

/** The fewest kinds whose tokens are exactly those that only the total counts; undefined if there are none. */
function findLeftOut(unexplained: number, named: readonly NamedCount[]): readonly NamedCount[] | undefined {
  for (let size = 1; size <= MAX_LEFT_OUT; size += 1) {
    const found = pick(size, unexplained, named);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first `size` of the kinds that add up to `sum`. Of twelve kinds there are at most 298 choices. */
function pick(size: number, sum: number, named: readonly NamedCount[]): readonly NamedCount[] | undefined {
  if (size === 0) return sum === 0 ? [] : undefined;
  for (const [at, first] of named.entries()) {
    if (first.tokens > sum) continue;
    const others = pick(size - 1, sum - first.tokens, named.slice(at + 1));
    if (others !== undefined) return [first, ...others];
  }
  return undefined;
}

function addCounts(counts: readonly NamedCount[], side: NamedCount['side']): number {
  return counts.reduce((sum, count) => (count.side === side ? sum + count.tokens : sum), 0);
}
