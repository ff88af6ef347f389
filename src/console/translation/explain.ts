/** What the library says of a request: what the vendor would be sent, and what became of each field. */

import {
  GatewayError,
  type RequestBodies,
  type TranslatedRequest,
  translateRequest,
} from '../../translate/index.ts';
import type { FormatName } from '../formats/dialogue.ts';
import { isObject, parseJson } from '../formats/json.ts';

export type Outcome = 'mapped' | 'approximated' | 'dropped' | 'passed-on';

export interface Field {
  readonly field: string;
  readonly outcome: Outcome;
  /** Why it was left out, or what it became; empty if it is as it was. */
  readonly detail: string;
}

export interface Explained {
  readonly request: TranslatedRequest;
  readonly fields: readonly Field[];
}

/** Why there is nothing to explain, and the field that is wrong, if one is. */
export interface Refused {
  readonly problem: string;
  readonly field?: string;
}

/** @param text the request as JSON text */
export function explain(text: string, from: FormatName, to: FormatName, model: string): Explained | Refused {
  const body = parseJson(text);
  if (!isObject(body))
    return { problem: text.trim() === '' ? 'Paste a request.' : 'This is not a JSON object.' };
  try {
    const request = translateRequest({
      from,
      to,
      model,
      // The library itself refuses a body that is not of its format: that is what is shown here.
      body: body as RequestBodies[FormatName],
    });
    const mapped = request.mapped.map((field): Field => ({ field, outcome: 'mapped', detail: '' }));
    return { request, fields: [...request.notes, ...mapped] };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const field = error.param;
    return { problem: error.message, ...(field !== undefined && { field }) };
  }
}
