/** Reads files that the user adds to a message. */

import type { Attachment } from '../formats/dialogue.ts';

/** The largest file, in bytes: in base64 it still fits into the gateway's default limit of a body. */
const MAX_FILE_SIZE = 20 * 1024 * 1024;

export interface ReadFiles {
  readonly attachments: readonly Attachment[];
  /** Why some are left out; empty if none is. */
  readonly refused: string;
}

export async function readFiles(files: Iterable<File>): Promise<ReadFiles> {
  const all = [...files];
  const tooLarge = all.filter(({ size }) => size > MAX_FILE_SIZE);
  const attachments = await Promise.all(
    all
      .filter((file) => !tooLarge.includes(file))
      .map(async (file) => ({
        name: file.name || 'image',
        // Systems know no media type for many files of programs, which are text.
        type: file.type || 'text/plain',
        data: toBase64(new Uint8Array(await file.arrayBuffer())),
      })),
  );
  const names = tooLarge.map(({ name }) => name).join(', ');
  return { attachments, refused: names && `Larger than 20 MB, so not added: ${names}` };
}

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000)
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
