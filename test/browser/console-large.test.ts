/** The administrator's part of the console where much has been recorded, and where answers take long. */

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { RECORD } from '../accounting/observe/records.ts';
import { ADMIN_KEY, startAdmin, type TestAdmin } from '../support/admin.ts';
import { hasChromium, launch } from './chromium.ts';
import { consolePages, expectAccessible } from './console-page.ts';

const DAY = 86_400_000;

/** Models with usage on each of the last days. */
const MODELS = 60;
const DAYS = 10;
const KEYS = 250;

describe.runIf(hasChromium())('console of a large installation', () => {
  let browser: Browser;
  let admin: TestAdmin;
  const pages = consolePages(() => browser);

  beforeAll(async () => {
    admin = await startAdmin();
    browser = await launch();
    for (let model = 0; model < MODELS; model += 1)
      for (let ago = 0; ago < DAYS; ago += 1)
        admin.record({
          ...RECORD,
          id: `req_${model}_${ago}`,
          time: Date.now() - ago * DAY,
          model: `openai/model-${model}`,
          vendor: 'openai',
        });
    for (let number = 0; number < KEYS; number += 1)
      await ask('POST', '/admin/keys', { name: `team ${number}`, requests_per_minute: 1 });
  });
  afterAll(async () => {
    await browser.close();
    await admin.close();
  });
  afterEach(async () => {
    await pages.close();
  });

  async function ask(method: string, path: string, body: object): Promise<void> {
    const response = await fetch(admin.url + path, {
      method,
      headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status, await response.text()).toBeLessThan(300);
  }

  async function open(view: string): Promise<Page> {
    const page = await pages.open(`${admin.url}/#admin-key=${ADMIN_KEY}`);
    await page.evaluate(`location.hash = '#/${view}'`);
    return page;
  }

  /** The paths of the requests for usage that a page sends from now on. */
  function usageRequests(page: Page): readonly URLSearchParams[] {
    const asked: URLSearchParams[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/admin/usage') asked.push(searchParams);
    });
    return asked;
  }

  test('usage: while nothing is recorded, one sum is asked for again, and no closed table is built', async () => {
    const page = await open('usage');
    const tile = page.locator('.tile strong').first();
    await expect.poll(() => tile.innerText()).toBe(String(MODELS * DAYS));
    const asked = usageRequests(page);
    await expect.poll(() => asked.length).toBeGreaterThanOrEqual(3);
    expect(asked.map((query) => [query.get('by'), query.get('limit')])).toEqual(
      asked.map(() => ['day', '1']),
    );
    expect(await page.locator('details tr').count()).toBe(0);
    // What is recorded later is in the reports.
    admin.record({ ...RECORD, time: Date.now(), model: 'openai/model-0', vendor: 'openai' });
    await expect.poll(() => tile.innerText()).toBe(String(MODELS * DAYS + 1));
    const rows = page.getByRole('region', { name: 'Usage by day and model' }).locator('tbody tr');
    await page.getByText('Table of days and models').click();
    await expect.poll(() => rows.count()).toBe(200);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).first().click();
    const csv = (await (await (await saved).createReadStream()).toArray()).join('');
    expect(csv.split('\r\n')).toHaveLength(MODELS * DAYS + 2);
    const more = page.getByRole('button', { name: 'Show more' });
    await more.click();
    await expect.poll(() => rows.count()).toBe(400);
    await expectAccessible(page);
    await more.click();
    await expect.poll(() => rows.count()).toBe(MODELS * DAYS);
    expect(await more.count()).toBe(0);
    expect(await page.evaluate('document.activeElement?.ariaLabel')).toBe('Usage by day and model');
    expect(pages.problems()).toEqual([]);
  });

  test('usage: the colours of models can be told apart in a browser with colours of its own', async () => {
    const page = await pages.open(`${admin.url}/#admin-key=${ADMIN_KEY}`, { forcedColors: 'active' });
    await page.evaluate("location.hash = '#/usage'");
    await page.locator('.legend .dot').first().waitFor();
    const colours = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.legend .dot')].map((dot) => getComputedStyle(dot).backgroundColor)",
    );
    expect(new Set(colours).size).toBe(9);
  });

  test('usage: an answer that takes longer than the time between two requests is shown', async () => {
    const page = await open('translate');
    await page.route('**/admin/usage?**', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      await route.continue();
    });
    const asked = usageRequests(page);
    await page.evaluate("location.hash = '#/usage'");
    await page.getByText('Loading…').waitFor();
    await expect.poll(() => page.locator('.tile').count(), { timeout: 15_000 }).toBe(5);
    expect(await page.getByText('Loading…').count()).toBe(0);
    // The sum, and the three reports.
    expect(asked).toHaveLength(4);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('keys: one of many is found by its name, its group or the beginning of the key', async () => {
    await ask('POST', '/admin/groups', { name: 'Search of things' });
    await ask('POST', '/admin/keys', { name: 'of search', group: 'Search of things', models: ['openai/*'] });
    const page = await open('keys');
    const rows = page.getByRole('region', { name: 'Keys' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(200);
    expect(await rows.filter({ hasText: '1 request/min' }).count()).toBeGreaterThan(0);
    expect(await rows.filter({ hasText: '1 requests' }).count()).toBe(0);
    await page.getByRole('searchbox', { name: 'Search keys' }).fill('team 24');
    await expect.poll(() => rows.count()).toBe(11);
    await page.getByRole('searchbox', { name: 'Search keys' }).fill('SEARCH of');
    await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining('of search')]);
    const hint = (await rows.locator('.named code').innerText()).replace('…', '');
    await page.getByRole('searchbox', { name: 'Search keys' }).fill(hint);
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('searchbox', { name: 'Search keys' }).fill('nothing has this name');
    await page.getByText('No key that matches.').waitFor();
    await expectAccessible(page);
    expect(pages.problems()).toEqual([]);
  });

  test('keys: where there are more than are listed, the view says so, and Enter finds the others', async () => {
    const page = await open('translate');
    // As many as the admin API lists at once, which are 10,000 otherwise.
    await page.route('**/admin/keys?**', (route) =>
      route.continue({ url: `${route.request().url()}&limit=20` }),
    );
    // The list does not wait for what is spent, which takes long where there are very many budgets.
    const budgets = Promise.withResolvers<void>();
    await page.route('**/admin/budgets?**', async (route) => {
      await budgets.promise;
      await route.continue();
    });
    await page.evaluate("location.hash = '#/keys'");
    const rows = page.getByRole('region', { name: 'Keys' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(20);
    await page.getByText('Only the newest 20 keys are listed and searched.').waitFor();
    expect(await page.getByText('this month').count()).toBe(0);
    budgets.resolve();
    await expect.poll(() => page.getByText('this month').count()).toBe(20);
    const search = page.getByRole('searchbox', { name: 'Search keys' });
    await search.fill('team 17');
    await page.getByText('No key that matches.').waitFor();
    await search.press('Enter');
    await expect.poll(() => rows.count()).toBe(11);
    await page.getByText('Of all keys, 11 whose names begin with “team 17” are listed.').waitFor();
    await expectAccessible(page);
    await search.fill('');
    await search.press('Enter');
    await expect.poll(() => rows.count()).toBe(20);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    expect(pages.problems()).toEqual([]);
  });
});
