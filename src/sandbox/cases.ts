/**
 * Answers that a prompt can ask for by name, as `play: tool-call`. They are those of `fixtures/replies`, so that a client's
 * author can provoke each kind of answer.
 */

import { LONG_TEXT } from './long-text.ts';
import { inJsonPieces, inPieces } from './pieces.ts';
import type { Script, ScriptPart, ScriptUsage } from './script.ts';

const text = (said: string): ScriptPart => ({ kind: 'text', pieces: inPieces(said) });
const call = (name: string, input: string): ScriptPart => ({
  kind: 'call',
  name,
  pieces: inJsonPieces(input),
});
const tokens = (input: number, output: number, more: Partial<ScriptUsage> = {}): ScriptUsage => ({
  input,
  output,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
  ...more,
});

/** Every case, by its name. */
export const CASES = {
  'plain-text': {
    parts: [
      text(
        'Hello! This is the sandbox, a model that was never trained. It answers over real HTTP, in small pieces, just as ' +
          'the real ones do. Ask me for a tool call, a JSON answer or a thought, and I will play along.',
      ),
    ],
    finish: 'stop',
    usage: tokens(14, 51),
  },
  'long-text': {
    parts: [text(LONG_TEXT)],
    finish: 'stop',
    usage: tokens(1536, 429, { cacheRead: 1024 }),
  },
  'tool-call': {
    parts: [call('get_weather', '{"city":"São Paulo","unit":"celsius","days":3}')],
    finish: 'calls',
    usage: tokens(96, 24),
  },
  'parallel-tool-calls': {
    parts: [
      text('I will look up both cities at once.'),
      call('get_weather', '{"city":"Oslo","unit":"celsius"}'),
      call('get_weather', '{"city":"Cairo","unit":"celsius"}'),
      call('get_time', '{}'),
    ],
    finish: 'calls',
    usage: tokens(118, 63),
  },
  thinking: {
    parts: [
      {
        kind: 'thinking',
        pieces: inPieces(
          'The user asks how many letters r are in "strawberry". I spell it out: s-t-r-a-w-b-e-r-r-y. The letter r ' +
            'stands at the third, eighth and ninth place, which makes three.',
        ),
      },
      text('There are 3 letters "r" in "strawberry": one after the t, and two before the y.'),
    ],
    finish: 'stop',
    usage: tokens(22, 64, { reasoning: 43 }),
  },
  'json-schema': {
    parts: [
      {
        kind: 'text',
        pieces: inJsonPieces(
          JSON.stringify({
            name: 'Ada Lovelace',
            born: 1815,
            fields: ['mathematics', 'computing'],
            address: { city: 'London', note: 'said "Enchantress of Numbers"' },
            famous: true,
            rating: 4.5,
            died_of: null,
          }),
        ),
      },
    ],
    finish: 'stop',
    usage: tokens(132, 47),
  },
  refusal: {
    parts: [{ kind: 'refusal', pieces: inPieces("I'm sorry, but I can't help with that request.") }],
    finish: 'refusal',
    usage: tokens(19, 12),
  },
  length: {
    parts: [
      text(
        'Once upon a time there was a gateway between many cities. Every traveller who came to it spoke another ' +
          'language, and the keeper of the gate',
      ),
    ],
    finish: 'length',
    usage: tokens(17, 32),
  },
  'error-in-stream': {
    parts: [text('This answer begins well, and then')],
    finish: 'stop',
    usage: tokens(15, 9),
    broken: true,
  },
} satisfies Readonly<Record<string, Script>>;

const BY_NAME: ReadonlyMap<string, Script> = new Map(Object.entries(CASES));

/**
 * @param said the prompt
 * @returns the case that it asks for by `play: <name>`; undefined if it names none, or one that does not exist
 */
export function caseIn(said: string): Script | undefined {
  const name = /\bplay:\s*([a-z]+(?:-[a-z]+)*)/i.exec(said)?.[1];
  return name === undefined ? undefined : BY_NAME.get(name.toLowerCase());
}
