/** Changes in the administrator's part of the console: by two people, by impatient ones, and after the end of a session. */

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_KEY, startAdmin, type TestAdmin } from '../support/admin.ts';
import { signInBy, startSignInProvider } from '../support/sign-in-provider.ts';
import { hasChromium, launch } from './chromium.ts';
import { consolePages, expectAccessible } from './console-page.ts';

describe.runIf(hasChromium())('changes in the console', () => {
  let browser: Browser;
  let admin: TestAdmin;
  const pages = consolePages(() => browser);

  beforeAll(async () => {
    admin = await startAdmin();
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
    await admin.close();
  });
  afterEach(async () => {
    await pages.close();
  });

  async function ask(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const response = await fetch(admin.url + path, {
      method,
      headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(response.ok).toBe(true);
    return JSON.parse(await response.text());
  }

  async function open(view: string): Promise<Page> {
    const page = await pages.open(`${admin.url}/#admin-key=${ADMIN_KEY}`);
    await page.evaluate(`location.hash = '#/${view}'`);
    return page;
  }

  /** The changes that a page sends from now on. */
  function changes(page: Page): readonly { readonly method: string; readonly body: string | null }[] {
    const sent: { method: string; body: string | null }[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push({ method: request.method(), body: request.postData() });
    });
    return sent;
  }

  test('two administrators who change different limits of one group both keep theirs', async () => {
    const models = ['openai/gpt-5.4', 'x-ai/*'];
    const byModel = [{ models: ['x-ai/*'], budget_month: 3 }];
    await ask('POST', '/admin/groups', { name: 'shared', budget_month: 5, models, model_limits: byModel });
    const [one, other] = [await open('groups'), await open('groups')];
    const sent = changes(other);
    for (const page of [one, other]) await page.getByRole('button', { name: 'Change shared' }).click();
    const save = async (page: Page): Promise<void> => {
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await one.getByLabel('Requests per minute').first().fill('77');
    await save(one);
    await other.getByLabel('Dollars per day').first().fill('9');
    await other.getByLabel('Dollars per month').first().fill('');
    await save(other);
    expect(await ask('GET', '/admin/groups/shared')).toMatchObject({
      requests_per_minute: 77,
      budget_day: 9,
      budget_month: null,
      models,
      model_limits: byModel,
    });
    expect(sent.map(({ body }) => JSON.parse(body ?? ''))).toEqual([{ budget_day: 9, budget_month: null }]);
    // Nothing is changed by a form that is saved as it is.
    await other.getByRole('button', { name: 'Change shared' }).click();
    await save(other);
    expect(sent[1]?.body).toBe('{}');
    expect(pages.problems()).toEqual([]);
  });

  test('a key is rotated and revoked once, however often its button is pressed', async () => {
    await ask('POST', '/admin/keys', { name: 'pressed' });
    const page = await open('keys');
    await page.route(/\/admin\/keys\/key_/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    const sent = changes(page);
    await page.getByRole('button', { name: 'Rotate pressed' }).click();
    await page.getByRole('button', { name: 'Rotate the key' }).dblclick();
    await page.locator('.secret').waitFor();
    await page.getByRole('button', { name: 'It is saved' }).click();
    await page.getByRole('button', { name: 'Revoke pressed' }).click();
    await page.getByRole('button', { name: 'Revoke the key' }).dblclick();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /pressed/ }).waitFor({ state: 'detached' });
    // The button that had the focus is gone. The keyboard goes on from the table.
    expect(await page.evaluate('document.activeElement?.ariaLabel')).toBe('Keys');
    expect(sent.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
    expect(pages.problems()).toEqual([]);
  });

  test('a form outlives the session: whoever signs in again in another tab goes on', async () => {
    const provider = await startSignInProvider();
    provider.person = { email: 'ada@e.example', roles: ['operators'] };
    const theirs = await startAdmin(undefined, signInBy(provider));
    const page = await pages.open(theirs.url);
    const signIn = async (tab: Page): Promise<void> => {
      await tab.evaluate("location.hash = '#/keys'");
      await tab.getByRole('link', { name: 'Sign in' }).click();
      await tab.getByText('ada@e.example').waitFor();
    };
    await signIn(page);
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('region', { name: 'Keys' }).waitFor();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name, as reports show it').fill('half-written');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Create the key' }).click();
    const refusal = page.getByRole('dialog').getByRole('alert');
    await refusal.waitFor();
    expect(await refusal.innerText()).toBe('Your session is over. Sign in again, here or in another tab.');
    await expectAccessible(page);
    await signIn(await pages.openIn(page.context(), theirs.url));
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.locator('.secret').waitFor();
    await page.getByRole('button', { name: 'It is saved' }).click();
    await page.getByRole('row', { name: /half-written/ }).waitFor();
    // A view that asks again says so, too.
    await page.context().clearCookies();
    await page.getByRole('link', { name: 'Health' }).click();
    await page.getByText('Your session is over.').waitFor();
    expect(pages.problems().filter((problem) => !/\b401\b/.test(problem))).toEqual([]);
    await theirs.close();
    await provider.close();
  });

  test('a key that was pasted with quotation marks is said to be no key', async () => {
    const page = await pages.open(admin.url);
    await page.getByRole('button', { name: 'Enter an API key' }).click();
    await page.getByLabel('API key, for models').fill('“gw_0123456789”');
    await page.getByLabel('Admin key, for keys').fill(`${ADMIN_KEY}\u200b`);
    await page.getByRole('button', { name: 'Use these keys' }).click();
    await page.getByText('This key has a character that no key has').waitFor();
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByText('This key has a character that no key has').waitFor();
    await page.getByRole('button', { name: 'Enter the admin key' }).waitFor();
    await expectAccessible(page);
    expect(pages.problems()).toEqual([]);
  });
});
