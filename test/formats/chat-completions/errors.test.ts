/** What errors of services mean, and how this format renders errors. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  isErrorBody,
  parseError,
  parseErrorObject,
} from '../../../src/formats/chat-completions/outbound/parse-error.ts';
import { renderError } from '../../../src/formats/openai/errors.ts';
import { type Fault, GatewayError } from '../../../src/lib/errors.ts';
import { asNumber, type Json, type JsonObject, parseJson } from '../../../src/lib/json.ts';
import { objectOf } from './requests.ts';

const FOLDER = join(import.meta.dirname, '../../../fixtures/errors/chat-completions');

/** llama.cpp's tools/server/server-common.cpp. */
const NO_IMAGES =
  'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj';

const FAULTS: Readonly<Record<string, Fault>> = {
  'server-error': 'upstream-broken',
  'invalid-request': 'invalid-request',
  'rate-limited': 'rate-limited',
  overloaded: 'upstream-overloaded',
  'context-too-long': 'context-too-long',
};

describe('recorded errors', () => {
  test.each(Object.entries(FAULTS))('%s', (name, fault) => {
    const recorded = objectOf(parseJson(readFileSync(join(FOLDER, `${name}.json`), 'utf8')));
    const error = parseError(asNumber(recorded['status']) ?? 0, JSON.stringify(recorded['body']));
    expect(error.fault).toBe(fault);
    expect(error.message).not.toBe('');
    expect(renderError(error)).toMatchObject({ error: { message: error.message } });
  });

  test('every recorded error is covered', () => {
    expect(
      readdirSync(FOLDER)
        .map((file) => file.replace('.json', ''))
        .sort(),
    ).toEqual(expect.arrayContaining(Object.keys(FAULTS).sort()));
  });
});

describe('the meaning of an error', () => {
  const said = (message: string, more: JsonObject = {}): JsonObject => ({
    error: { message, type: 'x', ...more },
  });
  const behind = (raw: Json): JsonObject => ({
    error: {
      message: 'Provider returned error',
      code: 400,
      metadata: { raw, provider_name: 'Moonshot AI', is_byok: false },
    },
    user_id: 'user_1',
  });

  test.each<[string, number, JsonObject | string, Fault, number]>([
    ['a bad field', 400, said('bad', { param: 'tools', code: 'invalid_value' }), 'invalid-request', 400],
    ['too long, by code', 400, said('no', { code: 'context_length_exceeded' }), 'context-too-long', 400],
    ['too long, by its message', 400, said('prompt is too long: 9 tokens'), 'context-too-long', 400],
    ["the gateway's key", 401, said('Incorrect API key provided: sk-abc'), 'upstream-auth', 502],
    [
      "the gateway's key, as a bad request",
      400,
      { code: 'x', error: 'Incorrect API key provided: xai-1' },
      'upstream-auth',
      502,
    ],
    ["the gateway's key, without the word key", 401, said('Unauthorized'), 'upstream-auth', 502],
    ["the gateway's key, forbidden", 403, said('no'), 'upstream-auth', 502],
    ["the gateway's credit", 402, said('Insufficient Balance'), 'upstream-auth', 502],
    [
      "the gateway's account at Alibaba",
      400,
      said('Access denied, please make sure your account is in good standing.', { code: 'Arrearage' }),
      'upstream-auth',
      502,
    ],
    [
      "the gateway's account at Fireworks",
      412,
      said('Account acme is suspended, possibly due to reaching the monthly spending limit'),
      'upstream-auth',
      502,
    ],
    [
      'a limit of a minute at Alibaba',
      429,
      said('Allocated quota exceeded.', { code: 'Throttling.AllocationQuota' }),
      'rate-limited',
      429,
    ],
    [
      "the gateway's credit at Z.ai",
      429,
      said('Insufficient balance or no resource package. Please recharge.', { code: '1113' }),
      'quota-exceeded',
      429,
    ],
    [
      "the gateway's credit at Zhipu",
      429,
      said('余额不足或无可用资源包,请充值。', { code: '1113' }),
      'quota-exceeded',
      429,
    ],
    [
      "the gateway's credit at xAI",
      429,
      { code: 'x', error: 'Your team 1-2 has either used all available credits or reached its limit.' },
      'quota-exceeded',
      429,
    ],
    [
      'a retired model at Groq',
      400,
      said('The model `gemma2-9b-it` has been decommissioned and is no longer supported.', {
        code: 'model_decommissioned',
      }),
      'model-not-found',
      400,
    ],
    [
      'no such model at Mistral',
      400,
      { object: 'error', message: 'Invalid model: mistral-x', type: 'invalid_model', code: '1500' },
      'model-not-found',
      400,
    ],
    [
      'no such model at DeepSeek',
      400,
      said('Model Not Exist', { code: 'invalid_request_error' }),
      'model-not-found',
      400,
    ],
    [
      'no such model at OpenRouter',
      400,
      said('deepseek/deepseek-coder is not a valid model ID', { code: 400 }),
      'model-not-found',
      400,
    ],
    [
      'no such model behind LiteLLM',
      400,
      { error: '/chat/completions: Invalid model name passed in model=x. Call `/v1/models` to view them.' },
      'model-not-found',
      400,
    ],
    [
      'no such model at DeepSeek, since version 4',
      400,
      said('The supported API model names are deepseek-v4-pro or deepseek-v4-flash, but you passed x.', {
        code: 'invalid_request_error',
      }),
      'model-not-found',
      400,
    ],
    [
      'no such model at xAI',
      400,
      { code: 'invalid-argument', error: 'Model not found: grok-9' },
      'model-not-found',
      400,
    ],
    [
      'no such model at Z.ai',
      400,
      { error: { code: '1211', message: 'Unknown Model, please check the model code.' } },
      'model-not-found',
      400,
    ],
    [
      'no such model at Zhipu',
      400,
      { error: { code: '1211', message: '模型不存在，请检查模型代码。' } },
      'model-not-found',
      400,
    ],
    [
      'no such model at MiniMax',
      400,
      said("invalid params, unknown model 'x' (2013)", { type: 'bad_request_error' }),
      'model-not-found',
      400,
    ],
    [
      'no such model at SiliconFlow',
      400,
      { code: 20012, message: 'Model does not exist. Please check it carefully.', data: null },
      'model-not-found',
      400,
    ],
    [
      'no such model at Bedrock',
      400,
      said('The provided model identifier is invalid.'),
      'model-not-found',
      400,
    ],
    [
      'a model without a provider at Hugging Face',
      400,
      said("The requested model 'a/b' is not supported by any provider you have enabled.", {
        code: 'model_not_supported',
      }),
      'model-not-found',
      400,
    ],
    [
      'no such model at GitHub',
      400,
      said('Unknown model: x', { code: 'unknown_model' }),
      'model-not-found',
      400,
    ],
    [
      "a caller's text about a model",
      400,
      said("Invalid value: 'Model Not Exist', 'x is not a valid model ID'."),
      'invalid-request',
      400,
    ],
    ["a caller's text about a key", 400, said("Invalid value: 'invalid api key'."), 'invalid-request', 400],
    [
      "a caller's text about a key, at the beginning",
      400,
      said("'Invalid API key' does not match '^[a-zA-Z0-9_-]{1,64}$' - 'messages.0.name'"),
      'invalid-request',
      400,
    ],
    [
      "a caller's field that is called like a key's error",
      400,
      said('Invalid API key: Extra inputs are not permitted'),
      'invalid-request',
      400,
    ],
    [
      "a caller's text about an account",
      400,
      said("Invalid value: 'insufficient balance'."),
      'invalid-request',
      400,
    ],
    [
      'a text that xAI refuses',
      403,
      { code: 'The caller does not have permission', error: 'Content violates usage guidelines. Team: 1' },
      'invalid-request',
      400,
    ],
    [
      'too long for Gemini behind a router',
      400,
      said('The input token count (1250074) exceeds the maximum number of tokens allowed (1048576).'),
      'context-too-long',
      400,
    ],
    [
      "a caller's field about a context",
      400,
      said("Unknown parameter: 'context_window'.", { code: 'unknown_parameter' }),
      'invalid-request',
      400,
    ],
    [
      'too long at Together',
      403,
      said('Input token count + max_tokens must be less than the context length of the model.'),
      'context-too-long',
      400,
    ],
    [
      "a model that the gateway's project may not use",
      403,
      said('Project `proj_1` does not have access to model `x`', { code: 'model_not_found' }),
      'model-not-found',
      404,
    ],
    [
      'no such model',
      404,
      said('The model `x` does not exist', { code: 'model_not_found' }),
      'model-not-found',
      404,
    ],
    ['no such model, as a bad request', 400, said('x', { code: 'model_not_found' }), 'model-not-found', 400],
    ['no such deployment', 404, said('x', { code: 'DeploymentNotFound' }), 'model-not-found', 404],
    ['no endpoint at OpenRouter', 404, said('No endpoints found for a/b:free.'), 'model-not-found', 404],
    [
      'none with tools at OpenRouter',
      404,
      said('No endpoints found that support tool use.'),
      'model-not-found',
      404,
    ],
    [
      'no such function at NVIDIA',
      404,
      { status: 404, title: 'Not Found', detail: "Function '23d4f03a': Not found for account 'Qawmu2vU'" },
      'model-not-found',
      404,
    ],
    [
      'a retired model at NVIDIA',
      410,
      { status: 410, title: 'Gone', detail: "The model 'a/b' has reached its end of life." },
      'model-not-found',
      404,
    ],
    ['not found', 404, 'Not Found', 'not-found', 404],
    ['too large', 413, said('big'), 'too-large', 413],
    [
      'unprocessable',
      422,
      { detail: [{ loc: ['body', 'user'], msg: 'Extra inputs are not permitted' }] },
      'unprocessable',
      422,
    ],
    [
      'too many requests',
      429,
      said('slow', { type: 'tokens', code: 'rate_limit_exceeded' }),
      'rate-limited',
      429,
    ],
    [
      'quota used up',
      429,
      said('pay', { type: 'insufficient_quota', code: 'insufficient_quota' }),
      'quota-exceeded',
      429,
    ],
    [
      'held back by moderation',
      403,
      { error: { message: 'flagged', code: 403, metadata: { flagged_input: 'x' } } },
      'invalid-request',
      400,
    ],
    [
      'too long, by the words of the vendor behind a router',
      400,
      behind('{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9"}}'),
      'context-too-long',
      400,
    ],
    [
      'too long, by the code of the vendor behind a router',
      400,
      behind({ error: { message: 'no', code: 'context_length_exceeded' } }),
      'context-too-long',
      400,
    ],
    ['broken', 500, said('oops'), 'upstream-broken', 502],
    [
      'an image for a model of llama.cpp that reads only text',
      500,
      { error: { code: 500, message: NO_IMAGES, type: 'server_error' } },
      'invalid-request',
      400,
    ],
    ["a caller's text about images", 500, said(`'${NO_IMAGES}' cannot be read`), 'upstream-broken', 502],
    ['a page in between', 502, '<html>Bad Gateway</html>', 'upstream-broken', 502],
    ['busy', 503, '', 'upstream-overloaded', 503],
    ['busy, in other words', 529, said('x'), 'upstream-overloaded', 503],
    ['no capacity at Groq', 498, said('x'), 'upstream-overloaded', 503],
    ['slow', 504, '', 'upstream-timeout', 504],
    ['slow, by its message', 408, '', 'upstream-timeout', 504],
    ['slow, at a proxy', 524, '', 'upstream-timeout', 504],
    ['a wrong path', 405, '', 'upstream-broken', 502],
    ['a list of one', 400, '[{"error":{"code":400,"message":"bad"}}]', 'invalid-request', 400],
  ])('%s', (_, status, body, fault, answered) => {
    const error = parseError(status, typeof body === 'string' ? body : JSON.stringify(body));
    expect(error).toMatchObject({ fault, status: answered });
  });

  test('the field, the code and the message are kept', () => {
    expect(
      parseError(400, JSON.stringify(said('bad tools', { param: 'tools', code: 'invalid_value' }))),
    ).toMatchObject({
      message: 'bad tools',
      param: 'tools',
      code: 'invalid_value',
    });
    expect(parseError(422, '{"detail":[{"loc":["body","user"],"msg":"not permitted"}]}').message).toBe(
      'body.user: not permitted',
    );
    expect(parseError(400, '{"code":"c","error":"as text"}').message).toBe('as text');
    expect(parseError(400, '{"object":"error","message":"flat"}').message).toBe('flat');
    expect(
      parseError(400, '{"errors":[{"message":"AiError: bad input","code":5006}],"success":false}').message,
    ).toBe('AiError: bad input');
    expect(parseError(422, '{"errors":["one","two"]}').message).toBe('one; two');
    expect(parseError(400, '{"message":["one","two"],"statusCode":400}').message).toBe('one; two');
    expect(parseError(400, '{"detail":"alone"}').message).toBe('alone');
    expect(parseError(422, '{"detail":[{"msg":"first"},{"msg":"second"},{}]}').message).toBe('first; second');
    expect(parseError(422, '{"detail":[{"loc":["body","n"]}]}').message).toBe('body.n: invalid');
    // Mistral (charmbracelet/crush#1590).
    expect(
      parseError(422, '{"object":"error","message":{"detail":[{"loc":["body","n"],"msg":"not permitted"}]}}')
        .message,
    ).toBe('body.n: not permitted');
    expect(parseError(400, '[{"error":{"code":400,"message":"in a list"}}]').message).toBe('in a list');
  });

  test.each<[string, Json, string]>([
    ['as JSON', '{\n "error": {"message": "bad tools", "code": null}}', 'bad tools'],
    ['as an object', { error: { message: 'bad tools' } }, 'bad tools'],
    ['in words', 'z-ai/glm is busy. Please retry.', 'z-ai/glm is busy. Please retry.'],
    ['not at all', '', 'Provider returned error'],
    ['in JSON that says nothing', '{}', 'Provider returned error'],
  ])('what the vendor behind a router said, %s', (_, raw, message) => {
    expect(parseError(400, JSON.stringify(behind(raw))).message).toBe(message);
    expect(parseErrorObject(behind(raw)).message).toBe(message);
  });

  test("the nested error is read only if the router's own message is generic", () => {
    const body = { error: { message: 'No endpoints found', code: 404, metadata: { raw: 'other' } } };
    expect(parseError(404, JSON.stringify(body)).message).toBe('No endpoints found');
  });

  test("NVIDIA's sentence about a missing function does not name the gateway's account", () => {
    const detail = "Function '23d4f03a': Not found for account 'Qawmu2vUw3rd-REnubC'";
    expect(parseError(404, JSON.stringify({ status: 404, detail })).message).toBe(
      "Function '23d4f03a': Not found for account '[account]'",
    );
  });

  test.each([
    'Incorrect API key provided: sk-proj-abcdef1234567890',
    'key AIzaSyA1234567890 wrong',
    'in organization org-A1b2C3d4E5f6',
  ])('nothing of our account comes through: %s', (message) => {
    for (const status of [400, 401, 429, 500]) {
      expect(parseError(status, JSON.stringify(said(message))).message).not.toMatch(/sk-proj|AIza|org-A/);
    }
  });

  test.each<[JsonObject, Fault]>([
    [{ error: { message: 'x', code: 502 } }, 'upstream-broken'],
    [{ error: { message: 'x', code: 429 } }, 'rate-limited'],
    [{ error: { message: 'x', type: 'overloaded_error' } }, 'upstream-overloaded'],
    [{ error: { message: 'x', code: 'tool_use_failed', status_code: 400 } }, 'invalid-request'],
    [{ error: { message: 'x', type: 'server_error' } }, 'upstream-broken'],
    [{ error: { message: 'x', type: 'rate_limit_error' } }, 'rate-limited'],
    [{ code: 500, msg: '404 NOT_FOUND', success: false }, 'upstream-broken'],
    [{ code: 20012, msg: 'x', data: null }, 'upstream-broken'],
    [{ success: false, errors: [{ code: 7003, message: 'x' }], result: null }, 'upstream-broken'],
    [{ choices: null, base_resp: { status_code: 1002, status_msg: 'rate limit' } }, 'rate-limited'],
    [{ base_resp: { status_code: 1004, status_msg: 'login fail' } }, 'upstream-auth'],
    [{ base_resp: { status_code: 2013, status_msg: 'invalid params' } }, 'invalid-request'],
    [{ error: { message: 'x', type: 'insufficient_quota' } }, 'quota-exceeded'],
    [{ error: { message: 'x', type: 'authentication_error' } }, 'upstream-auth'],
    [{ error: { message: 'x', code: 'model_not_found' } }, 'model-not-found'],
    [{ error: { message: 'x', type: 'timeout' } }, 'upstream-timeout'],
    [{ error: { message: 'x', code: 'context_length_exceeded' } }, 'context-too-long'],
    [{ error: { message: 'x', status_code: 503 } }, 'upstream-overloaded'],
    // DeepInfra's and Venice's, within a stream.
    [
      {
        choices: null,
        error_type: 'BadRequestError',
        error_message: "The model's maximum context length is 9.",
      },
      'context-too-long',
    ],
    [{ error_type: 'RateLimitError', error_message: 'x' }, 'rate-limited'],
    [{ error_type: 'InternalServerError', error_message: 'x', code: 503 }, 'upstream-overloaded'],
    // vLLM's, within a stream.
    [{ object: 'error', message: 'x', type: 'BadRequestError', param: null, code: 400 }, 'invalid-request'],
  ])('inside an answer: %j', (body, fault) => {
    expect(isErrorBody(body)).toBe(true);
    expect(parseErrorObject(body).fault).toBe(fault);
  });

  test.each<JsonObject>([
    { choices: [], error: null },
    { choices: [], detail: 'x' },
    { id: 'x', choices: [] },
    { choices: [], base_resp: { status_code: 1008, status_msg: 'x' } },
    { base_resp: { status_code: 0, status_msg: '' } },
    { choices: null, error_type: null, error_message: null },
    { type: 'ping' },
    { code: 0, msg: '' },
  ])('no error: %j', (body) => {
    expect(isErrorBody(body)).toBe(false);
  });
});

describe('rendered in this format', () => {
  test.each<[Fault, string, string | null]>([
    ['invalid-request', 'invalid_request_error', null],
    ['unauthenticated', 'invalid_request_error', 'invalid_api_key'],
    ['model-not-allowed', 'permission_error', 'model_not_allowed'],
    ['model-not-found', 'invalid_request_error', 'model_not_found'],
    ['endpoint-not-available', 'invalid_request_error', 'endpoint_not_available'],
    ['method-not-allowed', 'invalid_request_error', null],
    ['too-large', 'invalid_request_error', 'request_too_large'],
    ['rate-limited', 'rate_limit_error', 'rate_limit_exceeded'],
    ['quota-exceeded', 'insufficient_quota', 'insufficient_quota'],
    ['internal', 'server_error', null],
    ['upstream-auth', 'api_error', 'upstream_auth'],
    ['upstream-broken', 'api_error', null],
    ['upstream-overloaded', 'server_error', 'server_is_overloaded'],
    ['upstream-timeout', 'api_error', 'upstream_timeout'],
  ])('%s', (fault, type, code) => {
    expect(renderError(new GatewayError(fault, 'words'))).toEqual({
      error: { message: 'words', type, param: null, code },
    });
  });

  test("a full context has OpenAI's words before the vendor's", () => {
    expect(renderError(new GatewayError('context-too-long', 'words'))).toEqual({
      error: {
        message:
          "Your input exceeds the context window of this model, because this model's maximum context length is smaller. words",
        type: 'invalid_request_error',
        param: null,
        code: 'context_length_exceeded',
      },
    });
  });

  test.each<[string, string, number, string]>([
    ['has', 'Slow down.', 7, 'Slow down. Please try again in 7s.'],
    ['names once', 'Please try again in 6.5s.', 7, 'Please try again in 6.5s.'],
    ['is silent about a long', 'Slow down.', 3600, 'Slow down.'],
  ])('a rate limit %s wait', (_, said, retryAfter, message) => {
    const error = new GatewayError('rate-limited', said, { retryAfter });
    expect(renderError(error)).toMatchObject({ error: { message } });
  });

  test("the field and the upstream's code", () => {
    const error = new GatewayError('invalid-request', 'words', { param: 'stop', code: 'invalid_type' });
    expect(renderError(error)).toEqual({
      error: { message: 'words', type: 'invalid_request_error', param: 'stop', code: 'invalid_type' },
    });
  });
});

/** A router's error around the error of another router, and so on. */
const nested = (depth: number): string =>
  `${'{"error":{"message":"Provider returned error","metadata":{"raw":'.repeat(depth)}"x"${'}}}'.repeat(depth)}`;

test('a router inside a router: only the first nested error is read', () => {
  expect(parseError(400, nested(3)).message).toBe('Provider returned error');
});

test('an error nested beyond the bounds of JSON is not read at all', () => {
  expect(parseError(400, nested(16_000)).message).toBe('The upstream answered with status 400.');
});
