/** What the view shows, as text for the address: compressed, since a request has many words. */

import { bytesFromBase64 } from '../formats/base64.ts';
import { textAt } from '../formats/json.ts';

export interface Shown {
  /** The format of the request; empty to guess it. */
  readonly from: string;
  /** The format of the vendor; empty for that of the model's vendor. */
  readonly to: string;
  readonly model: string;
  /** The request. */
  readonly request: string;
  /** The vendor's stream; empty for the example. */
  readonly stream: string;
}

export async function toLink(shown: Shown): Promise<string> {
  const bytes = await throughStream(
    new TextEncoder().encode(JSON.stringify(shown)),
    new CompressionStream('deflate-raw'),
  );
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** @returns undefined if the text is not one that `toLink` made */
export async function fromLink(text: string): Promise<Shown | undefined> {
  try {
    const inflated = await throughStream(bytesFromBase64(text), new DecompressionStream('deflate-raw'));
    const json = new TextDecoder().decode(inflated);
    const shown: unknown = JSON.parse(json);
    return {
      from: textAt(shown, 'from'),
      to: textAt(shown, 'to'),
      model: textAt(shown, 'model'),
      request: textAt(shown, 'request'),
      stream: textAt(shown, 'stream'),
    };
  } catch {
    return undefined;
  }
}

async function throughStream(
  bytes: Uint8Array<ArrayBuffer>,
  transform: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(transform)).arrayBuffer());
}
