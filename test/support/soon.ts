import { vi } from 'vitest';

/**
 * Waits until `look` does not throw, and returns its result. It usually succeeds at once; a busy machine gets more time
 * than the one second that vi.waitFor gives by default.
 */
export function soon<T>(look: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(look, { timeout: 60_000 });
}
