/** Decides what a simulated model answers to a request. */

import { answerText, resultsText, thoughtText } from './answer-text.ts';
import type { Ask, AskedTool } from './ask.ts';
import { cacheFigures } from './caches.ts';
import { caseIn } from './cases.ts';
import { cutAtLimit, cutAtStops, type Spoken, tokensIn } from './cut.ts';
import { orderedWords } from './ordered-words.ts';
import { inJsonPieces, inPieces } from './pieces.ts';
import { withWords } from './prompt-commands.ts';
import { sample } from './sample.ts';
import type { Memory } from './sandbox-state.ts';
import type { Script, ScriptPart } from './script.ts';
import { toolsFor } from './tools-for.ts';

/**
 * @param seen the prompts in the vendor's cache, to which this one is added
 * @returns the answer to `given`, with its usage
 */
export function compose(given: Ask, seen: Memory<true>): Script {
  const ask = withWords(given);
  // A case ends once its calls are answered; otherwise an agent would go on calling for ever.
  const played = ask.results.length > 0 ? undefined : caseIn(ask.said);
  const spoken = cutAtLimit(cutAtStops(played ?? spokenTo(ask), ask.stops), ask.limit);
  const reasoning = tokensIn(spoken.parts.filter(({ kind }) => kind === 'thinking'));
  const { forAnHour, ...figures } = cacheFigures(ask, seen);
  const usage =
    played !== undefined && spoken === played
      ? played.usage
      : {
          ...figures,
          output: tokensIn(spoken.parts) * ask.count,
          reasoning: reasoning * ask.count,
          ...(forAnHour && { cacheForAnHour: true }),
        };
  return {
    ...spoken,
    // A case always shows its reasoning, since that is its purpose.
    parts: played !== undefined || ask.shows ? spoken.parts : spoken.parts.map(hidden),
    usage,
    ...(played?.broken === true && { broken: true }),
  };
}

function hidden(part: ScriptPart): ScriptPart {
  return part.kind === 'thinking' ? { kind: 'thinking', pieces: [] } : part;
}

function spokenTo(ask: Ask): Spoken {
  const thoughts: readonly ScriptPart[] = ask.thinks
    ? [{ kind: 'thinking', pieces: inPieces(thoughtText(ask)) }]
    : [];
  const called = toolsFor(ask);
  if (called.length > 0) {
    return { parts: [...thoughts, ...called.map((tool) => composeCall(tool, ask.said))], finish: 'calls' };
  }
  return { parts: [...thoughts, { kind: 'text', pieces: piecesOfAnswer(ask) }], finish: 'stop' };
}

function composeCall(tool: AskedTool, said: string): ScriptPart {
  const called = tool.within ?? { name: tool.name };
  if (tool.custom) return { kind: 'call', ...called, pieces: inPieces(said.trim()), custom: true };
  const value = sample({ type: 'object', ...tool.schema }, said);
  return { kind: 'call', ...called, pieces: inJsonPieces(JSON.stringify(value)) };
}

function piecesOfAnswer(ask: Ask): readonly string[] {
  if (ask.json !== undefined) {
    const value =
      ask.json.schema === undefined
        ? { sandbox: true, asked: ask.said.slice(0, 200) }
        : sample(ask.json.schema, ask.said);
    if (ask.json.bare && typeof value === 'string') return inPieces(value);
    return inJsonPieces(JSON.stringify(value));
  }
  return inPieces(orderedWords(ask) ?? (ask.results.length > 0 ? resultsText(ask) : answerText(ask)));
}
