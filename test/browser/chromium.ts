/** A real Chromium, where the machine has one. */

import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Its path: `CHROMIUM_PATH`, or where Debian and others put it; undefined where there is none. */
export const executablePath = process.env['CHROMIUM_PATH'] ?? PLACES.find((path) => existsSync(path));

if (executablePath === undefined) {
  if (process.env['REQUIRE_CHROMIUM'] !== undefined)
    throw new Error('There is no Chromium, and there must be.');
  console.log('browser: skipped, there is no Chromium; CHROMIUM_PATH names one');
}

export function launch(): Promise<Browser> {
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
