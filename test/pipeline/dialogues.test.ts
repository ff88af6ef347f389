/**
 * Dialogues in which every turn is another vendor's, through a caller of each format, with thoughts and parallel calls,
 * streamed and whole. The sandbox refuses what the vendors refuse, in words of many services; all dialogues come to their end.
 */

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { type DialogueStage, openDialogueStage } from './dialogue-stage.ts';
import { dialogues } from './planned-turns.ts';

/** Dialogues for each format, 100 in all. */
const RUNS = Number(process.env['DIALOGUES'] ?? 25);
const SEED = Number(process.env['DIALOGUES_SEED'] ?? 34);

let stage: DialogueStage;
beforeAll(async () => {
  stage = await openDialogueStage();
});
afterAll(() => stage.close());

test.each<FormatName>(['chat-completions', 'responses', 'messages', 'generate-content'])(
  'every dialogue through %s comes to its end',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(dialogues, fc.nat(1000), async (turns, seed) => {
        const broken = await stage.play(format, turns, seed);
        expect(broken, broken && JSON.stringify(broken, null, 1)).toBeUndefined();
      }),
      // A dialogue without its end says enough; a smaller one would take hundreds of others to find.
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
  },
);
