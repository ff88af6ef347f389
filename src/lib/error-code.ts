/** The codes of errors that Node, undici and the databases give: `ENOENT`, `UND_ERR_SOCKET`. They name no address. */

/** The code of an error; undefined where it has none, or none that is a word. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The same behind what is said of the error: ` (ENOENT)`; nothing where there is none. */
export function codeBehind(error: unknown): string {
  const code = errorCode(error);
  return code === undefined ? '' : ` (${code})`;
}
