/** Anthropic's errors: rendering them for callers, and parsing a vendor's. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderError } from '../../../src/formats/messages/inbound/render-error.ts';
import { parseError, parseErrorValue } from '../../../src/formats/messages/outbound/parse-error.ts';
import { type Fault, GatewayError } from '../../../src/lib/errors.ts';
import { parseJson } from '../../../src/lib/json.ts';

describe('rendering', () => {
  test.each<[Fault, string]>([
    ['invalid-request', 'invalid_request_error'],
    ['context-too-long', 'invalid_request_error'],
    ['unauthenticated', 'authentication_error'],
    ['model-not-allowed', 'permission_error'],
    ['permission-denied', 'permission_error'],
    ['model-not-found', 'not_found_error'],
    ['endpoint-not-available', 'not_found_error'],
    ['method-not-allowed', 'not_found_error'],
    ['too-large', 'request_too_large'],
    ['unsupported-media-type', 'invalid_request_error'],
    ['rate-limited', 'rate_limit_error'],
    ['quota-exceeded', 'rate_limit_error'],
    ['internal', 'api_error'],
    ['upstream-auth', 'api_error'],
    ['upstream-broken', 'api_error'],
    ['upstream-overloaded', 'overloaded_error'],
    ['overloaded', 'overloaded_error'],
    ['upstream-timeout', 'timeout_error'],
  ])('%s is %s', (fault, type) => {
    expect(renderError(new GatewayError(fault, 'prompt is too long: so it is'), 'req_1')).toEqual({
      type: 'error',
      error: { type, message: 'prompt is too long: so it is' },
      request_id: 'req_1',
    });
  });

  test('an event in a stream has no request id', () => {
    expect(renderError(new GatewayError('internal', 'x'))).toEqual({
      type: 'error',
      error: { type: 'api_error', message: 'x' },
    });
  });

  test('a code is where the SDK reads it', () => {
    const error = new GatewayError('invalid-request', 'x', { code: 'thread_unsupported_request' });
    expect(renderError(error, 'r')).toMatchObject({
      error: { type: 'invalid_request_error', details: { error_code: 'thread_unsupported_request' } },
    });
  });

  test('a full context has the words by which agents recognise it', () => {
    const error = new GatewayError('context-too-long', 'maximum context length is 128000 tokens');
    expect(renderError(error, 'r')).toMatchObject({
      error: { message: 'prompt is too long: maximum context length is 128000 tokens' },
    });
  });
});

describe('parsing', () => {
  const body = (type: string, message = 'Something.', details?: object): string =>
    JSON.stringify({
      type: 'error',
      error: { type, message, ...(details && { details }) },
      request_id: 'req_x',
    });

  // Of DeepSeek, xAI, Moonshot, MiniMax, Z.ai, Alibaba, llama.cpp, vLLM, and Google behind a router.
  test.each([
    "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens.",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    'Invalid request: Your request exceeded model token limit: 262144',
    'invalid params, context window exceeds limit (2013)',
    '[1261][Prompt exceeds max length][1]',
    'InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]',
    'request (2009 tokens) exceeds the available context size (512 tokens), try increasing it',
    "The input (140000 tokens) is longer than the model's context length (131072 tokens).",
    'The input token count (1250074) exceeds the maximum number of tokens allowed (1048576).',
  ])('a prompt is too long for services that speak this format: %s', (message) => {
    expect(parseError(400, body('invalid_request_error', message)).fault).toBe('context-too-long');
  });

  test('a field of the caller’s is no context that is too long', () => {
    const message = 'context_window: Extra inputs are not permitted';
    expect(parseError(400, body('invalid_request_error', message)).fault).toBe('invalid-request');
  });

  test.each<[number, string, Fault, number]>([
    [400, body('invalid_request_error'), 'invalid-request', 400],
    [400, body('invalid_request_error', 'Model Not Exist'), 'model-not-found', 404],
    [400, body('invalid_request_error', '[1211][模型不存在，请检查模型代码。][1]'), 'model-not-found', 404],
    [400, body('invalid_request_error', '[1214][modelCode: does not exist][1]'), 'model-not-found', 404],
    [400, body('bad_request_error', "invalid params, unknown model 'x' (2013)"), 'model-not-found', 404],
    [400, body('invalid_request_error', 'The requested model is not supported.'), 'model-not-found', 404],
    [400, body('invalid_request_error', 'prompt is too long: 5 tokens > 4 maximum'), 'context-too-long', 400],
    [
      400,
      body(
        'invalid_request_error',
        'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
      ),
      'context-too-long',
      400,
    ],
    [
      400,
      body('invalid_request_error', 'Your credit balance is too low to access the API.'),
      'upstream-auth',
      502,
    ],
    [
      400,
      body('invalid_request_error', 'You have reached your specified API usage limits.'),
      'upstream-auth',
      502,
    ],
    [
      400,
      body('invalid_request_error', 'You have reached your specified workspace API usage limits.'),
      'upstream-auth',
      502,
    ],
    [400, body('invalid_request_error', "You're out of extra usage. Add more."), 'upstream-auth', 502],
    [
      400,
      body('invalid_request_error', 'Third-party apps now draw from your extra usage, not your plan limits.'),
      'upstream-auth',
      502,
    ],
    [400, body('invalid_request_error', 'This organization has been disabled.'), 'upstream-auth', 502],
    [
      400,
      body('invalid_request_error', 'This organization has been disabled.: Extra inputs are not permitted'),
      'invalid-request',
      400,
    ],
    [400, body('invalid_request_error', 'x: "credit balance is too low"'), 'invalid-request', 400],
    [401, body('authentication_error', 'invalid x-api-key'), 'upstream-auth', 502],
    [402, body('billing_error'), 'upstream-auth', 502],
    [403, body('permission_error'), 'upstream-auth', 502],
    [404, body('not_found_error', 'model: claude-nine'), 'model-not-found', 404],
    // Cloudflare, Ollama, vLLM and OpenRouter in this format.
    [404, body('not_found_error', 'Model not found: moonshotai/kimi-k2.6'), 'model-not-found', 404],
    [404, body('not_found_error', "model 'x' not found"), 'model-not-found', 404],
    [404, body('NotFoundError', 'The model `x` does not exist.'), 'model-not-found', 404],
    [404, body('not_found_error', 'No endpoints found for a/b:free.'), 'model-not-found', 404],
    [404, body('not_found_error', 'File not found: file_1'), 'not-found', 404],
    [404, body('not_found_error', 'Not Found'), 'not-found', 404],
    [409, body('conflict_error'), 'conflict', 409],
    [413, body('request_too_large'), 'too-large', 413],
    [422, body('invalid_request_error'), 'unprocessable', 422],
    [200, body('invalid_request_error'), 'invalid-request', 400],
    [404, body('invalid_request_error'), 'not-found', 404],
    [429, body('invalid_request_error'), 'rate-limited', 429],
    [500, body('invalid_request_error'), 'upstream-broken', 502],
    [503, body('invalid_request_error'), 'upstream-overloaded', 503],
    [504, body('invalid_request_error'), 'upstream-timeout', 504],
    [500, body('invalid_request_error', 'prompt is too long: 5 tokens > 4 maximum'), 'context-too-long', 400],
    [429, body('rate_limit_error'), 'rate-limited', 429],
    [
      429,
      body('rate_limit_error', 'x', { error_code: 'enforced_spend_limit_reached' }),
      'quota-exceeded',
      429,
    ],
    [
      429,
      body('rate_limit_error', 'x', { error_code: 'contract_spend_limit_reached' }),
      'quota-exceeded',
      429,
    ],
    [429, body('rate_limit_error', 'x', { error_code: 'ramp_limit_exceeded' }), 'rate-limited', 429],
    [
      400,
      body('invalid_request_error', 'x', { error_code: 'organization_on_hold', appeal_url: 'https://a.b' }),
      'upstream-auth',
      502,
    ],
    [400, body('invalid_request_error', 'x', { error_code: 'cmek_key_disabled' }), 'upstream-auth', 502],
    [
      400,
      body('invalid_request_error', 'x', { error_code: 'image_dimensions_too_large' }),
      'invalid-request',
      400,
    ],
    [
      402,
      body('billing_error', 'x', { error_code: 'linked_organization_spend_limit_reached' }),
      'permission-denied',
      403,
    ],
    [
      403,
      body('permission_error', 'x', { error_code: 'user_profile_not_billable' }),
      'permission-denied',
      403,
    ],
    [429, body('rate_limit_error', 'Insufficient balance or no resource package.'), 'quota-exceeded', 429],
    [429, body('1113', 'Insufficient balance or no resource package.'), 'quota-exceeded', 429],
    [500, body('api_error', 'Internal server error'), 'upstream-broken', 502],
    [503, body('api_error'), 'upstream-overloaded', 503],
    [504, body('timeout_error'), 'upstream-timeout', 504],
    [529, body('overloaded_error', 'Overloaded'), 'upstream-overloaded', 503],
    [429, '{"error":"slow down"}', 'rate-limited', 429],
    [401, '', 'upstream-auth', 502],
    [502, '<html>Bad gateway</html>', 'upstream-broken', 502],
    [529, 'null', 'upstream-overloaded', 503],
  ])('%i %s', (status, text, fault, shown) => {
    expect(parseError(status, text)).toMatchObject({ fault, status: shown });
  });

  test.each<[string, Fault]>([
    ['invalid_request_error', 'invalid-request'],
    ['authentication_error', 'upstream-auth'],
    ['permission_error', 'upstream-auth'],
    ['billing_error', 'upstream-auth'],
    ['not_found_error', 'not-found'],
    ['conflict_error', 'conflict'],
    ['request_too_large', 'too-large'],
    ['rate_limit_error', 'rate-limited'],
    ['timeout_error', 'upstream-timeout'],
    ['overloaded_error', 'upstream-overloaded'],
    ['api_error', 'upstream-broken'],
  ])('an event in a stream is understood by its type: %s', (type, fault) => {
    const error = parseErrorValue({ type: 'error', error: { type, message: 'Something.' } });
    expect(error.fault).toBe(fault);
    if (fault !== 'upstream-auth') expect(error.message).toBe('Something.');
  });

  test('an event in a stream without a message gets one', () => {
    expect(parseErrorValue({ error: {} })).toMatchObject({
      fault: 'upstream-broken',
      message: 'The upstream failed to answer.',
    });
  });

  test("an unknown field is named, because it is the caller's own", () => {
    const error = parseError(400, body('invalid_request_error', 'colour: Extra inputs are not permitted'));
    expect(error).toMatchObject({ param: 'colour', message: 'colour: Extra inputs are not permitted' });
  });

  test('keys are hidden', () => {
    const key = 'sk-ant-api03-abcdefghijklmnop';
    for (const type of ['authentication_error', 'invalid_request_error', 'api_error', 'rate_limit_error']) {
      expect(parseError(400, body(type, `the key ${key} is bad`)).message).not.toContain('abcdefgh');
    }
  });

  test('any body gives a typed error with a message', () => {
    const words = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((json) => `{"error":${json}}`),
    );
    fc.assert(
      fc.property(fc.integer({ min: 400, max: 599 }), words, (status, text) => {
        const error = parseError(status, text);
        expect(error).toBeInstanceOf(GatewayError);
        expect(error.message).not.toBe('');
        expect(error.status).toBeGreaterThanOrEqual(400);
      }),
    );
  });
});

describe('recorded errors', () => {
  const folder = join(import.meta.dirname, '../../../fixtures/errors/messages');
  test.each(readdirSync(folder))('%s keeps its type when it is rendered again', (file) => {
    const recorded = parseJson(readFileSync(join(folder, file), 'utf8'));
    const { status, body } = JSON.parse(JSON.stringify(recorded));
    const error = parseError(status, JSON.stringify(body));
    expect(renderError(error, body.request_id)).toEqual(body);
  });
});
