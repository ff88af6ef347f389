/** The dashboard in a real browser: over the admin's real listener, and over one with fixed data for the charts. */

import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openDashboard } from '../../src/server/pages/dashboard.ts';
import { RECORD } from '../accounting/observe/records.ts';
import { ADMIN_KEY, startAdmin } from '../support/admin.ts';
import { hasChromium, launch, STORAGE } from './chromium.ts';
import { prefixed } from './prefixed.ts';

/** Where `SCREENSHOTS=folder` puts pictures of what the tests see. */
const SHOTS = process.env['SCREENSHOTS'];
const KEY = 'admin-key-of-the-tests';
const DAY = 86_400_000;

const day = (ago: number): string => new Date(Date.now() - ago * DAY).toISOString().slice(0, 10);

/** The answers of the admin API; each request finds some more usage today. */
let looks = 0;
const HARM = '<img src=x onerror="document.title=\'owned\'">';

function figures(requests: number, cost: number, duration: number | null = 2_000): object {
  return {
    requests,
    errors: Math.floor(requests / 50),
    uncounted: 0,
    input_tokens: requests * 1_000,
    output_tokens: requests * 100,
    reasoning_tokens: requests * 10,
    cache_read_tokens: requests * 400,
    cache_write_tokens: 0,
    cost,
    estimated_cost: 0,
    mean_duration: duration,
    mean_first_byte: duration === null ? null : duration / 5,
  };
}

function usage(by: string): object {
  looks += 1;
  const models = ['anthropic/claude-sonnet-4-5', 'openai/gpt-5.4', 'google/gemini-2.5-flash', HARM];
  for (let at = 0; at < 8; at += 1) models.push(`vendor/model-${at}`);
  const lines =
    by === 'group,key'
      ? [
          { key: 'team', ...figures(900, 8) },
          { key: HARM, ...figures(100, 2) },
          ...Array.from({ length: 14 }, (_, at) => ({ key: `small-${at}`, ...figures(1, 0.01) })),
        ]
      : models.flatMap((model, at) =>
          [0, 1, 2, 5].map((ago) => ({
            ...(by === 'day,model' && { day: day(ago) }),
            model,
            ...figures(100 - at * 5 + (ago === 0 ? looks : 0), 1 / (at + 1), 1_000 + at * 500),
          })),
        );
  return { object: 'list', data: lines, total: figures(1_000 + looks * 10, 10), has_more: false };
}

describe.runIf(hasChromium())('dashboard', () => {
  let browser: Browser;
  let server: Server;
  let url = '';
  const problems: string[] = [];

  beforeAll(async () => {
    browser = await launch();
    const page = openDashboard();
    server = createServer(async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
      if (pathname === '/admin/usage') {
        const admitted = request.headers.authorization === `Bearer ${KEY}`;
        response.writeHead(admitted ? 200 : 401, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify(
            admitted
              ? usage(searchParams.get('by') ?? '')
              : { error: { message: 'The admin key is not valid.' } },
          ),
        );
        return;
      }
      const file = page(pathname, request.headers['if-none-match']);
      response.writeHead(file?.status ?? 404, Object.fromEntries(file?.headers ?? []));
      response.end(file === undefined ? undefined : Buffer.from(await file.arrayBuffer()));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('not listening');
    url = `http://127.0.0.1:${address.port}/dashboard`;
  });
  afterAll(async () => {
    await browser.close();
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    problems.length = 0;
  });

  async function open(
    key = KEY,
    options: Parameters<Browser['newContext']>[0] = {},
    script = '',
    at = url,
  ): Promise<Page> {
    const context = await browser.newContext(options);
    await context.addInitScript(script);
    const page = await context.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    await page.goto(`${at}#key=${key}`);
    return page;
  }

  test('works below a path of a proxy', async () => {
    const below = await prefixed(new URL(url).origin);
    for (const at of [`${below}/dashboard`, `${below}/dashboard/`]) {
      const page = await open(KEY, {}, '', at);
      await page.locator('#days rect').first().waitFor();
      expect(await page.evaluate('document.styleSheets.length')).toBe(2);
      expect(problems).toEqual([]);
      await page.context().close();
    }
  });

  async function shot(page: Page, name: string): Promise<void> {
    if (SHOTS === undefined) return;
    mkdirSync(SHOTS, { recursive: true });
    await page.evaluate('scrollTo(0, 0)');
    await page.screenshot({ path: join(SHOTS, `${name}.png`) });
  }

  test('charts of requests, tokens, cost and latency, by day, model and key', async () => {
    const page = await open(KEY, { viewport: { width: 1180, height: 980 }, colorScheme: 'light' });
    await page.locator('#days rect').first().waitFor();
    expect(await page.locator('.tile').count()).toBe(5);
    expect(await page.locator('#tiles').innerText()).toMatch(/cost\s+\$10\.00/);
    expect(await page.locator('.tile').last().innerText()).toMatch(
      /mean latency, all requests\s+2\.00 s\s+400 ms to the first byte/,
    );
    // 8 models with a colour of their own and the others together, on 4 days.
    expect(await page.locator('#days rect').count()).toBe(9 * 4);
    expect(await page.locator('#legend li').count()).toBe(9);
    expect(await page.locator('#models').innerText()).toContain('anthropic/claude-sonnet-4-5');
    expect(await page.locator('#keys').innerText()).toContain('team');
    // Twelve have a row, and the page says that there are others.
    expect(await page.locator('#keys').innerText()).toContain('and 4 more');
    expect(await page.locator('#models').innerText()).not.toContain('more');
    for (const measure of ['tokens', 'cost', 'errors', 'requests']) {
      await page.selectOption('#measure', measure);
      expect(await page.locator('#days rect').count(), measure).toBeGreaterThan(8);
    }
    await page.selectOption('#measure', 'cost');
    expect(await page.locator('#models .figure').first().textContent()).toBe('$4.00');
    await page.selectOption('#measure', 'duration');
    expect(await page.locator('#days polyline').count()).toBe(8);
    expect(await page.locator('#models .figure').first().textContent()).toBe('6.50 s');
    await page.selectOption('#measure', 'requests');
    await page.locator('summary').click();
    expect(await page.locator('#table tbody tr').count()).toBe(12);
    await page.locator('summary').click();
    await shot(page, 'dashboard-light');
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('updates by itself', async () => {
    const page = await open();
    await page.locator('#days rect').first().waitFor();
    const requests = await page.locator('.tile strong').first().innerText();
    await expect.poll(() => page.locator('.tile strong').first().innerText()).not.toBe(requests);
    expect(await page.locator('#live-now').innerText()).toMatch(/^[\d.,K]+ requests per second/);
    expect(await page.locator('#live polyline').getAttribute('points')).toMatch(/\d/);
    await page.context().close();
  });

  test('a range can be chosen, and includes days without requests', async () => {
    const page = await open();
    await page.locator('#days rect').first().waitFor();
    await page.selectOption('#range', '7');
    // The picture of thirty days has this day too, but not each of the seven by its name.
    const days = Array.from({ length: 7 }, (_, ago) => day(ago).slice(5));
    const labels = () => page.locator('#days text.tick').allTextContents();
    await expect.poll(labels).toEqual(expect.arrayContaining(days));
    expect(await page.locator('#days rect title').first().textContent()).toContain(day(5));
    await page.context().close();
  });

  test.each([
    ['requests', 1, ['0', '1']],
    ['requests', 2, ['0', '1', '2']],
    ['requests', 3, ['0', '1', '2', '3', '4']],
    ['duration', 1, ['0 ms', '1 ms']],
    ['cost', 1, ['$0', '$0.25', '$0.50', '$0.75', '$1.00']],
  ])('no two steps of a scale read the same: %s, %d', async (name, value, expected) => {
    const page = await open();
    const ticks = await page.evaluate(`Promise.all(
      ['days-chart', 'measures'].map((file) => import('/dashboard/' + file + '.js')),
    ).then(([{ daysChart }, { measures }]) => {
      const { adds: stacked, label, write } = measures.find(({ name }) => name === '${name}');
      const series = [{ name: 'one', className: 'c0', values: [${value}] }];
      const chart = daysChart(['2026-11-22'], series, { width: 600, stacked, label, write });
      return [...chart.querySelectorAll('text[text-anchor=end]')].map((text) => text.textContent);
    })`);
    expect(ticks).toEqual(expected);
    await page.context().close();
  });

  test('names are shown as text, not as HTML', async () => {
    const page = await open();
    await page.locator('#days rect').first().waitFor();
    expect(await page.locator('#legend').innerText()).toContain('<img');
    expect(await page.locator('main img').count()).toBe(0);
    expect(await page.title()).toBe('Gateway dashboard');
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('the key is removed from the address bar; a wrong one gets an error and no data', async () => {
    const page = await open('wrong');
    expect(page.url()).toBe(url);
    await expect
      .poll(() => page.locator('#status').innerText())
      .toContain('401: The admin key is not valid.');
    expect(await page.locator('main').isVisible()).toBe(false);
    await page.fill('#key', KEY);
    await page.press('#key', 'Enter');
    await page.locator('#days rect').first().waitFor();
    expect(await page.locator('#status').innerText()).toBe('');
    await page.reload();
    // The tab has kept it.
    await page.locator('#days rect').first().waitFor();
    await page.context().close();
  });

  test('an unreachable gateway is reported, and the last figures stay', async () => {
    const page = await open();
    await page.locator('#days rect').first().waitFor();
    await page.context().setOffline(true);
    await page.selectOption('#range', '7');
    await expect.poll(() => page.locator('#status').innerText()).toBe('The gateway cannot be reached.');
    expect(await page.locator('main').isVisible()).toBe(true);
    await page.context().close();
  });

  test('a key that is removed or becomes invalid leaves no figures, and no key after a reload', async () => {
    for (const instead of ['', 'wrong']) {
      const page = await open();
      await page.locator('#days rect').first().waitFor();
      await page.fill('#key', instead);
      await page.press('#key', 'Tab');
      await expect.poll(() => page.locator('main').isVisible()).toBe(false);
      await page.setViewportSize({ width: 900, height: 700 });
      await page.selectOption('#measure', 'cost');
      expect(await page.locator('main').isVisible()).toBe(false);
      await page.reload();
      expect(await page.locator('#key').inputValue()).toBe('');
      await page.context().close();
    }
  });

  test('without a key it says which one is needed', async () => {
    const page = await open('');
    const status = page.locator('#status');
    await expect.poll(() => status.innerText()).toContain('GATEWAY_ADMIN_KEY');
    expect(await status.innerText()).not.toContain('printed');
    expect(await page.evaluate('document.activeElement.id')).toBe('key');
    await page.context().close();
  });

  test.each(Object.entries(STORAGE))('works if storage is %s', async (_, script) => {
    const page = await open(KEY, { colorScheme: 'light' }, script);
    await page.locator('#days rect').first().waitFor();
    await page.click('#theme');
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('works in dark mode, and on a phone', async () => {
    const page = await open(KEY, { colorScheme: 'dark', viewport: { width: 390, height: 780 } });
    await page.locator('#days rect').first().waitFor();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    const cut = `[...document.querySelectorAll('.chart .tick')].filter((tick) => {
      const { x, width } = tick.getBBox();
      return x + width > tick.ownerSVGElement.viewBox.baseVal.width;
    }).map((tick) => tick.textContent)`;
    expect(await page.evaluate(cut)).toEqual([]);
    await shot(page, 'dashboard-phone');
    await page.setViewportSize({ width: 1180, height: 980 });
    await shot(page, 'dashboard-dark');
    await page.click('#theme');
    expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
    await page.context().close();
  });

  test('the page allows no inline code and nothing from other origins', async () => {
    const response = await fetch(url);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain('unsafe');
    expect(await response.text()).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=|https?:\/\//);
    expect((await fetch(`${url}/`)).status).toBe(200);
    for (const path of ['/x', '/../assets.ts', '/%2e%2e/assets.ts', '/tsconfig.json'])
      expect((await fetch(`${url}${path}`)).status, path).toBe(404);
  });

  test('shows finished exchanges of a real gateway', async () => {
    const admin = await startAdmin();
    for (let at = 0; at < 3; at += 1) admin.record({ ...RECORD, time: Date.now() });
    admin.record({ ...RECORD, time: Date.now(), key: 'other', model: 'openai/gpt-5.4', vendor: 'openai' });
    const page = await (await browser.newContext()).newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${admin.url}/dashboard#key=${ADMIN_KEY}`);
    await page.locator('#days rect').first().waitFor();
    await expect.poll(() => page.locator('.tile strong').first().innerText()).toBe('4');
    expect(await page.locator('#tiles').innerText()).toMatch(/cost\s+\$0\.050/);
    expect(await page.locator('#models').innerText()).toContain('anthropic/claude-sonnet-4-5');
    expect(await page.locator('#keys').innerText()).toMatch(/team\s*3\s*other\s*1/);
    expect(await page.locator('#of-groups').isVisible()).toBe(false);
    admin.record({ ...RECORD, time: Date.now(), group: 'search' });
    await expect.poll(() => page.locator('.tile strong').first().innerText()).toBe('5');
    expect(await page.locator('#groups').innerText()).toMatch(/\(none\)\s*4\s*search\s*1/);
    expect(await page.locator('#keys').innerText()).toMatch(/team\s*4\s*other\s*1/);
    await page.fill('#key', 'wrong');
    await page.press('#key', 'Enter');
    await expect.poll(() => page.locator('#status').innerText()).toContain('401');
    expect(problems).toEqual([]);
    await page.context().close();
    await admin.close();
  });
});
