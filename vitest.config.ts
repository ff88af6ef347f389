import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** The AI SDK's version before its newest: apps stay with one for long, and it is maintained too. */
const AI_SDK_6 = {
  ai: 'ai-6',
  '@ai-sdk/anthropic': 'ai-sdk-anthropic-3',
  '@ai-sdk/google': 'ai-sdk-google-3',
  '@ai-sdk/openai': 'ai-sdk-openai-3',
  '@ai-sdk/openai-compatible': 'ai-sdk-openai-compatible-2',
};

/**
 * Tests that go through a running gateway, whose head is a chain of stages. Left out are those of the process around
 * the gateway, of codecs and of packages: how the chain runs makes no difference to them. So are those that start the
 * built program, because a second run of them takes minutes: `GATEWAY_CHAIN=streams npx vitest run test/faults`. How bytes
 * are cut or compressed is the business of the body, which is one value to the chain.
 */
const THROUGH_A_GATEWAY = [
  'test/gateway/**/*.test.ts',
  'test/server/websocket/!(process).test.ts',
  'test/faults/chaos.test.ts',
  'test/faults/security-limits.test.ts',
  'test/faults/upstream-!(leaving|bytes).test.ts',
];

/**
 * Signs that a file of tests needs a process of its own: it replaces modules, asks which are loaded, measures the memory or
 * the time of the process it runs in, or counts the open files of a program, which may inherit one from that process. (A
 * line that is indented is an import of a program that the file starts.) All others share the modules that have been
 * loaded, which take longer to load than most files take to run.
 */
const NEEDS_A_PROCESS =
  /\bvi\.mock\(|\/support\/(?:held|cost)\.ts|^\S.*'node:(?:module|v8|vm)'|\b(?:memory|cpu)Usage\(|ulimit -n/m;

const ALONE = globSync('test/**/*.test.ts', { cwd: import.meta.dirname }).filter((file) =>
  NEEDS_A_PROCESS.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
);

export default defineConfig({
  test: {
    // These end what hangs. A busy machine may take minutes for what takes an idle one seconds, and that is no fault.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ['default', './test/support/skipped-reporter.ts'],
    globalSetup: './test/support/built.ts',
    pool: 'forks',
    // Much of what is tested is waiting.
    maxWorkers: 6,
    projects: [
      // They run in the order of their names, and of each the largest file first. So the last files are small ones, and no
      // core waits for the end of a long one.
      { extends: true, test: { name: 'gateway alone', include: ALONE } },
      {
        extends: true,
        test: {
          name: 'gateway together',
          include: ['test/**/*.test.ts'],
          exclude: ALONE,
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'a stream for each stage',
          // The same behaviour whichever way the chain runs (src/streams/chain.ts).
          env: { GATEWAY_CHAIN: 'streams' },
          include: THROUGH_A_GATEWAY,
          isolate: false,
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
