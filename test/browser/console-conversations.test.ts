/** What becomes of conversations in a real browser while their answers run, in two tabs, and where there is no room. */

import type { ServerResponse } from 'node:http';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { startUpstream, type TestUpstream } from '../support/upstream.ts';
import { FULL_DATABASE, hasChromium, launch } from './chromium.ts';
import { consolePages, expectAccessible } from './console-page.ts';

describe.runIf(hasChromium())('conversations of the console', () => {
  let browser: Browser;
  let vendor: TestUpstream;
  let gateway: TestGateway;
  let context: BrowserContext;
  /** Answers that have begun, and go on as a test says. */
  let begun: ServerResponse[];
  const pages = consolePages(() => browser);

  beforeAll(async () => {
    browser = await launch();
    vendor = await startUpstream((_received, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      begun.push(response);
    });
    gateway = await startGateway({ vendors: vendorsAtUrl(vendor.url) });
  });
  beforeEach(async () => {
    begun = [];
    context = await browser.newContext();
  });
  afterEach(async () => {
    await context.close();
    expect(pages.problems()).toEqual([]);
  });
  afterAll(async () => {
    await browser.close();
    await gateway.close();
    await vendor.close();
  });

  async function open(): Promise<Page> {
    const page = await pages.openIn(context, `${gateway.url}/#key=${KEY}`);
    await page.getByRole('button', { name: 'Send' }).and(page.locator(':enabled')).waitFor();
    const field = page.getByRole('combobox', { name: 'Model' });
    await field.click();
    await field.pressSequentially('openai/gpt-4.1');
    await page
      .getByRole('option')
      .filter({ has: page.getByText('openai/gpt-4.1', { exact: true }) })
      .click();
    return page;
  }

  /** Asks, and gives the response of the vendor, which has said the beginning. */
  async function ask(page: Page, question: string, beginning: string): Promise<ServerResponse> {
    const before = begun.length;
    await page.fill('#prompt', question);
    await page.press('#prompt', 'Enter');
    await expect.poll(() => begun.length).toBe(before + 1);
    const response = begun[before];
    if (response === undefined) throw new Error('The vendor was not asked.');
    response.write(chunk(beginning));
    await page.getByText(beginning).waitFor();
    return response;
  }

  test('a page that was opened while the gateway restarts has its models afterwards', async () => {
    let isAway = true;
    await context.route('**/console/models.json', (route) =>
      isAway ? route.fulfill({ status: 503, body: 'Starting.' }) : route.continue(),
    );
    const page = await pages.openIn(context, `${gateway.url}/#key=${KEY}`);
    await page.getByText('503: Starting.').waitFor();
    isAway = false;
    await page.getByRole('button', { name: 'Send' }).and(page.locator(':enabled')).waitFor();
    expect(await page.getByText('503: Starting.').count()).toBe(0);
    expect(pages.problems().filter((problem) => !/\b503\b/.test(problem))).toEqual([]);
  });

  test('an answer whose body ends early, or is the page of a proxy, has failed', async () => {
    const page = await open();
    let body = chunk('The first half');
    await page.route('**/v1/chat/completions', (route) =>
      route.fulfill({ status: 200, contentType: 'text/event-stream', body }),
    );
    await page.fill('#prompt', 'Cut');
    await page.press('#prompt', 'Enter');
    await page.getByText('The first half').waitFor();
    const failures = page.locator('article.answer').getByText('The connection to the gateway broke off.');
    await expect.poll(() => failures.count()).toBe(1);
    body = '<html><body>Sign in to this network</body></html>';
    await page.fill('#prompt', 'Page');
    await page.press('#prompt', 'Enter');
    await expect.poll(() => failures.count()).toBe(2);
    // A service that names no reason ends its stream all the same.
    body = `${chunk('Whole.')}data: [DONE]\n\n`;
    await page.fill('#prompt', 'Whole');
    await page.press('#prompt', 'Enter');
    await page.getByText('Whole.', { exact: true }).waitFor();
    await canSend(page);
    expect(await failures.count()).toBe(2);
  });

  const end = (response: ServerResponse, rest: string) =>
    response.end(`${chunk(rest)}${chunk('', 'stop')}data: [DONE]\n\n`);
  const answers = (page: Page) => page.locator('article.answer .markdown').allInnerTexts();
  const listed = (page: Page) => page.locator('.conversation > a').allInnerTexts();
  /** Waits until the next message can be sent, and the ends of all answers are kept, but of so many that still run. */
  async function canSend(page: Page, running = 0): Promise<void> {
    await page.locator('.composer button[type=submit]').waitFor();
    await expect.poll(() => page.evaluate(UNFINISHED)).toBe(running);
  }

  test('an answer goes on while another conversation is open, and is there when the reader comes back', async () => {
    const page = await open();
    const first = await ask(page, 'About herons', 'Herons are');
    await page.getByRole('link', { name: 'New chat' }).click();
    // The other conversation is not held up.
    end(await ask(page, 'About clocks', 'Clocks are'), ' round.');
    await canSend(page, 1);
    await page.getByRole('button', { name: 'Rename About herons' }).click();
    await page.getByLabel('Title').fill('Birds');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Birds' }).click();
    await expect.poll(() => answers(page)).toEqual(['Herons are']);
    first.write(chunk(' tall'));
    await expect.poll(() => answers(page)).toEqual(['Herons are tall']);
    await page.getByRole('link', { name: 'About clocks' }).click();
    end(first, ' birds.');
    await page.getByRole('link', { name: 'Birds' }).click();
    await expect.poll(() => answers(page)).toEqual(['Herons are tall birds.']);
    await canSend(page);
    await page.reload();
    await expect.poll(() => answers(page)).toEqual(['Herons are tall birds.']);
    expect(await listed(page)).toEqual(['About clocks', 'Birds']);
  });

  test('a field that ends by a key gives the focus back to its button, and Escape changes and stops nothing', async () => {
    const page = await open();
    const focused = () => page.evaluate('document.activeElement?.getAttribute("aria-label")');
    end(await ask(page, 'About herons', 'Herons are'), ' birds.');
    await canSend(page);

    await page.getByRole('button', { name: 'Edit the message' }).click();
    await page.getByRole('textbox', { name: 'Edit the message' }).fill('About storks');
    await page.keyboard.press('Escape');
    await expect.poll(focused).toBe('Edit the message');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Edit the message' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(focused).toBe('Edit the message');
    expect(await page.locator('article.user').allInnerTexts()).toEqual(['About herons']);

    const next = await ask(page, 'And storks?', 'Storks are');
    await page.getByRole('button', { name: 'Rename About herons' }).click();
    await page.getByLabel('Title').fill('Birds');
    await page.keyboard.press('Escape');
    await expect.poll(focused).toBe('Rename About herons');
    end(next, ' birds, too.');
    await expect.poll(() => answers(page)).toEqual(['Herons are birds.', 'Storks are birds, too.']);
    await page.keyboard.press('Enter');
    await page.getByLabel('Title').fill('Birds');
    await page.keyboard.press('Enter');
    await expect.poll(focused).toBe('Rename Birds');
    expect(await listed(page)).toEqual(['Birds']);
  });

  test('a question is kept as soon as it is asked', async () => {
    const page = await open();
    await ask(page, 'About herons', 'Herons are');
    await expect.poll(() => listed(page)).toEqual(['About herons']);
    await page.reload();
    await expect.poll(() => page.locator('article.user').allInnerTexts()).toEqual(['About herons']);
    await page.getByText('Stopped.').first().waitFor();
  });

  test('a conversation that is deleted stops its answer and does not come back', async () => {
    const page = await open();
    await ask(page, 'About herons', 'Herons are');
    await page.getByRole('button', { name: 'Delete About herons' }).waitFor();
    const closed = vendor.closed();
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Delete About herons' }).click();
    await closed;
    end(await ask(page, 'About clocks', 'Clocks are'), ' round.');
    await canSend(page);
    await page.reload();
    await expect.poll(() => listed(page)).toEqual(['About clocks']);
  });

  test('two tabs that continue one conversation keep the turns of both', async () => {
    const first = await open();
    end(await ask(first, 'About herons', 'Herons are'), ' tall.');
    await canSend(first);
    const second = await open();
    await second.getByRole('link', { name: 'About herons' }).click();
    await expect.poll(() => answers(second)).toEqual(['Herons are tall.']);
    end(await ask(second, 'And clocks?', 'Clocks are'), ' round.');
    await canSend(second);
    // The first tab keeps its question and its answer, each of which could write over the other tab's turns.
    end(await ask(first, 'And cats?', 'Cats are'), ' soft.');
    await canSend(first);
    await first.reload();
    await expect.poll(() => answers(first)).toEqual(['Herons are tall.', 'Cats are soft.']);
    await first.getByRole('button', { name: 'Previous branch' }).first().click();
    await expect.poll(() => answers(first)).toEqual(['Herons are tall.', 'Clocks are round.']);
    // What one tab deletes leaves the list of the other.
    first.once('dialog', (dialog) => void dialog.accept());
    await first.getByRole('button', { name: 'Delete About herons' }).click();
    await expect.poll(() => listed(second)).toEqual([]);
  });

  test('an answer that another tab is receiving is not stopped, and a tab that has gone stops its own', async () => {
    const first = await open();
    const response = await ask(first, 'About herons', 'Herons are');
    const second = await open();
    await second.getByRole('link', { name: 'About herons' }).click();
    const elsewhere = second.getByText('Another tab is receiving this answer.');
    await elsewhere.waitFor();
    await second.fill('#prompt', 'And clocks?');
    expect(await second.getByRole('button', { name: 'Send' }).isEnabled()).toBe(false);
    await expectAccessible(second);
    // Its title, kept meanwhile by a tab that only knows the beginning, takes nothing from the answer.
    await second.getByRole('button', { name: 'Rename About herons' }).click();
    await second.getByLabel('Title').fill('Birds');
    await second.keyboard.press('Enter');
    await expect.poll(() => listed(second)).toEqual(['Birds']);
    await elsewhere.waitFor();
    end(response, ' tall.');
    await expect.poll(() => answers(second)).toEqual(['Herons are tall.']);
    expect(await elsewhere.count()).toBe(0);

    end(await ask(second, 'And clocks?', 'Clocks are'), ' round.');
    await canSend(second);
    await second.reload();
    await expect.poll(() => answers(second)).toEqual(['Herons are tall.', 'Clocks are round.']);
    await second.getByRole('button', { name: 'Send' }).and(second.locator(':enabled')).waitFor();
    await ask(second, 'And cats?', 'Cats are');
    await first.reload();
    await first.getByText('Another tab is receiving this answer.').waitFor();
    await second.close();
    await first.getByText('Stopped.').waitFor();
    await first.getByRole('button', { name: 'Regenerate' }).last().waitFor();
  });

  test('what lies behind an answer is kept apart from its conversation, is there after a reload, and goes with it', async () => {
    const page = await open();
    const inspect = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Inspect' }).first().click();
      await page.getByRole('tab', { name: 'Request' }).waitFor();
    };
    end(await ask(page, 'About herons', 'Herons are'), ' tall.');
    await canSend(page);
    // This one's stream is longer than what is kept.
    const long = await ask(page, 'And clocks?', 'Clocks are');
    for (let at = 0; at < 11; at += 1)
      long.write(`: \ndata: ${JSON.stringify({ ...EVENT, choices: [], at: 'x'.repeat(100_000) })}\n\n`);
    end(long, ' round.');
    await canSend(page);
    const { conversations, traces } = await page.evaluate<Record<string, number>>(SIZES);
    expect(conversations).toBeLessThan(5_000);
    expect(conversations).toBeGreaterThan(500);
    expect(traces).toBeLessThan(5_000);
    expect(traces).toBeGreaterThan(500);

    await page.reload();
    await expect.poll(() => answers(page)).toEqual(['Herons are tall.', 'Clocks are round.']);
    await inspect();
    await page.getByText('About herons').last().waitFor();
    await page.getByRole('tab', { name: 'Stream (4)' }).click();
    expect(await page.locator('.events summary').last().innerText()).toBe('[DONE]');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Inspect' }).last().click();
    for (const name of ['Stream', 'Code', 'Translation', 'Request']) {
      await page.getByRole('tab', { name }).click();
      await page.getByText('This browser has not kept what was sent').waitFor();
    }
    await page.getByRole('tab', { name: 'Response' }).click();
    await page.getByText('Status 200').waitFor();
    await page.keyboard.press('Escape');

    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Delete About herons' }).click();
    await expect.poll(() => page.evaluate(SIZES)).toEqual({ heads: 0, conversations: 0, traces: 0 });
  });

  test('a browser that has no room for a conversation says so, and the conversation goes on', async () => {
    await context.addInitScript(FULL_DATABASE);
    const page = await open();
    end(await ask(page, 'About herons', 'Herons are'), ' tall.');
    const said = page.locator('.chat > .error');
    await expect.poll(() => said.innerText()).toMatch(/no room/);
    await expect.poll(() => answers(page)).toEqual(['Herons are tall.']);
    await page.locator('.composer button[type=submit]').waitFor();
    await expectAccessible(page);
    end(await ask(page, 'And clocks?', 'Clocks are'), ' round.');
    await expect.poll(() => answers(page)).toEqual(['Herons are tall.', 'Clocks are round.']);
  });

  test('a word of an answer costs no rendering of the turns before it', async () => {
    const page = await open();
    for (const name of ['herons', 'clocks']) {
      const response = await ask(page, `About ${name}`, `All ${name}`);
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      response.write(chunk('', 'stop'));
      response.end(`data: ${JSON.stringify({ ...EVENT, choices: [], usage })}\n\ndata: [DONE]\n\n`);
      await canSend(page);
    }
    expect(await page.getByText('$0.000010').count()).toBe(2);
    const response = await ask(page, 'About cats', 'All cats');
    // Each rendering of an answer that has ended writes its price, with six digits.
    await page.evaluate(`{
      const write = Number.prototype.toFixed;
      window.prices = 0;
      Number.prototype.toFixed = function (digits) {
        if (digits === 6) window.prices += 1;
        return write.call(this, digits);
      };
    }`);
    for (const word of ['are', 'soft', 'and', 'quiet']) {
      response.write(chunk(` ${word}`));
      await expect.poll(async () => (await answers(page)).at(-1)).toMatch(new RegExp(`${word}$`));
    }
    expect(await page.evaluate('window.prices')).toBe(0);
    end(response, '.');
    await canSend(page);
    expect(await page.evaluate('window.prices')).toBeGreaterThanOrEqual(2);
  });

  test('a conversation of 200 turns opens at its end, and its beginning follows in pieces', async () => {
    const page = await open();
    end(await ask(page, 'About herons', 'Herons are'), ' tall.');
    await canSend(page);
    await page.evaluate(MAKE_LONG);
    await page.reload();
    await page.evaluate(`{
      window.counts = [];
      new MutationObserver(() => {
        const count = document.querySelectorAll('.turn').length;
        if (count > 0 && document.querySelector('main').innerText.includes('Question 99')) counts.push(count);
      }).observe(document.querySelector('main'), { childList: true, subtree: true });
    }`);
    await page.getByRole('link', { name: 'Long' }).click();
    await expect.poll(() => page.locator('.turn').count()).toBe(200);
    const counts = await page.evaluate<number[]>('counts');
    expect(counts[0]).toBeLessThanOrEqual(20);
    expect(counts.length).toBeGreaterThan(5);
    // The reader stays at the end meanwhile, in this conversation and in the next one that is opened.
    const below = () => page.evaluate('log.scrollHeight - log.scrollTop - log.clientHeight');
    expect(await below()).toBeLessThan(2);
    expect(await page.locator('.turn').first().innerText()).toContain('Question 0');
    await page.evaluate('log.scrollTo(0, 0)');
    await page.getByRole('link', { name: 'About herons' }).click();
    await expect.poll(() => answers(page)).toEqual(['Herons are tall.']);
    await page.getByRole('link', { name: 'Long' }).click();
    await expect.poll(() => page.locator('.turn').count()).toBe(200);
    expect(await below()).toBeLessThan(2);
    // The address names what is open, so that a reload shows it again.
    expect(new URL(page.url()).hash).toBe('#/chat/long');
    await page.reload();
    await expect.poll(() => page.locator('.turn').count()).toBe(200);
  });

  test('on a phone, long names of calls and deep lists and quotes stay within the page', async () => {
    const page = await open();
    await page.setViewportSize({ width: 390, height: 780 });
    const deep = Array.from({ length: 30 }, (_, depth) => `${'  '.repeat(depth)}- level ${depth}`).join('\n');
    const response = await ask(page, 'Harm me', 'So be it.');
    const call = { name: `<b>${'t'.repeat(200)}`, arguments: JSON.stringify({ a: 'x'.repeat(500) }) };
    response.write(chunk(`\n\n${deep}\n\n${'> '.repeat(30)}the end of the quotes\n`));
    const delta = { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] };
    response.write(
      `data: ${JSON.stringify({ ...EVENT, choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`,
    );
    response.end(`${chunk('', 'tool_calls')}data: [DONE]\n\n`);
    await page.getByRole('button', { name: 'Send results' }).waitFor();
    await page.getByText('the end of the quotes').waitFor();
    expect(await page.evaluate('log.scrollWidth - log.clientWidth')).toBe(0);
    await expectAccessible(page);
  });

  test('an address of no view says so in a heading', async () => {
    const page = await open();
    await page.evaluate("location.hash = '#/nowhere'");
    await page.getByRole('heading', { level: 1, name: 'There is no such view.' }).waitFor();
    await expectAccessible(page);
  });

  test('the chat stays open while other views are looked at, and skipping to it leaves the view alone', async () => {
    const page = await open();
    end(await ask(page, 'About herons', 'Herons are'), ' tall.');
    await canSend(page);
    await page.getByRole('link', { name: 'Translate', exact: true }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    const address = page.url();
    await page.getByRole('button', { name: 'Skip to the main part' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    expect(page.url()).toBe(address);
    await page.getByRole('link', { name: 'Chat', exact: true }).click();
    await expect.poll(() => answers(page)).toEqual(['Herons are tall.']);
    await page.getByRole('link', { name: 'Chat', exact: true }).click();
    await page.reload();
    await expect.poll(() => answers(page)).toEqual(['Herons are tall.']);
  });
});

/** How many answers the browser keeps without their ends. */
const UNFINISHED = `new Promise((resolve, reject) => {
  const opening = indexedDB.open('gateway-console');
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = () => {
    const reading = opening.result.transaction('conversations').objectStore('conversations').getAll();
    reading.onsuccess = () => {
      opening.result.close();
      const nodes = reading.result.flatMap((conversation) => Object.values(conversation.nodes));
      resolve(nodes.filter(({ kind, endedAfter }) => kind === 'answer' && endedAfter === undefined).length);
    };
  };
})`;

/** Keeps a conversation `Long` of 200 turns, made from the one that is kept. */
const MAKE_LONG = `new Promise((resolve, reject) => {
  const opening = indexedDB.open('gateway-console');
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = () => {
    const change = opening.result.transaction(['heads', 'conversations'], 'readwrite');
    change.oncomplete = () => (opening.result.close(), resolve());
    const conversations = change.objectStore('conversations');
    conversations.getAll().onsuccess = ({ target: { result: [made] } }) => {
      const answer = Object.values(made.nodes).find(({ kind }) => kind === 'answer');
      const nodes = Array.from({ length: 100 }, (_, at) => [
        { kind: 'user', id: 'q' + at, parent: at ? 'a' + (at - 1) : null, text: 'Question ' + at, attachments: [] },
        { ...answer, id: 'a' + at, parent: 'q' + at },
      ]).flat();
      conversations.put({
        ...made,
        id: 'long',
        title: 'Long',
        nodes: Object.fromEntries(nodes.map((node) => [node.id, node])),
        lanes: made.lanes.map((lane) => ({ ...lane, leaf: 'a99' })),
      });
      change.objectStore('heads').put({ id: 'long', title: 'Long', updated: 1, words: '' });
    };
  };
})`;

/** The letters that the browser keeps, by the stores of its database. */
const SIZES = `new Promise((resolve, reject) => {
  const opening = indexedDB.open('gateway-console');
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = () => {
    const names = [...opening.result.objectStoreNames];
    const reading = opening.result.transaction(names);
    const all = names.map((name) => [name, reading.objectStore(name).getAll()]);
    reading.oncomplete = () => {
      opening.result.close();
      const sizes = all.map(([name, { result }]) => [name, result.length && JSON.stringify(result).length]);
      resolve(Object.fromEntries(sizes));
    };
  };
})`;

const EVENT = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'gpt-4.1' };

function chunk(content: string, finish: string | null = null): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: finish }];
  return `data: ${JSON.stringify({ ...EVENT, choices })}\n\n`;
}
