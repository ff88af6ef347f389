/** Models that differ in how they are asked to think. */

import type { ModelTraits } from '../../../src/formats/format.ts';

/** Accepts everything. */
export const PERMISSIVE: ModelTraits = {
  model: 'a-model',
  maxOutputTokens: 64_000,
  thinking: {
    kinds: ['effort', 'budget'],
    efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
    budget: { min: 1024, max: 60_000 },
    canDisable: true,
  },
  sampling: true,
  structuredOutput: true,
  dialect: '',
};

/** Thinks with a budget, like Claude 4.5 and earlier. */
export const BUDGETED: ModelTraits = {
  ...PERMISSIVE,
  thinking: { kinds: ['budget'], efforts: [], budget: { min: 1024, max: 32_000 }, canDisable: true },
};

/** Decides itself how much to think, and refuses sampling parameters, like the newest models. */
export const ADAPTIVE: ModelTraits = {
  ...PERMISSIVE,
  thinking: { kinds: ['effort'], efforts: ['low', 'medium', 'high'], canDisable: false },
  sampling: false,
};

/** Neither thinks nor enforces a schema, like Claude 3.5. */
export const PLAIN: ModelTraits = {
  model: 'a-model',
  maxOutputTokens: 8192,
  sampling: true,
  structuredOutput: false,
  dialect: '',
};
