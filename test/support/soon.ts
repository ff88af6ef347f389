import { vi } from 'vitest';

/**
 * Waits until `look` does not throw, and gives what it gives. It comes at once, as a rule; a busy machine is given time,
 * where vi.waitFor by itself gives it a second.
 */
export function soon<T>(look: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(look, { timeout: 60_000 });
}
