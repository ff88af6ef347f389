/**
 * A configuration as a file writes it. The package has this file with every field and its description written out
 * (`build/config-types.ts`), since an inferred type has no descriptions.
 */

export type { ConfigInput } from './schema.ts';
