import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    // What is waited for comes at once, as a rule; a busy machine is given time.
    expect: { poll: { timeout: 10_000 } },
    pool: 'forks',
    // Bounds of time are those of the contract, which a busy machine may miss once; a fault it does not.
    retry: 2,
    // Much of what is tested is waiting.
    maxWorkers: 3,
  },
});
