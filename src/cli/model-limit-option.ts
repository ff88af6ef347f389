/** Limits for some models as an option: `anthropic/* requests-per-minute=10 budget-day=5; openai/o3 …`. */

import type { ModelLimit } from '../store/key-settings.ts';
import { Refusal } from './refusal.ts';

export const MODEL_LIMITS =
  'Limits for some models, beside those for all: "anthropic/* requests-per-minute=10 budget-day=5; openai/o3 ..."';

/** As settings have them, yet to be checked; null for none. @throws Refusal */
export function modelLimitsIn(said: string): readonly Readonly<Record<string, unknown>>[] | null {
  return said.trim() === 'none' ? null : said.split(';').map((one) => modelLimitIn(one.trim()));
}

function modelLimitIn(said: string): Readonly<Record<string, unknown>> {
  const words = said.split(/\s+/);
  const isFigure = (word: string): boolean => word.includes('=');
  const figures = words.filter(isFigure).map((word) => {
    const at = word.indexOf('=');
    const value = Number(word.slice(at + 1) || Number.NaN);
    if (Number.isNaN(value)) throw new Refusal(`--model-limits: ${word} has no number`);
    return [word.slice(0, at).replaceAll('-', '_'), value] as const;
  });
  const models = words.filter((word) => word !== '' && !isFigure(word));
  if (models.length === 0 || figures.length === 0)
    throw new Refusal(
      `--model-limits: "${said}" must have models and limits, such as "anthropic/* budget-day=5", or be "none"`,
    );
  return { models, ...Object.fromEntries(figures) };
}

/** The same, the other way round. */
export function sayModelLimit({ models, ...figures }: ModelLimit): string {
  const said = Object.entries(figures).map(([name, value]) => `${name.replaceAll('_', '-')}=${value}`);
  return [...models, ...said].join(' ');
}
