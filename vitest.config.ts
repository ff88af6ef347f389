import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    // What is waited for comes at once, as a rule; a busy machine is given time.
    expect: { poll: { timeout: 10_000 } },
    pool: 'forks',
    // Much of what is tested is waiting.
    maxWorkers: 3,
  },
});
