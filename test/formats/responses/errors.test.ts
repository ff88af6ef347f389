/** Errors in OpenAI's shape, parsed and rendered. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseError, parseErrorObject } from '../../../src/formats/openai/errors.ts';
import { renderError } from '../../../src/formats/responses/inbound/render-error.ts';
import { type Fault, GatewayError } from '../../../src/lib/errors.ts';
import { asNumber, asObject, asText, isObject, type JsonObject, parseJson } from '../../../src/lib/json.ts';

const folder = join(import.meta.dirname, '../../../fixtures/errors/responses');

const FAULTS: Readonly<Record<string, Fault>> = {
  'context-too-long': 'context-too-long',
  'invalid-request': 'invalid-request',
  overloaded: 'upstream-overloaded',
  'rate-limited': 'rate-limited',
  'server-error': 'upstream-broken',
};

describe.each(readdirSync(folder))('%s', (file) => {
  const recorded = asObject(parseJson(readFileSync(join(folder, file), 'utf8'))) ?? {};
  const body = asObject(recorded['body']) ?? {};
  const told = asObject(body['error']) ?? {};
  const error = parseError(asNumber(recorded['status']) ?? 0, JSON.stringify(body));

  test('has the right fault, message and param', () => {
    expect(error.fault).toBe(FAULTS[file.replace('.json', '')]);
    expect(asText(told['message'])).toContain(error.message.slice(0, 30));
    expect(error.param).toBe(told['param'] ?? undefined);
    expect(error.message).not.toContain('org-');
  });

  test('renders with the same status and code', () => {
    const said = asObject(renderError(error)['error']);
    expect(error.status).toBe(error.fault === 'upstream-broken' ? 502 : recorded['status']);
    expect(said).toMatchObject({
      message: error.message,
      // Codex knows an overload by this code alone.
      code: told['code'] ?? (error.fault === 'upstream-overloaded' ? 'server_is_overloaded' : null),
      param: told['param'] ?? null,
    });
    expect(Object.keys(said ?? {})).toEqual(['message', 'type', 'param', 'code']);
  });

  test('has the same fault within a stream as before it', () => {
    if (error.fault === 'upstream-overloaded') return;
    const events = [
      { type: 'error', ...body },
      { ...told, type: 'error' },
      { type: 'response.failed', response: body },
    ];
    for (const event of events) {
      const inner = parseErrorObject(event);
      if (error.fault !== 'invalid-request' || 'response' in event || 'error' in event)
        expect(inner.fault).toBe(error.fault);
      expect(inner.message).toBe(error.message);
    }
  });
});

test.each<[number, string, Fault]>([
  [
    401,
    '{"error":{"message":"Incorrect API key provided: sk-abc123*****def","code":"invalid_api_key"}}',
    'upstream-auth',
  ],
  [400, '{"code":"invalid-argument","error":"Incorrect API key provided."}', 'upstream-auth'],
  [403, '{"error":{"message":"No access"}}', 'upstream-auth'],
  [404, '{"error":{"message":"The model does not exist","code":"model_not_found"}}', 'model-not-found'],
  [
    400,
    '{"error":{"message":"The requested model does not exist.","code":"model_not_found"}}',
    'model-not-found',
  ],
  [400, '{"code":"invalid-argument","error":"Model not found: grok-9"}', 'model-not-found'],
  [404, '{"error":{"message":"Item with id rs_1 not found."}}', 'not-found'],
  [429, '{"error":{"message":"You exceeded your quota","type":"insufficient_quota"}}', 'quota-exceeded'],
  [413, 'too large', 'too-large'],
  [422, '{"detail":[{"loc":["body","input"],"msg":"Field required"}]}', 'unprocessable'],
  [405, '', 'upstream-broken'],
  [500, '<html>', 'upstream-broken'],
  [502, '', 'upstream-broken'],
  [504, '', 'upstream-timeout'],
  [529, 'null', 'upstream-overloaded'],
])('%d %s is %s', (status, body, fault) => {
  const error = parseError(status, body);
  expect(error.fault).toBe(fault);
  expect(error.message).not.toBe('');
  expect(error.message).not.toContain('sk-');
});

test.each<[JsonObject, Fault]>([
  [{ type: 'error', code: 'rate_limit_exceeded', message: 'Slow down', param: null }, 'rate-limited'],
  [
    {
      type: 'error',
      error: { type: 'invalid_request_error', code: 'context_length_exceeded', message: 'Long' },
    },
    'context-too-long',
  ],
  [
    { type: 'response.failed', response: { error: { code: 'server_error', message: 'Sorry' } } },
    'upstream-broken',
  ],
  [
    { type: 'response.failed', response: { error: { code: 'invalid_prompt', message: 'No' } } },
    'invalid-request',
  ],
  [
    { type: 'response.failed', response: { error: { code: 'failed_to_download_image', message: 'No' } } },
    'invalid-request',
  ],
  [
    { type: 'response.failed', response: { error: { code: 'vector_store_timeout', message: 'No' } } },
    'upstream-timeout',
  ],
  [{ type: 'response.failed', response: { error: null } }, 'upstream-broken'],
  [{ error: { code: 429, message: 'Provider busy' } }, 'rate-limited'],
])('within an answer, %j is %s', (event, fault) => {
  const error = parseErrorObject(event);
  expect(error.fault).toBe(fault);
  expect(error.message).not.toBe('');
});

test.each<[Fault, string, string | null]>([
  ['invalid-request', 'invalid_request_error', null],
  ['unauthenticated', 'invalid_request_error', 'invalid_api_key'],
  ['model-not-allowed', 'permission_error', 'model_not_allowed'],
  ['model-not-found', 'invalid_request_error', 'model_not_found'],
  ['endpoint-not-available', 'invalid_request_error', 'endpoint_not_available'],
  ['too-large', 'invalid_request_error', 'request_too_large'],
  ['quota-exceeded', 'insufficient_quota', 'insufficient_quota'],
  ['upstream-auth', 'api_error', 'upstream_auth'],
  ['upstream-timeout', 'api_error', 'upstream_timeout'],
  ['upstream-overloaded', 'server_error', 'server_is_overloaded'],
])('%s renders as %s, %s', (fault, type, code) => {
  const body = renderError(new GatewayError(fault, 'Why.'));
  expect(isObject(body['error']) && body['error']).toEqual({ message: 'Why.', type, param: null, code });
});
