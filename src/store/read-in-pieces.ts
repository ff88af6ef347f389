/** Reads many rows piece by piece, so that others have their turn in between. */

/**
 * Reads until a piece is not full.
 * @param size the rows of a full piece.
 * @param read reads the next piece: the rows after `last`, or the first ones.
 */
export async function* readInPieces<Row>(
  size: number,
  read: (last: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let rows: readonly Row[] = [];
  do {
    rows = await read(rows.at(-1));
    yield rows;
  } while (rows.length === size);
}
