/** `models/{model}:countTokens` as callers use it: it may hold a whole request. */

import { asObject } from '../../../lib/json.ts';
import type { InboundCounting } from '../../format.ts';
import { parseRequest } from './parse-request.ts';
import { sortFields } from './sort-fields.ts';

/** @see InboundCounting */
export const inboundCounting: InboundCounting = {
  parseRequest(body, report) {
    const { generateContentRequest } = sortFields(body, ['generateContentRequest']).known;
    return parseRequest(asObject(generateContentRequest) ?? body, report);
  },
  renderCount: (tokens) => ({ totalTokens: tokens }),
};
