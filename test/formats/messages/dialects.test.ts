/** How services that speak messages differ, by their address. */

import { describe, expect, test } from 'vitest';
import { serviceTraits } from '../../../src/formats/messages/dialects.ts';

const ANTHROPIC = { origin: 'https://api.anthropic.com', basePath: '' };
const VERTEX = {
  origin: 'https://aiplatform.googleapis.com',
  basePath: '/v1/projects/p/locations/global/publishers/anthropic',
};

test('Anthropic itself takes later system messages, caches agents unasked and knows all fields', () => {
  expect(serviceTraits(ANTHROPIC)).toEqual({ laterSystem: true, caches: 'agents', isReference: true });
});

test.each([
  ['another host with the same API', { origin: 'https://claude.example.com', basePath: '/anthropic' }],
  ['a host whose name only begins alike', { origin: 'https://api.anthropic.com.example.com', basePath: '' }],
])('%s has none of that', (_, address) => {
  expect(serviceTraits(address)).toEqual({ laterSystem: false, caches: 'asked', isReference: false });
});

describe('Vertex AI', () => {
  const { modelInPath, ...traits } = serviceTraits(VERTEX);

  test('is treated like any other cloud otherwise', () => {
    expect(traits).toEqual({ laterSystem: false, caches: 'asked', isReference: false });
  });

  test.each([
    [
      'a whole answer',
      { operation: 'generate', stream: false },
      '/models/claude-opus-4-5@20251101:rawPredict',
    ],
    [
      'a stream',
      { operation: 'generate', stream: true },
      '/models/claude-opus-4-5@20251101:streamRawPredict',
    ],
    ['a count', { operation: 'count-tokens', stream: false }, '/models/count-tokens:rawPredict'],
  ] as const)('has the model and the method in the path of %s', (_, request, path) => {
    expect(modelInPath?.path({ model: 'claude-opus-4-5@20251101', ...request })).toBe(path);
    expect(modelInPath?.keepsModel(request.operation)).toBe(request.operation === 'count-tokens');
  });

  test.each([
    ['its own name of the current version', {}, 'vertex-2023-10-16'],
    [
      'that name too if the caller sent the current version',
      { 'anthropic-version': '2023-06-01' },
      'vertex-2023-10-16',
    ],
    ['a later version of the caller unchanged', { 'anthropic-version': '2027-01-01' }, '2027-01-01'],
  ])('receives %s', (_, headers, version) => {
    expect(modelInPath?.field).toBe('anthropic_version');
    expect(modelInPath?.value(headers)).toBe(version);
  });
});
