/** How far a prompt exceeds the context of its model, as vendors say it. Clients shorten a dialogue by that much. */

/** Sizes in tokens. */
export interface Overflow {
  readonly prompt: number;
  /** The longest answer that was asked for, if the prompt alone would fit. */
  readonly answer?: number;
  readonly limit: number;
}

/**
 * The sentences that name sizes; where the total includes the answer, its share may follow. The first is Anthropic's,
 * the second vLLM's. The limit comes first at OpenAI, Azure, OpenRouter, vLLM, xAI and Moonshot, and last at Anthropic,
 * Google, Vertex AI, GitHub, Mistral, Bedrock and llama.cpp.
 */
const SENTENCES = [
  /exceed context limit: (?<prompt>\d[\d,]{0,11}) \+ (?<answer>\d[\d,]{0,11}) > (?<limit>\d[\d,]{0,11})/i,
  /\((?<answer>\d{1,12}) > (?<limit>\d{1,12}) - (?<prompt>\d{1,12})\)/,
  /(?:maximum (?:context|prompt) length is|model token limit:|configured limit of) (?<limit>\d[\d,]{0,11})[^\d]{1,100}(?<total>\d[\d,]{0,11})(?: tokens \([^)]{0,100}?\b(?<answer>\d[\d,]{0,11}) (?:in|for) the (?:completion|output)\b)?/i,
  /(?:prompt is too long:|prompt tokens|token count(?: is| of)?|prompt contains|request|input) \(?(?<total>\d[\d,]{0,11})(?: tokens and \d{1,12} draft tokens)?[^\d]{1,100}(?<limit>\d[\d,]{0,11})/i,
];

/** Finds the sizes in a vendor's refusal. @returns undefined if it names none, or sizes that would fit. */
export function findOverflow(message: string): Overflow | undefined {
  for (const sentence of SENTENCES) {
    const groups = sentence.exec(message)?.groups;
    if (groups === undefined) continue;
    const limit = readSize(groups['limit']);
    const answer = readSize(groups['answer']);
    const prompt = groups['prompt'] ? readSize(groups['prompt']) : readSize(groups['total']) - answer;
    if (prompt > limit) return { prompt, limit };
    if (prompt > 0 && prompt + answer > limit) return { prompt, answer, limit };
  }
  return undefined;
}

function readSize(digits: string | undefined): number {
  return Number(digits?.replaceAll(',', '') ?? 0);
}
