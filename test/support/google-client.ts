/** Google's own client, in front of a gateway. */

import { type GenerateContentParameters, GoogleGenAI } from '@google/genai';
import { KEY } from './gateway.ts';

export function googleClient(baseUrl: string): GoogleGenAI {
  return new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl } });
}

/** The text of a streamed answer, as Google's client reads it. */
export async function streamedText(baseUrl: string, asked: GenerateContentParameters): Promise<string> {
  let text = '';
  for await (const piece of await googleClient(baseUrl).models.generateContentStream(asked))
    text += piece.text ?? '';
  return text;
}
