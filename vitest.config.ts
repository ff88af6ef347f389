import { defineConfig } from 'vitest/config';

/** The AI SDK's version before its newest: apps stay with one for long, and it is maintained too. */
const AI_SDK_6 = {
  ai: 'ai-6',
  '@ai-sdk/anthropic': 'ai-sdk-anthropic-3',
  '@ai-sdk/google': 'ai-sdk-google-3',
  '@ai-sdk/openai': 'ai-sdk-openai-3',
  '@ai-sdk/openai-compatible': 'ai-sdk-openai-compatible-2',
};

/** Tests that go through a running gateway, whose head is a chain of stages. */
const THROUGH_A_GATEWAY = [
  'test/gateway/**/*.test.ts',
  'test/faults/**/*.test.ts',
  'test/server/websocket/**/*.test.ts',
  'test/access/limits/**/*.test.ts',
];

/** These do not hang on how the chain runs: codecs, packages and the process around it; or are about one way. */
const NOT_BOTH_WAYS = [
  'test/faults/cost.test.ts',
  'test/faults/security-packages.test.ts',
  'test/faults/security-installed.test.ts',
  'test/faults/security-node.test.ts',
  'test/faults/fuzz.test.ts',
  'test/faults/process-*.test.ts',
  'test/gateway/stack.test.ts',
];

export default defineConfig({
  test: {
    // These end what hangs. A busy machine may take minutes for what takes an idle one seconds, and that is no fault.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ['default', './test/support/skipped-reporter.ts'],
    pool: 'forks',
    // Much of what is tested is waiting.
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: 'gateway', include: ['test/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'a stream for each stage',
          // The same behaviour whichever way the chain runs (src/streams/chain.ts).
          env: { GATEWAY_CHAIN: 'streams' },
          include: THROUGH_A_GATEWAY,
          exclude: NOT_BOTH_WAYS,
        },
      },
      {
        extends: true,
        resolve: { alias: AI_SDK_6 },
        test: { name: 'AI SDK 6', include: ['test/clients/ai-sdk.test.ts'] },
      },
    ],
  },
});
