import { defineConfig } from 'vitest/config';

/** The AI SDK's version before its newest: apps stay with one for long, and it is maintained too. */
const AI_SDK_6 = {
  ai: 'ai-6',
  '@ai-sdk/anthropic': 'ai-sdk-anthropic-3',
  '@ai-sdk/google': 'ai-sdk-google-3',
  '@ai-sdk/openai': 'ai-sdk-openai-3',
  '@ai-sdk/openai-compatible': 'ai-sdk-openai-compatible-2',
};

export default defineConfig({
  test: {
    // What is waited for comes at once, as a rule, and what is reckoned takes seconds; a busy machine is given time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    pool: 'forks',
    // Bounds of time are those of the contract, which a busy machine may miss once; a fault it does not.
    retry: 2,
    // Much of what is tested is waiting.
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: 'gateway', include: ['test/**/*.test.ts'] } },
      {
        extends: true,
        resolve: { alias: AI_SDK_6 },
        test: { name: 'AI SDK 6', include: ['test/clients/ai-sdk.test.ts'] },
      },
    ],
  },
});
