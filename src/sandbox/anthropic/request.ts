/** What every request to Anthropic goes through first: a schema checks its body, and its model is looked up. */

import type { z } from 'zod';
import type { Model } from '../../catalog/model.ts';
import type { JsonObject } from '../../lib/json.ts';
import { objectIn, type VendorRequest } from '../exchange.ts';
import { findFlaws } from '../flaws.ts';
import type { SandboxState } from '../sandbox-state.ts';
import { anthropicFlaw, anthropicRefusal, badRequest } from './words.ts';

export type Known = readonly [name: string, model: Model];

/**
 * @param name the model as the request names it
 * @returns the model with that name
 * @throws Refused with 404 if there is no model of that name
 */
export function lookUp(state: SandboxState, name: string): Known {
  const model = state.models.anthropic.get(name.toLowerCase());
  if (model === undefined) throw anthropicRefusal(404, `model: ${name.slice(0, 200)}`);
  return [name, model];
}

/**
 * @returns the body of a request that fits a schema
 * @throws Refused with Anthropic's error for the first flaw
 */
export function checkedBody(request: VendorRequest, schema: z.ZodType): JsonObject {
  const body = objectIn(request);
  if (body === undefined) {
    throw badRequest('The request body is not valid JSON: it should be an object.');
  }
  const parsed = schema.safeParse(body);
  const [flaw] = parsed.success ? [] : findFlaws(parsed.error.issues, body);
  if (flaw !== undefined) throw anthropicFlaw(flaw);
  return body;
}
