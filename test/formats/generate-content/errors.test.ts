import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderError } from '../../../src/formats/generate-content/inbound/render-error.ts';
import { parseError, parseInnerError } from '../../../src/formats/generate-content/outbound/parse-error.ts';
import { type Fault, GatewayError } from '../../../src/lib/errors.ts';
import { asNumber, asObject, type JsonObject } from '../../../src/lib/json.ts';
import { object } from './fixtures.ts';

const TYPE = 'type.googleapis.com/google.rpc.';
const of = (code: number, status: string, message: string, ...details: JsonObject[]): GatewayError =>
  parseError(code, JSON.stringify({ error: { code, message, status, details } }));

describe('what the vendor’s errors mean', () => {
  const fixture = (name: string): GatewayError => {
    const file = join(import.meta.dirname, '../../../fixtures/errors/generate-content', `${name}.json`);
    const { status, body } = object(readFileSync(file, 'utf8'));
    return parseError(asNumber(status) ?? 0, JSON.stringify(asObject(body)));
  };

  test.each([
    ['context-too-long', 'context-too-long', 400],
    ['invalid-request', 'invalid-request', 400],
    ['overloaded', 'upstream-overloaded', 503],
    ['rate-limited', 'rate-limited', 429],
    ['server-error', 'upstream-broken', 502],
  ])('%s', (name, fault, status) => {
    expect(fixture(name)).toMatchObject({ fault, status });
  });

  test('RetryInfo says how long to wait, in whole seconds', () => {
    expect(fixture('rate-limited').retryAfter).toBe(20);
    const wait = (retryDelay: string) =>
      of(429, 'RESOURCE_EXHAUSTED', 'x', { '@type': `${TYPE}RetryInfo`, retryDelay }).retryAfter;
    expect([wait('34.074824224s'), wait('0.2s'), wait('0s'), wait('soon')]).toEqual([35, 1, 0, undefined]);
  });

  test.each([
    ['Infinitys', undefined],
    ['1e308s', undefined],
    ['1e3s', undefined],
    ['-1s', undefined],
    ['NaNs', undefined],
    ['315576000000s', 31 * 86_400],
    ['0.5s', 1],
  ])('a RetryInfo of %s is %s', (retryDelay, expected) => {
    const info = { '@type': `${TYPE}RetryInfo`, retryDelay };
    expect(of(429, 'RESOURCE_EXHAUSTED', 'x', info).retryAfter).toBe(expected);
    expect(
      parseInnerError({ code: 429, status: 'RESOURCE_EXHAUSTED', message: 'x', details: [info] })?.retryAfter,
    ).toBe(expected);
  });

  test('a field of the caller’s is no context that is too long', () => {
    const message =
      'Invalid JSON payload received. Unknown name "contextWindowCompression": Cannot find field.';
    expect(of(400, 'INVALID_ARGUMENT', message).fault).toBe('invalid-request');
  });

  test('prepaid credits that are used up are no rate limit', () => {
    const message = 'Your prepayment credits are depleted. Please go to AI Studio to manage your billing.';
    expect(of(429, 'RESOURCE_EXHAUSTED', message).fault).toBe('quota-exceeded');
  });

  test('a daily quota is used up, and one of a minute is a rate limit', () => {
    const quota = (quotaId: string) =>
      of(429, 'RESOURCE_EXHAUSTED', 'x', { '@type': `${TYPE}QuotaFailure`, violations: [{ quotaId }] }).fault;
    expect(quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier')).toBe('quota-exceeded');
    expect(quota('GenerateRequestsPerMinutePerProjectPerModel')).toBe('rate-limited');
  });

  test.each([
    of(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', {
      '@type': `${TYPE}ErrorInfo`,
      reason: 'API_KEY_INVALID',
    }),
    of(400, 'INVALID_ARGUMENT', 'API key expired. Please renew the API key.'),
    of(403, 'PERMISSION_DENIED', 'Permission denied on resource project secret-project.'),
    of(403, 'PERMISSION_DENIED', 'Requests to this API are blocked.', {
      '@type': `${TYPE}ErrorInfo`,
      reason: 'API_KEY_SERVICE_BLOCKED',
    }),
    of(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.'),
    of(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'),
    of(402, 'RESOURCE_EXHAUSTED', 'Your prepayment credits are depleted. Please go to AI Studio.'),
    parseError(401, 'no'),
  ])('the gateway’s own standing with Google is not the caller’s: %#', (error) => {
    expect(error).toMatchObject({
      fault: 'upstream-auth',
      status: 502,
      message:
        'The upstream refused the credentials of this gateway. Whoever runs it has to look at its key and account there.',
    });
  });

  test('a file of the caller that is missing or not accessible is the caller’s mistake', () => {
    const message = 'You do not have permission to access the File abc or it may not exist.';
    expect(of(403, 'PERMISSION_DENIED', message)).toMatchObject({
      fault: 'permission-denied',
      status: 403,
      message,
    });
  });

  test.each<[number, string, string, string, number]>([
    [
      404,
      'NOT_FOUND',
      'models/x is not found for API version v1beta, or is not supported for generateContent.',
      'model-not-found',
      404,
    ],
    [404, 'NOT_FOUND', 'Requested entity was not found.', 'not-found', 404],
    [400, 'FAILED_PRECONDITION', 'The file is still processing.', 'invalid-request', 400],
    [409, 'ABORTED', 'x', 'conflict', 409],
    [499, 'CANCELLED', 'x', 'upstream-broken', 502],
    [500, 'INTERNAL', 'x', 'upstream-broken', 502],
    [504, 'DEADLINE_EXCEEDED', 'x', 'upstream-timeout', 504],
    [413, '', 'x', 'too-large', 413],
    [400, 'A_NEW_WORD', 'x', 'invalid-request', 400],
    [429, 'INVALID_ARGUMENT', 'x', 'rate-limited', 429],
    [500, 'INVALID_ARGUMENT', 'x', 'upstream-broken', 502],
    [503, 'FAILED_PRECONDITION', 'x', 'upstream-overloaded', 503],
    [500, 'RESOURCE_EXHAUSTED', 'x', 'rate-limited', 429],
  ])('%d %s', (code, status, message, fault, seen) => {
    expect(of(code, status, message)).toMatchObject({ fault, status: seen, message });
  });

  test.each<[string, Fault]>([
    ['INVALID_ARGUMENT', 'invalid-request'],
    ['OUT_OF_RANGE', 'invalid-request'],
    ['FAILED_PRECONDITION', 'invalid-request'],
    ['UNAUTHENTICATED', 'upstream-auth'],
    ['PERMISSION_DENIED', 'upstream-auth'],
    ['NOT_FOUND', 'not-found'],
    ['ALREADY_EXISTS', 'conflict'],
    ['ABORTED', 'conflict'],
    ['RESOURCE_EXHAUSTED', 'rate-limited'],
    ['UNAVAILABLE', 'upstream-overloaded'],
    ['DEADLINE_EXCEEDED', 'upstream-timeout'],
    ['INTERNAL', 'upstream-broken'],
  ])('in a stream there may be its word alone: %s', (status, fault) => {
    expect(parseInnerError({ status, message: 'x' })?.fault).toBe(fault);
  });

  test.each<[number, Fault]>([
    [400, 'invalid-request'],
    [401, 'upstream-auth'],
    [402, 'upstream-auth'],
    [403, 'upstream-auth'],
    [404, 'not-found'],
    [408, 'upstream-timeout'],
    [409, 'conflict'],
    [413, 'too-large'],
    [422, 'unprocessable'],
    [429, 'rate-limited'],
    [500, 'upstream-broken'],
    [503, 'upstream-overloaded'],
    [504, 'upstream-timeout'],
    [529, 'upstream-overloaded'],
  ])('of what stands before Google, the status: %d', (status, fault) => {
    const error = parseError(status, '<html>');
    expect(error.fault).toBe(fault);
    expect(error.message).toMatch(/^The upstream .+\.$/);
  });

  test('the wrong field becomes the param', () => {
    const details = {
      '@type': `${TYPE}BadRequest`,
      fieldViolations: [{ field: 'contents[0].parts', description: 'x' }],
    };
    expect(of(400, 'INVALID_ARGUMENT', 'x', details).param).toBe('contents[0].parts');
  });

  test('the message does not name the project that pays', () => {
    const message =
      "Quota exceeded for metric 'requests' of service 'x' for consumer 'project_number:12345'. See projects/my-project.";
    const error = of(429, 'RESOURCE_EXHAUSTED', message);
    expect(error.message).not.toMatch(/12345|my-project/);
  });

  test('an error may come in a list, as a sentence, or not as JSON', () => {
    expect(
      parseError(429, '[{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}]'),
    ).toMatchObject({ fault: 'rate-limited', message: 'm' });
    expect(parseError(400, '{"error":"no"}')).toMatchObject({ fault: 'invalid-request', message: 'no' });
    expect(parseError(502, '<html>Bad Gateway</html>')).toMatchObject({
      fault: 'upstream-broken',
      status: 502,
      message: 'The upstream failed.',
    });
  });

  test('with status 200, the code in the body counts', () => {
    expect(parseInnerError({ code: 503, message: 'm' })).toMatchObject({
      fault: 'upstream-overloaded',
      status: 503,
    });
  });

  test('any body becomes an error with a message', () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), fc.oneof(fc.string(), fc.json()), (status, body) => {
        const error = parseError(status, body);
        expect(error).toBeInstanceOf(GatewayError);
        expect(error.message).not.toBe('');
        expect(error.status).toBeGreaterThanOrEqual(400);
      }),
    );
  });
});

describe('an error as Google words it', () => {
  test('has the field, the wait and the request id', () => {
    const error = new GatewayError('rate-limited', 'Slow down.', { param: 'contents', retryAfter: 7 });
    expect(renderError(error, 'req_1')).toEqual({
      error: {
        code: 429,
        message: 'Slow down.',
        status: 'RESOURCE_EXHAUSTED',
        details: [
          {
            '@type': `${TYPE}BadRequest`,
            fieldViolations: [{ field: 'contents', description: 'Slow down.' }],
          },
          { '@type': `${TYPE}RetryInfo`, retryDelay: '7s' },
          { '@type': `${TYPE}RequestInfo`, requestId: 'req_1' },
        ],
      },
    });
  });

  test.each<[Fault, number, string]>([
    ['invalid-request', 400, 'INVALID_ARGUMENT'],
    ['unauthenticated', 401, 'UNAUTHENTICATED'],
    ['model-not-allowed', 403, 'PERMISSION_DENIED'],
    ['permission-denied', 403, 'PERMISSION_DENIED'],
    ['model-not-found', 404, 'NOT_FOUND'],
    ['not-found', 404, 'NOT_FOUND'],
    ['endpoint-not-available', 404, 'NOT_FOUND'],
    ['method-not-allowed', 405, 'NOT_FOUND'],
    ['request-timeout', 408, 'DEADLINE_EXCEEDED'],
    ['conflict', 409, 'ABORTED'],
    ['too-large', 413, 'INVALID_ARGUMENT'],
    ['unsupported-media-type', 415, 'INVALID_ARGUMENT'],
    ['unprocessable', 422, 'INVALID_ARGUMENT'],
    ['rate-limited', 429, 'RESOURCE_EXHAUSTED'],
    ['internal', 500, 'INTERNAL'],
    ['upstream-auth', 502, 'INTERNAL'],
    ['upstream-broken', 502, 'UNAVAILABLE'],
    ['upstream-overloaded', 503, 'UNAVAILABLE'],
    ['overloaded', 503, 'UNAVAILABLE'],
    ['upstream-timeout', 504, 'DEADLINE_EXCEEDED'],
  ])('%s is %d %s', (fault, code, status) => {
    expect(renderError(new GatewayError(fault, 'x'))).toEqual({ error: { code, message: 'x', status } });
  });

  test("has Google's words for a full context before the vendor's", () => {
    expect(renderError(new GatewayError('context-too-long', 'x'))).toEqual({
      error: {
        code: 400,
        message: 'The input token count exceeds the maximum number of tokens allowed. x',
        status: 'INVALID_ARGUMENT',
      },
    });
  });

  test.each<[string, { retryAfter?: number }, object]>([
    [
      'that no wait refills is like that of a day',
      {},
      { '@type': `${TYPE}QuotaFailure`, violations: [{ quotaId: 'PerDay', description: 'x' }] },
    ],
    [
      'that is full again has the wait alone',
      { retryAfter: 90 },
      { '@type': `${TYPE}RetryInfo`, retryDelay: '90s' },
    ],
  ])('a quota %s', (_, wait, detail) => {
    expect(renderError(new GatewayError('quota-exceeded', 'x', wait))).toEqual({
      error: { code: 429, message: 'x', status: 'RESOURCE_EXHAUSTED', details: [detail] },
    });
  });

  test('is read back as the same error', () => {
    for (const fault of [
      'invalid-request',
      'model-not-found',
      'rate-limited',
      'upstream-overloaded',
      'upstream-timeout',
    ] as const) {
      const error = new GatewayError(fault, 'The model.', { retryAfter: 3 });
      expect(parseError(error.status, JSON.stringify(renderError(error, 'r')))).toMatchObject({
        fault,
        status: error.status,
        retryAfter: 3,
      });
    }
  });
});
