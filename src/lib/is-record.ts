/** Values of which nothing is known, such as what code in a configuration returns. */

/** Whether a value is an object, that is neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
