/** What a key or a group may use, as columns of a table. */

import type { ModelLimit } from '../store/key-settings.ts';
import { storedUnlessSaid } from '../store/stored-scope.ts';
import type { LimitColumns } from '../store/tables.ts';
import { sayModelLimit } from './model-limit-option.ts';
import type { Column } from './text-table.ts';

type Limited = Omit<LimitColumns, 'models' | 'model_limits'> & {
  readonly models: readonly string[] | null;
  readonly model_limits: readonly ModelLimit[] | null;
};

export function limitColumns<T extends Limited>(): readonly Column<T>[] {
  const figure = (
    field: Exclude<keyof Limited, 'models' | 'model_limits' | 'stored'>,
    title: string,
  ): Column<T> => ({
    title,
    right: true,
    text: (limited) => String(limited[field] ?? '-'),
  });
  return [
    figure('requests_per_minute', 'req/min'),
    figure('tokens_per_minute', 'tok/min'),
    figure('concurrent_requests', 'at once'),
    figure('budget_day', '$/day'),
    figure('budget_month', '$/month'),
    { title: 'models', text: ({ models }) => models?.join(',') ?? 'any' },
    { title: 'stored', text: ({ models, stored }) => stored ?? storedUnlessSaid(models ?? undefined) },
    { title: 'by model', text: ({ model_limits: all }) => all?.map(sayModelLimit).join('; ') ?? '-' },
  ];
}
