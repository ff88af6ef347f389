/** Pages of the console in a browser: opened, looked at, and held to have no problem. */

import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';

/** The pictures of the documentation, which `npm run screenshots` renews. */
const SHOTS = resolve(import.meta.dirname, '../../docs/images/console');

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');

export interface ConsolePages {
  /** Opens the console. The context can be closed by `page.context().close()`. */
  open(address: string, options?: Parameters<Browser['newContext']>[0]): Promise<Page>;
  openIn(context: BrowserContext, address: string): Promise<Page>;
  /** Errors of pages and of their policies since the last call. */
  problems(): readonly string[];
  /** Closes what a failed test left open, and forgets its problems, so that they are not those of the next. */
  close(): Promise<void>;
}

export function consolePages(browser: () => Browser): ConsolePages {
  let problems: string[] = [];
  async function openIn(context: BrowserContext, address: string): Promise<Page> {
    const page = await context.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    page.setDefaultTimeout(20_000);
    await page.goto(address);
    await page.locator('nav').waitFor({ state: 'attached' });
    return page;
  }
  return {
    openIn,
    async open(address, options) {
      const permissions = ['clipboard-read', 'clipboard-write'];
      return openIn(await browser().newContext({ permissions, ...options }), address);
    },
    problems() {
      const found = problems;
      problems = [];
      return found;
    },
    async close() {
      await Promise.all(
        browser()
          .contexts()
          .map((context) => context.close()),
      );
      problems = [];
    },
  };
}

/** Holds that a screen reader finds names and roles for all that is shown, and that colours have contrast (axe). */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(AXE);
  const found = await page.evaluate<{ id: string; nodes: { html: string; failureSummary: string }[] }[]>(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
  );
  const said = found.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
  expect(said).toEqual([]);
}

/** Writes a picture of the page, if `SCREENSHOTS=1` asks for it. */
export async function picture(page: Page, name: string): Promise<void> {
  if (process.env['SCREENSHOTS'] !== '1') return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`), animations: 'disabled', caret: 'hide' });
}
