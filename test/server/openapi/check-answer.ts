/** Checks an answer against the document. */

import { expect } from 'vitest';
import { asObject, type JsonObject, parseJson } from '../../../src/lib/json.ts';
import { jsonSchemaIn, type Operation } from './operations.ts';
import { problemsOf } from './validator.ts';

/** Headers that the document describes completely. */
const TOLD = /^(?:x-request-id|retry-after|(?:x|anthropic)-ratelimit-.*)$/;

/**
 * Expects that its status and its type are described, and that its JSON and its headers match the schemas.
 */
export async function checkAnswer(
  document: JsonObject,
  operation: Operation,
  response: Response,
): Promise<void> {
  const name = `${operation.id} ${response.status}`;
  const described = operation.responses[String(response.status)];
  expect(described, name).toBeDefined();
  const headers = asObject(described?.['headers']);
  for (const [header, value] of response.headers) {
    if (!TOLD.test(header)) continue;
    const schema = asObject(asObject(headers?.[header])?.['schema']);
    if (schema === undefined) throw new Error(`${name}: ${header} is not described.`);
    const typed = schema['type'] === 'integer' ? Number(value) : value;
    expect(problemsOf(document, schema, typed), `${name} ${header}: ${value}`).toBeUndefined();
  }
  const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
  expect(Object.keys(asObject(described?.['content']) ?? {}), name).toContain(type);
  const schema = jsonSchemaIn(described);
  const text = await response.text();
  if (type !== 'application/json' || schema === undefined) return;
  const problems = problemsOf(document, schema, parseJson(text));
  expect(problems, `${name} ${text.slice(0, 500)}`).toBeUndefined();
}
