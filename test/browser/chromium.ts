/** A real Chromium, where the machine has one. */

import { type Browser, chromium } from 'playwright-core';
import { CHROMIUM, chromiumPath, isAvailable } from '../support/programs.ts';

/** Whether tests can have a browser here. @throws Error where REQUIRE_CHROMIUM wants one and there is none. */
export function hasChromium(): boolean {
  return isAvailable(CHROMIUM);
}

export function launch(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error('There is no Chromium.');
  // A sandbox of its own needs rights that root in a container has not.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** For `addInitScript`: a browser that lets no site save data, or has no room for it. */
export const STORAGE = {
  blocked: `for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, { get() { throw new DOMException('Denied.', 'SecurityError'); } });`,
  full: `Storage.prototype.setItem = () => { throw new DOMException('Full.', 'QuotaExceededError'); };`,
};

/** For `addInitScript`: a browser that opens its database, and has no room for what is put into it. */
export const FULL_DATABASE = `IDBObjectStore.prototype.put = () => { throw new DOMException('Full.', 'QuotaExceededError'); };`;
