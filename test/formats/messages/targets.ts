/** Models, by how they are told to think. */

import type { ModelTraits } from '../../../src/formats/format.ts';

/** Takes everything there is. */
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

/** Thinks by a budget, as Claude 4.5 and earlier. */
export const BUDGETED: ModelTraits = {
  ...PERMISSIVE,
  thinking: { kinds: ['budget'], efforts: [], budget: { min: 1024, max: 32_000 }, canDisable: true },
};

/** Decides by itself how much to think, as the newest; refuses sampling parameters. */
export const ADAPTIVE: ModelTraits = {
  ...PERMISSIVE,
  thinking: { kinds: ['effort'], efforts: ['low', 'medium', 'high'], canDisable: false },
  sampling: false,
};

/** Neither thinks nor enforces a schema, as Claude 3.5. */
export const PLAIN: ModelTraits = {
  model: 'a-model',
  maxOutputTokens: 8192,
  sampling: true,
  structuredOutput: false,
  dialect: '',
};
