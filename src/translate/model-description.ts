/** A model as a program describes it. It stands alone because the types of the package reach no further than this. */

import type { ModelTraits } from '../formats/format.ts';

/** A model that is described instead of looked up. What is left out is not known. */
export type ModelDescription = Pick<ModelTraits, 'model'> & Partial<ModelTraits>;
