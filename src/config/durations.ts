/** Durations in a configuration. */

import { z } from 'zod';

/** A duration in milliseconds. */
export const milliseconds = z.number('must be a number of milliseconds').int().nonnegative();
