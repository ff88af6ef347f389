/** A body from outside as text, and no more of it than what is asked for can have. */

/** @param most bytes. @returns undefined where there are more, of which the rest is not read. */
export async function boundedText(body: AsyncIterable<Buffer>, most: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
