/** The administrator's part of the console in a real browser, over the real admin listener. */

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ACTIONS, listChanges, writeChange } from '../../src/console/admin/audit-entry.ts';
import { toCsv } from '../../src/console/admin/csv.ts';
import { addRate, NO_RATES, writeRate } from '../../src/console/admin/live-rates.ts';
import { parseMetrics, sumSamples } from '../../src/console/admin/metrics.ts';
import { AUDIT_ACTIONS } from '../../src/store/audit.ts';
import { RECORD } from '../accounting/observe/records.ts';
import { ADMIN_KEY, startAdmin, type TestAdmin } from '../support/admin.ts';
import { KEY, startGateway, type TestGateway } from '../support/gateway.ts';
import { signInBy, startSignInProvider } from '../support/sign-in-provider.ts';
import { hasChromium, launch } from './chromium.ts';
import { consolePages, expectAccessible, picture } from './console-page.ts';

const DAY = 86_400_000;
const HARM = '<img src=x onerror="document.title=\'owned\'">';

describe.runIf(hasChromium())('console of the admin listener', () => {
  let browser: Browser;
  let gateway: TestGateway;
  let admin: TestAdmin;
  const pages = consolePages(() => browser);

  beforeAll(async () => {
    gateway = await startGateway();
    admin = await startAdmin(gateway.url);
    browser = await launch();
    const models = [
      'anthropic/claude-sonnet-4-5',
      'openai/gpt-5.4',
      'google/gemini-2.5-flash',
      'mistralai/mistral-large',
      'deepseek/deepseek-v4-flash',
      'x-ai/grok-5',
      'qwen/qwen3-max',
      'openai/gpt-4.1',
      'google/gemini-3.5-flash',
      'z-ai/glm-5',
      'moonshotai/kimi-k3',
      HARM,
    ];
    for (const [at, model] of models.entries())
      for (let ago = 0; ago < 6; ago += 1)
        for (let number = 0; number < 12 - at; number += 1)
          admin.record({
            ...RECORD,
            id: `req_${at}_${ago}_${number}`,
            time: Date.now() - ago * DAY,
            key: ['team-blue', 'agents', 'nightly-jobs'][number % 3],
            group: number % 3 === 0 ? 'search' : undefined,
            tag: number === 0 ? 'nightly' : undefined,
            model,
            vendor: model.split('/')[0],
            cost: 0.01 * (12 - at),
            ...(number === 7 && { status: 429, outcome: 'failed', fault: 'rate-limited' }),
          });
  });
  afterAll(async () => {
    await browser.close();
    await admin.close();
    await gateway.close();
  });
  afterEach(async () => {
    await pages.close();
  });

  function open(
    view: string,
    options: Parameters<Browser['newContext']>[0] = {},
    key = ADMIN_KEY,
  ): Promise<Page> {
    return pages.open(`${admin.url}/#key=${KEY}&admin-key=${key}`, options).then(async (page) => {
      await page.evaluate(`location.hash = '#/${view}'`);
      return page;
    });
  }

  test('usage: figures, charts and tables by day, model, key, group and tag, which go on by themselves', async () => {
    const page = await open('usage', { viewport: { width: 1280, height: 980 }, colorScheme: 'light' });
    const tile = page.locator('.tile strong').first();
    await tile.waitFor();
    const before = Number(await tile.innerText());
    expect(before).toBe(6 * (12 + 11 + 10 + 9 + 8 + 7 + 6 + 5 + 4 + 3 + 2 + 1));
    expect(await page.locator('.legend li').count()).toBe(9);
    const ranking = (title: string) =>
      page.getByRole('region', { name: title, exact: true }).locator('.ranking');
    expect(await ranking('By model').innerText()).toContain('anthropic/claude-sonnet-4-5');
    expect(await ranking('By group').innerText()).toMatch(/search\s+\d+/);
    expect(await ranking('By tag').innerText()).toMatch(/nightly\s+72/);
    await page.getByLabel('Show').selectOption('cost');
    expect(await ranking('By model').locator('.figure').first().innerText()).toBe('$8.64');
    await page.getByText('Table of days and models').click();
    const days = page.getByRole('region', { name: 'Usage by day and model' });
    expect(await days.locator('tbody tr').count()).toBe(72);
    await days.getByRole('button', { name: 'cost' }).click();
    expect(await days.locator('tbody tr').first().innerText()).toContain('anthropic/claude-sonnet-4-5');
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).first().click();
    const stream = await (await saved).createReadStream();
    const csv = (await stream.toArray()).join('');
    expect(csv.split('\r\n')[0]).toBe(
      'day,model,requests,errors,in,cached,out,reasoning,cost,estimated,duration,first byte',
    );
    expect(csv.split('\r\n')).toHaveLength(74);
    // A chart has a picture of what it says, which a screen reader gets as a name.
    expect(await page.getByRole('img', { name: 'cost by day and model' }).count()).toBe(1);
    admin.record({ ...RECORD, time: Date.now() });
    await expect.poll(() => tile.innerText()).toBe(String(before + 1));
    await expect.poll(() => page.locator('#live-title').innerText()).toMatch(/requests per second/);
    expect(await page.locator('main img').count()).toBe(0);
    expect(await page.title()).toBe('Gateway console');
    await page.getByLabel('Show').selectOption('requests');
    await page.getByText('Table of days and models').click();
    await page.evaluate("document.querySelector('main').scrollTo(0, 0)");
    await expectAccessible(page);
    await picture(page, 'usage-light');
    await page.getByRole('button', { name: 'Switch between light and dark' }).click();
    await expectAccessible(page);
    await picture(page, 'usage-dark');
    await page.setViewportSize({ width: 390, height: 780 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await picture(page, 'usage-phone');
    expect(pages.problems()).toEqual([]);
    await page.context().close();
  });

  test('the cost of last month by group is found, in the days of the gateway, whatever clock the browser has', async () => {
    // A zone whose day is not that of UTC now.
    const isLate = new Date().getUTCHours() >= 11;
    const timeZone = isLate ? 'Pacific/Kiritimati' : 'Pacific/Pago_Pago';
    const theirs = await startAdmin(gateway.url, undefined, {
      vendors: { openai: { apiKey: 'a key of the tests' } },
      usage: { timeZone },
    });
    const offset = (isLate ? 14 : -11) * 3_600_000;
    const today = new Date(Date.now() + offset);
    const [year, month] = [today.getUTCFullYear(), today.getUTCMonth()];
    /** Noon in that zone, of a day of this month or of one before it. */
    const noon = (day: number, monthsAgo = 0) => Date.UTC(year, month - monthsAgo, day, 12) - offset;
    // The last day of the month before last, the first and the last of last month, and today.
    for (const [time, group, cost] of [
      [noon(0, 1), 'search', 1_000],
      [noon(1, 1), 'search', 5],
      [noon(0), 'billing', 20],
      [noon(0), 'search', 2],
      [Date.now(), 'search', 300],
    ] as const)
      theirs.record({ ...RECORD, id: `req_${cost}`, time, key: `of-${group}`, group, cost });
    const page = await pages.open(`${theirs.url}/#key=${KEY}&admin-key=${ADMIN_KEY}`);
    await page.clock.setSystemTime('2031-01-01T00:00:00Z');
    await page.evaluate("location.hash = '#/usage'");
    const cost = page.locator('.tile', { hasText: /^cost/ }).locator('strong');
    const range = page.locator('label', { hasText: 'Range' }).locator('select');
    await page.getByLabel('Show').selectOption('cost');
    await range.selectOption('today');
    await expect.poll(() => cost.innerText()).toBe('$300.00');
    await page.getByText(`days of ${timeZone}`).waitFor();
    await range.selectOption('last month');
    await expect.poll(() => cost.innerText()).toBe('$27.00');
    const groups = page.getByRole('region', { name: 'By group', exact: true });
    expect(await groups.locator('.ranking li').allInnerTexts()).toEqual([
      expect.stringMatching(/billing\s+\$20\.00/),
      expect.stringMatching(/search\s+\$7\.00/),
    ]);
    await range.selectOption('this month');
    await expect.poll(() => cost.innerText()).toBe('$300.00');
    await expectAccessible(page);
    await theirs.close();
  });

  test('usage of a gateway without vendors is that of the sandbox, until another is wanted', async () => {
    const fresh = await startAdmin(gateway.url, undefined, {});
    fresh.record({ ...RECORD, time: Date.now(), vendor: 'sandbox', cost: 0 });
    const page = await pages.open(`${fresh.url}/#key=${KEY}&admin-key=${ADMIN_KEY}`);
    await page.evaluate("location.hash = '#/usage'");
    await expect.poll(() => page.getByLabel('Simulated').isChecked()).toBe(true);
    await expect.poll(() => page.locator('.tile strong').first().innerText()).toBe('1');
    await page.getByLabel('Simulated').uncheck();
    await expect.poll(() => page.locator('.tile strong').first().innerText()).toBe('0');
    await page.context().close();
    await fresh.close();
  });

  test('usage of an installation that only the sandbox has answered says how to see it', async () => {
    const fresh = await startAdmin(gateway.url);
    fresh.record({ ...RECORD, time: Date.now(), vendor: 'sandbox', cost: 0 });
    const page = await pages.open(`${fresh.url}/#key=${KEY}&admin-key=${ADMIN_KEY}`);
    await page.evaluate("location.hash = '#/usage'");
    const hint = page.getByText('No usage in this range.');
    await hint.waitFor();
    expect(await hint.innerText()).toContain('Simulated');
    await page.getByLabel('Simulated').check();
    await expect.poll(() => page.locator('.tile strong').first().innerText()).toBe('1');
    expect(await hint.count()).toBe(0);
    // Its exchange says so, too: no vendor has given this answer for nothing.
    await page.evaluate("location.hash = '#/exchanges'");
    await expect.poll(() => page.locator('tbody tr').first().innerText()).toMatch(/\bsimulated\b/);
    await page.context().close();
    await fresh.close();
  });

  test('keys: created and shown once, restricted, rotated, revoked, with their spending against their budget', async () => {
    const page = await open('keys', { viewport: { width: 1280, height: 900 }, colorScheme: 'light' });
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name, as reports show it').fill('team-blue');
    await page.getByLabel('Models: full ids').fill('openai/*');
    await page.getByLabel('Dollars per day').fill('25');
    await page.getByLabel('Requests per minute').fill('0');
    await page.getByRole('button', { name: 'Create the key' }).click();
    // The browser holds the number back; the API would too.
    expect(await page.getByRole('dialog').count()).toBe(1);
    await page.getByLabel('Requests per minute').fill('60');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create the key' }).click();
    const secret = await page.locator('.secret').innerText();
    expect(secret).toMatch(/^gw_/);
    for (let times = 0; times < 3; times += 1) await page.keyboard.press('Escape');
    expect(await page.locator('.secret').innerText()).toBe(secret);
    await page.getByRole('button', { name: 'It is saved' }).click();
    const row = page.getByRole('row', { name: /team-blue/ });
    await row.waitFor();
    // Keys are listed before what they have spent is known.
    await expect
      .poll(() => row.innerText())
      .toMatch(/openai\/\*\s+60 requests\/min\s+\$[\d.]+ of \$25\.00 today/);
    expect(await page.content()).not.toContain(secret);

    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name, as reports show it').fill('team-blue');
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByText(/409.*team-blue/).waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Change team-blue' }).click();
    await page.getByLabel('Requests per minute').fill('');
    await page.getByLabel('Dollars per week').fill('60');
    await page.getByLabel('Dollars per month').fill('100');
    await page.getByLabel('Dollars in total').fill('16');
    await page.getByLabel('Each request holds').selectOption('the cost of its longest answer');
    const add = page.getByRole('button', { name: 'Add limits for some models' });
    const some = (number: number) => page.getByRole('group', { name: `Limits for some models, ${number}` });
    await add.click();
    // The cursor is in the new field, and goes back to the button when the field is removed.
    await page.keyboard.type('openai');
    await add.click();
    await page.keyboard.type('x-ai/*');
    await some(2).getByRole('button', { name: 'Remove' }).click();
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Add limits for some models');
    await some(1).getByLabel('Dollars in total').fill('5');
    await page.getByRole('button', { name: 'Add limits for each tag' }).click();
    const each = page.getByRole('group', { name: 'Limits for each tag' });
    await each.getByLabel('Dollars per day').fill('2');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('400: model_limits.0.models.0: must be <vendor>/<model_name>').waitFor();
    await some(1).getByLabel('These models').fill('openai/*');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(() => row.innerText()).toMatch(/of \$100\.00 this month/);
    const shown = await row.innerText();
    expect(shown).toMatch(/1 by model, each tag, longest reserved/);
    expect(shown).toMatch(/of \$25\.00 today\s+\$[\d.]+ of \$60\.00 this week/);
    expect(shown).not.toContain('60 requests');
    // In six days, four requests a day at 11 cents and two at 5.
    expect(shown).toMatch(/\$3\.24 of \$5\.00 in total, openai\/\*/);
    const meter = (name: string) => page.getByRole('meter', { name, exact: true });
    const ofModels = meter('Spending of team-blue in total, openai/*');
    expect(Number(await ofModels.getAttribute('value'))).toBeCloseTo(3.24);
    await expectAccessible(page);
    await picture(page, 'keys-light');
    await page.getByRole('button', { name: 'Change team-blue' }).click();
    expect(await page.getByLabel('Each request holds').inputValue()).toBe('longest');
    expect(await some(1).getByLabel('These models').inputValue()).toBe('openai/*');
    expect(await some(1).getByLabel('Dollars in total').inputValue()).toBe('5');
    expect(await some(1).getByLabel('Requests per minute').inputValue()).toBe('');
    expect(await each.getByLabel('Dollars per day').inputValue()).toBe('2');
    await page.keyboard.press('Escape');

    // On a phone the buttons are below an opened row.
    await page.setViewportSize({ width: 390, height: 780 });
    await page.getByRole('button', { name: 'More about team-blue' }).click();
    for (const action of ['Change', 'Rotate', 'Revoke']) {
      const box = await page.getByRole('button', { name: `${action} team-blue` }).boundingBox();
      expect(box?.x, action).toBeGreaterThan(0);
      expect((box?.x ?? 0) + (box?.width ?? 0), action).toBeLessThanOrEqual(390);
    }
    await expectAccessible(page);
    await picture(page, 'keys-phone');
    await page.setViewportSize({ width: 1280, height: 900 });

    await page.getByRole('button', { name: 'Rotate team-blue' }).click();
    await page.getByLabel('The old key keeps working').selectOption('1');
    await page.getByRole('button', { name: 'Rotate the key' }).click();
    await expect.poll(() => page.locator('.secret').innerText()).toMatch(/^gw_/);
    expect(await page.locator('.secret').innerText()).not.toBe(secret);
    await page.getByRole('button', { name: 'It is saved' }).click();
    await expect.poll(() => row.innerText()).toContain('old key works until');

    await page.getByRole('button', { name: 'Revoke team-blue' }).click();
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await row.waitFor({ state: 'detached' });
    await page.getByLabel('Revoked too').check();
    await expect.poll(() => row.innerText()).toContain('revoked');
    expect(pages.problems().filter((problem) => !/\b40[09]\b/.test(problem))).toEqual([]);
    await page.context().close();
  });

  test('a dialog is shown in the task that adds it, so that an Escape pressed at once closes it', async () => {
    const page = await open('groups');
    const button = page.getByRole('button', { name: 'New group' });
    await button.waitFor();
    const shown = page.evaluate(`new Promise((tell) => {
      const added = () => document.querySelector('dialog');
      new MutationObserver((_, observer) => {
        if (added() === null) return;
        observer.disconnect();
        tell(added().open);
      }).observe(document.body, { childList: true, subtree: true });
    })`);
    await button.click();
    expect(await shown).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('groups: created, changed, and deleted when they have no keys', async () => {
    const page = await open('groups');
    await page.getByRole('button', { name: 'New group' }).click();
    await page.getByLabel('Name, as reports show it').fill('search');
    await page.getByLabel('Dollars per month').fill('50');
    await page.getByRole('button', { name: 'Create the group' }).click();
    const row = page.getByRole('row', { name: /search/ });
    await expect.poll(() => row.innerText()).toMatch(/\$[\d.]+ of \$50\.00 this month/);
    await page.getByRole('button', { name: 'Change search' }).click();
    await page.getByLabel('Dollars in total').fill('0');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(() => row.innerText()).toMatch(/of \$0 in total/);
    await page.getByRole('link', { name: 'Usage' }).click();
    const budgets = page.getByRole('region', { name: 'Spending against budgets' }).locator('tbody tr');
    await expect.poll(() => budgets.count()).toBe(2);
    // The nearest to its end is first.
    expect(await budgets.first().innerText()).toMatch(
      /^group search\s+all\s+in total\s+\$14\.40 of \$0 in total\s+\$0\s+−\$14\.40\s+never$/,
    );
    // Of a budget of nothing, all is spent.
    expect(await budgets.first().getByRole('meter').getAttribute('value')).toBe('1');
    expect(await budgets.last().innerText()).toMatch(
      /this month[\s\S]+\$50\.00\s+\$[\d.]+\s+\d{4}-\d\d-01 00:00$/,
    );
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Groups' }).click();
    // The view before it has rows of the same name.
    await page.getByRole('button', { name: 'Change search' }).waitFor();
    await row.waitFor();
    const byAdmin = { authorization: `Bearer ${ADMIN_KEY}` };
    const settings = {
      name: 'of-search',
      group: 'search',
      stored: 'none',
      budget_reserve: 'longest',
      budget_week: 7,
      expires_at: '2100-01-31T12:00:59.500Z',
      model_limits: [{ models: ['openai/*'], budget_total: 5 }],
      tag_limits: { requests_per_minute: 9 },
    };
    const key = await fetch(`${admin.url}/admin/keys`, {
      method: 'POST',
      headers: byAdmin,
      body: JSON.stringify(settings),
    });
    expect(key.status).toBe(201);
    // A form that is saved as it was opened changes nothing.
    const readKey = async () =>
      (await fetch(`${admin.url}/admin/keys/of-search`, { headers: byAdmin })).json();
    const before = await readKey();
    expect(before).toMatchObject(settings);
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('button', { name: 'Change of-search' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await readKey()).toEqual(before);
    await page.getByRole('link', { name: 'Groups' }).click();
    await page.getByRole('button', { name: 'Change search' }).waitFor();
    await row.waitFor();
    page.on('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Delete search' }).click();
    await page.getByText(/Keys that are not revoked are still of the group/).waitFor();
    await expectAccessible(page);
    await page.context().close();
  });

  test('audit: who changed what, from what to what, by target and action, page by page', async () => {
    const call = async (method: string, path: string, body: object, actor?: string) => {
      const response = await fetch(`${admin.url}/admin${path}`, {
        method,
        headers: {
          authorization: `Bearer ${ADMIN_KEY}`,
          ...(actor !== undefined && { 'x-gateway-actor': actor }),
        },
        body: JSON.stringify(body),
      });
      expect(response.status).toBeLessThan(300);
    };
    for (let number = 0; number < 101; number += 1)
      await call(
        'POST',
        '/groups',
        { name: `team-${number}`, budget_month: 100 },
        number === 0 ? HARM : 'terraform',
      );
    await call('POST', '/groups', { name: 'search-team', budget_week: 30 }, 'alice@e.example');
    await call('POST', '/keys', {
      name: 'search-app',
      models: ['openai/*', 'google/*'],
      group: 'search-team',
    });
    const changes = { models: ['openai/*', 'x-ai/*'], tag_limits: { budget_day: 2 }, group: null };
    await call('PATCH', '/keys/search-app', changes, 'bob@e.example');
    await call('PATCH', '/groups/search-team', { budget_week: 40 }, 'alice@e.example');
    await call('DELETE', '/groups/search-team', {}, 'alice@e.example');

    const page = await open('audit', { viewport: { width: 1280, height: 760 }, colorScheme: 'light' });
    const rows = page.locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(100);
    await page.getByRole('button', { name: 'Older' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Newer' }).isEnabled()).toBe(true);
    await expect.poll(() => rows.first().innerText()).toMatch(/team-\d/);
    await expect.poll(() => page.locator('tbody').innerText()).toContain(HARM);
    expect(await page.locator('main img').count()).toBe(0);

    await page.getByLabel('key or group').fill('search-app');
    await page.getByLabel('key or group').press('Enter');
    await expect.poll(() => rows.count()).toBe(2);
    expect(await rows.first().innerText()).toMatch(/Key changed\s+search-app\s+bob@e\.example api, 127/);
    const differences = rows.first().locator('.changes li');
    expect(await differences.allInnerTexts()).toEqual([
      'models google/* → x-ai/*',
      'tag_limits.budget_day not set → 2',
      'group search-team → not set',
    ]);
    expect(await differences.first().locator('del').innerText()).toBe('google/*');
    expect(await differences.first().locator('ins').innerText()).toBe('x-ai/*');

    await page.getByLabel('key or group').fill('');
    await page.getByLabel('key or group').press('Enter');
    await page.getByLabel(/^action/).selectOption('Group changed');
    const changed = page.getByRole('row', { name: /Group changed search-team/ });
    await expect.poll(() => changed.innerText()).toMatch(/alice@e\.example[\s\S]*budget_week\s+30\s+→\s+40/);
    await page.getByLabel(/^action/).selectOption('any');
    await expect.poll(() => rows.first().innerText()).toContain('Group deleted');
    await expectAccessible(page);
    await page.getByLabel('key or group').blur();
    await picture(page, 'audit-light');
    await page.setViewportSize({ width: 390, height: 780 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(pages.problems()).toEqual([]);
    await page.context().close();
  });

  test('exchanges: the latest first, filtered, as they end', async () => {
    const page = await open('exchanges', { viewport: { width: 1280, height: 860 }, colorScheme: 'light' });
    const rows = page.locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(200);
    const first = await rows.first().innerText();
    await page.getByRole('button', { name: 'Older' }).click();
    await expect.poll(() => rows.first().innerText()).not.toBe(first);
    await page.getByRole('button', { name: 'Newer' }).click();
    await expect.poll(() => rows.first().innerText()).toBe(first);
    await page.getByLabel('tag').fill('nightly');
    await page.getByLabel('tag').press('Enter');
    await expect.poll(() => rows.count()).toBe(72);
    await page.getByLabel('tag').fill('');
    await page.getByLabel('tag').press('Enter');
    await page.getByLabel('Errors only').check();
    await expect.poll(() => rows.first().innerText()).toMatch(/429\s+rate-limited/);
    admin.record({ ...RECORD, id: 'req_new', time: Date.now() + 1_000, status: 503, outcome: 'failed' });
    await expect.poll(() => rows.first().innerText()).toContain('req_new');
    await page.getByLabel('Errors only').uncheck();
    admin.record({
      ...RECORD,
      id: 'req_01J8ZK4T9W3M5N7P9R1S3U5V7X',
      time: Date.now() + 2_000,
      key: 'continuous-integration-of-search',
      model: 'fireworks/accounts/fireworks/models/llama-v3p3-70b-instruct',
      format: 'chat-completions',
      spoken: 'generate-content',
      status: 502,
      outcome: 'failed',
      fault: 'upstream-overloaded',
      tag: 'customer-0042',
      upstreamId: 'chatcmpl-of-the-vendor',
    });
    await expect.poll(() => rows.first().innerText()).toContain('req_01J8');
    const overflow = () =>
      page.evaluate(
        "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.table-scroll'))",
      );
    expect(await overflow()).toBe(0);
    // What has no column is below its row, which stays open while others come.
    await rows
      .first()
      .getByRole('button', { name: /^More about 20/ })
      .click();
    expect(await rows.nth(1).innerText()).toMatch(
      /group\s+–\s+vendor\s+anthropic\s+path\s+translated, chat-completions to generate-content\s+tag\s+customer-0042\s+attempts\s+1\s+repairs\s+–/,
    );
    expect(await rows.nth(1).innerText()).toContain('chatcmpl-of-the-vendor');
    admin.record({ ...RECORD, id: 'req_newest', time: Date.now() + 3_000 });
    await expect.poll(() => rows.first().innerText()).toContain('req_newest');
    expect(await rows.nth(2).innerText()).toContain('chatcmpl-of-the-vendor');
    expect(await overflow()).toBe(0);
    await expectAccessible(page);
    await picture(page, 'exchanges-light');
    // On a phone the rest is below an opened row, so that nothing scrolls sideways.
    await page.setViewportSize({ width: 390, height: 780 });
    await expect
      .poll(() => page.locator('thead th').allInnerTexts())
      .toEqual(['time (UTC)', 'model', 'status']);
    expect(await overflow()).toBe(0);
    expect(pages.problems()).toEqual([]);
    await page.context().close();
  });

  test('names as long as they may be leave room for the rest, and on a phone nothing scrolls sideways', async () => {
    const long = 'nightly-evaluation-pipeline-of-the-platform-team-eu-west-1-prod';
    const theirs = await startAdmin(gateway.url);
    const post = (path: string, body: object) =>
      fetch(`${theirs.url}/admin/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    await post('groups', { name: long, budget_month: 100, models: ['anthropic/claude-sonnet-4-5'] });
    await post('keys', { name: long, group: long, budget_day: 1, requests_per_minute: 60 });
    theirs.record({ ...RECORD, key: long, group: long, model: `openai/${long}`, time: Date.now() });
    const page = await pages.open(`${theirs.url}/#key=${KEY}&admin-key=${ADMIN_KEY}`);
    const columns = {
      keys: ['name', 'spent'],
      groups: ['name', 'spent'],
      audit: ['time (UTC)', 'action', 'target'],
      exchanges: ['time (UTC)', 'model', 'status'],
      health: ['vendor', 'upstream', 'state'],
      config: ['field', 'value', 'comes from'],
      usage: ['of', 'spent'],
    };
    for (const width of [1280, 390])
      for (const [view, names] of Object.entries(columns)) {
        await page.setViewportSize({ width, height: 844 });
        await page.evaluate(`location.hash = '#/${view}'`);
        const table = page.locator('main .table-scroll').filter({ visible: true }).first();
        await expect
          .poll(() => table.locator('thead th').allInnerTexts(), { message: view })
          .toEqual(width === 390 ? names : expect.arrayContaining(names));
        await table.locator('tbody tr').first().waitFor();
        const hidden = await table.evaluate(
          ({ scrollWidth, clientWidth }: { scrollWidth: number; clientWidth: number }) =>
            scrollWidth - clientWidth,
        );
        expect(hidden, `${view} at ${width}`).toBe(0);
        if (width === 390) await expectAccessible(page);
      }
    expect(pages.problems()).toEqual([]);
    await theirs.close();
  });

  test('health: the vendors, from the metrics', async () => {
    const page = await open('health', { viewport: { width: 1280, height: 760 }, colorScheme: 'light' });
    const row = page.getByRole('row', { name: /^openai/ });
    expect(await row.innerText()).toMatch(/in use/);
    await expectAccessible(page);
    await picture(page, 'health-light');
    await page.context().close();
  });

  test('configuration: each value with where it comes from', async () => {
    const page = await open('config', { viewport: { width: 1280, height: 860 }, colorScheme: 'light' });
    await page.getByLabel('Search fields').fill('port');
    const row = page.getByRole('row', { name: /^port/ });
    expect(await row.innerText()).toMatch(/port\s+8787\s+default/);
    await page.getByLabel('Search fields').fill('');
    await expectAccessible(page);
    await picture(page, 'config-light');
    expect(pages.problems()).toEqual([]);
    await page.context().close();
  });

  test('models can be asked here too, by the same calls', async () => {
    const page = await open('chat');
    await page.getByRole('button', { name: 'Send' }).and(page.locator(':enabled')).waitFor();
    await page.fill('#prompt', 'play: plain-text');
    await page.press('#prompt', 'Enter');
    await expect.poll(() => page.locator('article.answer').innerText()).toContain('simulated: $0');
    const refused = await fetch(`${admin.url}/v1/models`, { headers: { authorization: 'Bearer wrong' } });
    expect(refused.status).toBe(401);
    expect(pages.problems()).toEqual([]);
    await page.context().close();
  });

  test('a wrong key shows no figures and is forgotten; without one, the page says which is needed', async () => {
    const page = await open('usage', {}, 'wrong');
    await page.getByText(/401: The admin key is missing or wrong/).waitFor();
    expect(await page.locator('.tile').count()).toBe(0);
    expect(await page.evaluate("sessionStorage.getItem('admin-key')")).toBe(null);
    expect(await page.locator('main').innerText()).toContain('GATEWAY_ADMIN_KEY');
    await page.getByRole('button', { name: 'Enter the admin key' }).click();
    // Budgets that never come show one problem, and a view with the same problem does not repeat it.
    await page.route('**/admin/budgets*', (route) => route.abort());
    // By the keyboard alone: the cursor is in the field that is asked for.
    await page.keyboard.type(ADMIN_KEY);
    await page.keyboard.press('Enter');
    await page.locator('.tile').first().waitFor();
    await page.getByText('The gateway cannot be reached.').waitFor();
    await page.context().setOffline(true);
    await page.locator('label', { hasText: 'Range' }).locator('select').selectOption('7 days');
    await page.locator('header + .error').waitFor();
    expect(await page.getByRole('alert').allInnerTexts()).toEqual(['The gateway cannot be reached.']);
    expect(await page.locator('.tile').count()).toBe(5);
    await page.context().close();
  });

  test('a view goes on by itself when the gateway is back, and one that could not be loaded says what to do', async () => {
    const page = await open('usage');
    await page.locator('.tile').first().waitFor();
    await page.route('**/admin/groups*', (route) => route.abort());
    await page.route('**/console/translation-view-*', (route) => route.abort());
    for (const view of ['Keys', 'Groups']) {
      await page.evaluate(`location.hash = '#/${view.toLowerCase()}'`);
      // The view before it says the same until it has gone.
      await page.getByRole('heading', { name: view, level: 1 }).waitFor();
      await page.getByText('The gateway cannot be reached.').waitFor();
      expect(await page.getByRole('alert').count()).toBe(1);
    }
    await page.unroute('**/admin/groups*');
    await page.getByRole('region', { name: 'Groups' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.evaluate("location.hash = '#/translate'");
    await page.getByRole('heading', { name: 'This view could not be loaded.' }).waitFor();
    await expectAccessible(page);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await page.getByRole('heading', { name: 'Translate' }).waitFor();
  });

  test('people sign in at the identity provider; a viewer sees no buttons to change anything', async () => {
    const provider = await startSignInProvider();
    const theirs = await startAdmin(undefined, signInBy(provider));
    const page = await pages.open(theirs.url);
    for (const [role, buttons] of [
      ['operators', 1],
      ['staff', 0],
    ] as const) {
      provider.person = { email: `${role}@e.example`, roles: [role] };
      await page.evaluate("location.hash = '#/keys'");
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.getByText(`${role}@e.example`).waitFor();
      await page.getByRole('link', { name: 'Keys' }).click();
      await page.getByRole('region', { name: 'Keys' }).waitFor();
      expect(await page.getByRole('button', { name: 'New key' }).count()).toBe(buttons);
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByText('This part needs the admin key').waitFor();
    }
    expect(pages.problems()).toEqual([]);
    await page.context().close();
    await theirs.close();
    await provider.close();
  });

  test('the public listener has no admin API, and the console says where it is', async () => {
    const page = await pages.open(`${gateway.url}/#admin-key=${ADMIN_KEY}`);
    await page.evaluate("location.hash = '#/keys'");
    await page.getByText('This address serves callers').waitFor();
    await expectAccessible(page);
    await page.context().close();
  });
});

test('a CSV file quotes what it must, and holds no formulas', () => {
  expect(
    toCsv(
      ['a', 'b'],
      [
        ['x,"y"', '=1+1'],
        ['two\nlines', -3],
        [null, '-x'],
      ],
    ),
  ).toBe('a,b\r\n"x,""y""",\'=1+1\r\n"two\nlines",-3\r\n,\'-x\r\n');
});

test('the audit view has a name for each action of the trail', () => {
  expect(Object.keys(ACTIONS)).toEqual([...AUDIT_ACTIONS]);
});

test('the changes of an entry are the fields that differ, and of lists the items that do', () => {
  const before = {
    object: 'key',
    id: 'key_1',
    name: 'team',
    models: ['openai/*', 'google/*'],
    budget_day: 5,
    budget_week: null,
    tag_limits: { budget_day: 1, requests_per_minute: 3 },
    model_limits: [{ models: ['openai/*'], budget_day: 1 }],
  };
  const after = {
    ...before,
    models: ['google/*', 'x-ai/*'],
    budget_day: null,
    budget_week: 0,
    tag_limits: { budget_day: 2, requests_per_minute: 3 },
    model_limits: [{ models: ['openai/*'], budget_day: 9 }],
  };
  expect(listChanges({ before, after }).map(writeChange)).toEqual([
    'models: openai/* → x-ai/*',
    'budget_day: 5 → not set',
    'budget_week: not set → 0',
    'tag_limits.budget_day: 1 → 2',
    'model_limits: {"models":["openai/*"],"budget_day":1} → {"models":["openai/*"],"budget_day":9}',
  ]);
  expect(listChanges({ before, after: before })).toEqual([]);
  // No model at all is not the same as any model.
  expect(listChanges({ before: { models: [] }, after: { models: null } }).map(writeChange)).toEqual([
    'models: [] → not set',
  ]);
  expect(listChanges({ before: null, after: { object: 'group', name: 'search', budget_day: 4 } })).toEqual([
    { field: 'budget_day', removed: [], added: ['4'] },
  ]);
  expect(listChanges({ before: { name: 'search', budget_day: 4 }, after: null })).toEqual([
    { field: 'budget_day', removed: ['4'], added: [] },
  ]);
});

test('rates are the growth of totals between two reports of the same day', () => {
  const total = {
    requests: 10,
    errors: 0,
    uncounted: 0,
    input_tokens: 0,
    output_tokens: 100,
    reasoning_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    cost: 0,
    estimated_cost: 0,
    mean_duration: null,
    mean_first_byte: null,
  };
  const first = addRate(NO_RATES, 'today', total, 1_000);
  expect(writeRate(first)).toBe('');
  const second = addRate(first, 'today', { ...total, requests: 25, output_tokens: 700 }, 4_000);
  expect(writeRate(second)).toBe('5 requests per second, 200 output tokens per second');
  expect(addRate(second, 'tomorrow', total, 7_000).requests).toEqual([]);
});

test('metrics are read with their labels', () => {
  const samples = parseMetrics('# HELP x y\nx{vendor="a\\"b",place="0"} 2\nx{vendor="c"} 3\ny 1e3\n');
  expect(sumSamples(samples, 'x')).toBe(5);
  expect(sumSamples(samples, 'x', { vendor: 'a"b' })).toBe(2);
  expect(sumSamples(samples, 'y')).toBe(1_000);
});
