/** What every request to OpenAI goes through first: a schema checks its body, and its model is looked up. */

import type { z } from 'zod';
import type { Model } from '../../catalog/model.ts';
import type { JsonObject } from '../../lib/json.ts';
import { asText } from '../../lib/json.ts';
import { objectIn, type VendorRequest } from '../exchange.ts';
import { findFlaws } from '../flaws.ts';
import type { SandboxState } from '../sandbox-state.ts';
import { badRequest, openaiFlaw, openaiRefusal } from './words.ts';

/** `compatible` is a service that speaks OpenAI's formats for the models of other vendors. */
export type OpenaiVendor = 'openai' | 'compatible';

type Known = readonly [name: string, model: Model];

/**
 * @returns the body of a request that fits a schema
 * @throws Refused with OpenAI's error for the first flaw
 */
export function checkedBody(request: VendorRequest, schema: z.ZodType): JsonObject {
  const body = objectIn(request);
  if (body === undefined) {
    throw badRequest({
      message:
        "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library " +
        'correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)',
    });
  }
  const parsed = schema.safeParse(body);
  const [flaw] = parsed.success ? [] : findFlaws(parsed.error.issues, body);
  if (flaw !== undefined) throw openaiFlaw(flaw);
  return body;
}

/**
 * @returns the model that a body names, with that name
 * @throws Refused with OpenAI's own error if there is no model of that name
 */
export function modelIn(vendor: OpenaiVendor, state: SandboxState, body: JsonObject): Known {
  const name = asText(body['model']) ?? '';
  if (name === '') throw badRequest({ message: 'you must provide a model parameter' });
  return lookUp(vendor, state, name);
}

/**
 * @returns the model of a name, with that name
 * @throws Refused with OpenAI's own error if the vendor has no model of that name
 */
export function lookUp(vendor: OpenaiVendor, state: SandboxState, name: string): Known {
  const model = state.models[vendor].get(name.toLowerCase());
  if (model !== undefined) return [name, model];
  throw openaiRefusal(404, {
    message: `The model \`${name.slice(0, 200)}\` does not exist or you do not have access to it.`,
    code: 'model_not_found',
  });
}
