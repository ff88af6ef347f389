/** The columns of what keys and groups are restricted to. */

import { type Limits, showModels, showRates } from './limits.ts';
import type { Column } from './table.tsx';

export const LIMIT_COLUMNS: readonly Column<Limits>[] = [
  {
    name: 'models',
    value: showModels,
    show: (limits) => <span class="wrapped">{showModels(limits)}</span>,
    isDetail: 'on phones',
  },
  {
    name: 'limits',
    value: showRates,
    show: (limits) => <span class="wrapped">{showRates(limits)}</span>,
    isDetail: 'on phones',
  },
];
