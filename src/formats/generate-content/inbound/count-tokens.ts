/** `models/{model}:countTokens` as callers use it: it may hold a whole request. */

import { asObject } from '../../../lib/json.ts';
import type { InboundCounting } from '../../format.ts';
import { parseRequest } from './parse-request.ts';
import { sortFields } from './sort-fields.ts';

/** The field that holds the request. */
const HOLDING: ReadonlySet<string> = new Set(['generateContentRequest']);

/** @see InboundCounting */
export const inboundCounting: InboundCounting = {
  parseRequest(body, report) {
    const { generateContentRequest } = sortFields(body, HOLDING).known;
    return parseRequest(asObject(generateContentRequest) ?? body, report);
  },
  renderCount: (tokens) => ({ totalTokens: tokens }),
};
