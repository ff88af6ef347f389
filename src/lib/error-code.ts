/** The codes of errors from Node, undici and the databases: `ENOENT`, `UND_ERR_SOCKET`. They contain no address. */

/** The code of an error; undefined if it has none, or one that is not a word. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The code for the end of a message: ` (ENOENT)`; '' if there is none. */
export function codeBehind(error: unknown): string {
  const code = errorCode(error);
  return code === undefined ? '' : ` (${code})`;
}
