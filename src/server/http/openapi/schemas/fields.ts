/** Fields that the schemas of several formats share. */

import { z } from 'zod';

/** A number of things, 0 or more. */
export const count = z.number().int().nonnegative();
/** Any text. */
export const text = z.string();
/** An object whose fields the vendor documents. */
export const open = z.looseObject({});
/** A list of objects whose fields the vendor documents. */
export const list = z.array(open);

/** The name of a model, as a request gives it. */
export const model = text.describe(
  'A model from GET /v1/models, as `<vendor>/<model_name>`; case is ignored. Without a vendor, the endpoint fills in its own.',
);
