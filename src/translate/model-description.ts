/** A model as a program describes it. */

import type { ModelTraits } from '../formats/format.ts';

/** A model that is described instead of looked up. What is left out is not known. */
export type ModelDescription = Pick<ModelTraits, 'model'> & Partial<ModelTraits>;
