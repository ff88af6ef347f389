/** What a service may refuse of a native request, and can do without. */

import type { OptionalFields } from '../../format.ts';
import { optionalBreakpoints } from '../../openai/refused-breakpoints.ts';
import { limitName } from './limit-name.ts';

const ALL = [limitName, optionalBreakpoints];

/** @see Outbound.optionalFields */
export const optionalFields: OptionalFields = {
  names: [],
  refusedIn: (refusal, betas) => ALL.flatMap((each) => each.refusedIn(refusal, betas)),
  without: (request, names) => ALL.reduce((left, each) => each.without(left, names), request),
};
