/** Which of the tools a simulated model calls. */

import type { Ask, AskedTool } from './ask.ts';

/** Words too common to tell one tool from another. */
const COMMON = new Set(
  (
    'about after also and any are before call can does for from function get give given has have how into its let like ' +
    'make may more not one please return returns set should tell that the their them then there these this tool tools ' +
    'use used user using want was what when where which who will with you your'
  ).split(' '),
);

/** Words of one meaning, without their endings: a question and the tool for it seldom share a word of arithmetic. */
const MEANINGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    add: ['add', 'adder', 'addition', 'sum', 'plu'],
    subtract: ['subtract', 'subtraction', 'minu'],
    multiply: ['multiply', 'multipli', 'multiplication'],
    divide: ['divide', 'divid', 'division', 'quotient'],
  }).flatMap(([meaning, words]) => words.map((word) => [word, meaning])),
);

const ARITHMETIC = new Set(MEANINGS.values());

/**
 * Chooses the tools that a simulated model calls. It calls none if the choice forbids it, or if results have just
 * arrived and nothing asks for more. Otherwise it calls the tools that the prompt names, or the one whose name and
 * description share most words with the prompt. What a prompt names before a `then` is called first, and what it names
 * after it once the results are there.
 * @returns the tools to call, in the order of the request
 */
export function toolsFor(ask: Ask): readonly AskedTool[] {
  const { mode, only } = ask.choice;
  const tools = only === undefined ? ask.tools : ask.tools.filter(({ name }) => only.includes(name));
  if (mode === 'none' || tools.length === 0) return [];
  const forced = mode === 'required';
  const answered = ask.results.length > 0;
  const named = answered && ask.step === 0 ? [] : (namedByStep(tools, ask.said)[ask.step] ?? []);
  if (answered && named.length === 0 && !forced) return [];
  const wanted = named.length > 0 ? named : answered ? findLast(tools, ask) : closest(tools, ask.said);
  const chosen = wanted.length === 0 && forced ? tools.slice(0, 1) : wanted;
  return ask.parallel ? chosen : chosen.slice(0, 1);
}

/**
 * What a model calls if it must call something although everything that was asked for is answered. Agents put a tool
 * for their final answer last (LangChain's `responseFormat`, the AI SDK's `json`).
 */
function findLast(tools: readonly AskedTool[], { results }: Ask): readonly AskedTool[] {
  return tools.filter((tool) => results.every(({ name }) => name !== tool.name)).slice(-1);
}

function namedByStep(tools: readonly AskedTool[], said: string): readonly (readonly AskedTool[])[] {
  return said
    .split(/\bthen\b/i)
    .map((stage) => tools.filter((tool) => isNamed(tool, stage)))
    .filter((named) => named.length > 0);
}

function isNamed({ name }: AskedTool, said: string): boolean {
  const words = said.toLowerCase();
  return words.includes(name.toLowerCase()) || ` ${words} `.includes(` ${splitWords(name).join(' ')} `);
}

/**
 * The tool that shares a word of its name, or two of its description, with the prompt. A word of arithmetic is enough:
 * an adder is for the question what the sum of two numbers is.
 */
function closest(tools: readonly AskedTool[], said: string): readonly AskedTool[] {
  const asked = new Set(telling(said));
  const scored = tools
    .map((tool) => {
      const inName = telling(tool.name).filter((word) => asked.has(word)).length;
      const inText = [...new Set(telling(tool.description))].filter((word) => asked.has(word));
      const calculates = inText.some((word) => ARITHMETIC.has(word)) ? 1 : 0;
      return { tool, score: 2 * inName + inText.length + calculates };
    })
    .sort((one, other) => other.score - one.score);
  const [best] = scored;
  return best !== undefined && best.score >= 2 ? [best.tool] : [];
}

/** `getCurrentWeather` and `get_current_weather` as `get`, `current`, `weather`. */
function splitWords(text: string): readonly string[] {
  return text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

function telling(text: string): readonly string[] {
  return splitWords(text.slice(0, 4000))
    .filter((word) => word.length > 2 && !COMMON.has(word))
    .map((word) => word.replace(/(?:ing|ed|es|s)$/, ''))
    .map((word) => MEANINGS.get(word) ?? word);
}
