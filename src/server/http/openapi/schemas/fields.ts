/** Fields that the schemas of several formats share. */

import { z } from 'zod';

export const count = z.number().int().nonnegative();
export const text = z.string();
/** An object whose fields the vendor documents. */
export const open = z.looseObject({});
export const list = z.array(open);

export const model = text.describe(
  'A model from GET /v1/models, as `<vendor>/<model_name>`; case is ignored. Without a vendor, the endpoint fills in its own.',
);
