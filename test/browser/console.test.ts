/** The console in a real browser: the chat, before the sandbox and before a vendor that means harm. */

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { getPort } from '../../src/upstream/net/bind.ts';
import { freePort } from '../support/free-port.ts';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { startUpstream } from '../support/upstream.ts';
import { hasChromium, launch, STORAGE } from './chromium.ts';
import { consolePages, expectAccessible, picture } from './console-page.ts';
import { prefixed } from './prefixed.ts';

/** Bytes of the page, its scripts and its styles on a first load, compressed. */
const FIRST_LOAD = 250_000;

describe.runIf(hasChromium())('console', () => {
  let browser: Browser;
  let gateway: TestGateway;
  const pages = consolePages(() => browser);

  beforeAll(async () => {
    browser = await launch();
    gateway = await startGateway({ generateContent: { models: 'all' } });
  });
  afterAll(async () => {
    await browser.close();
    await gateway.close();
  });
  afterEach(async () => {
    await pages.close();
  });

  async function open(
    at: { readonly url: string } = gateway,
    options: Parameters<Browser['newContext']>[0] = {},
  ): Promise<Page> {
    const page = await pages.open(`${at.url}/#key=${KEY}`, options);
    await page.getByRole('button', { name: 'Send' }).and(page.locator(':enabled')).waitFor();
    return page;
  }

  const last = (page: Page) => page.locator('article.answer').last();
  const ended = (page: Page) => page.locator('.composer button[type=submit]').waitFor();

  async function choose(page: Page, model: string, format: string, lane = ''): Promise<void> {
    const field = page.getByRole('combobox', { name: `Model${lane}` }).first();
    await field.click();
    await field.pressSequentially(model);
    await page
      .getByRole('option')
      .filter({ has: page.getByText(model, { exact: true }) })
      .click();
    expect(await field.inputValue()).toBe(model);
    await page.getByLabel(`Format${lane}`).selectOption(format);
  }

  async function say(page: Page, text: string): Promise<void> {
    const before = await page.locator('article.answer').count();
    await page.fill('#prompt', text);
    await page.press('#prompt', 'Enter');
    await page.locator('article.answer').nth(before).waitFor();
    await ended(page);
  }

  async function ask(page: Page, model: string, format: string, text: string): Promise<void> {
    await choose(page, model, format);
    await say(page, text);
  }

  test('a dialogue goes on with other models in other formats, with thoughts, tokens and their cost', async () => {
    const page = await open();
    for (const [model, format] of [
      ['openai/gpt-5.4', 'responses'],
      ['anthropic/claude-sonnet-4-5', 'messages'],
      ['google/gemini-2.5-flash', 'generate-content'],
      ['deepseek/deepseek-v4-flash', 'chat-completions'],
    ] as const) {
      await ask(page, model, format, 'play: thinking');
      const answer = last(page);
      expect(await answer.locator('.markdown').innerText()).toContain('letters');
      expect(await answer.locator('.meter').innerText()).toMatch(
        /first token .*total .*in, \d+ out.*simulated: \$0/s,
      );
      if (format === 'messages') expect(await answer.locator('details.thinking').count()).toBe(1);
    }
    expect(await page.locator('.error').count()).toBe(0);
    expect(pages.problems()).toEqual([]);
    await page.context().close();
  });

  test('a tool is called in each format, its result is edited, and another result is another branch', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Offer the model tools').check();
    await page.getByRole('button', { name: 'Settings' }).click();
    for (const [model, format] of [
      ['anthropic/claude-sonnet-4-5', 'chat-completions'],
      ['openai/gpt-4.1', 'messages'],
      ['google/gemini-3.5-flash', 'generate-content'],
      ['anthropic/claude-sonnet-4-5', 'responses'],
    ] as const) {
      await page.getByRole('link', { name: 'New chat' }).click();
      await ask(page, model, format, 'What is the weather in Lisbon?');
      expect(await last(page).locator('.call').first().innerText()).toContain('get_weather');
      await page.getByLabel('Result of get_weather').fill('{"temperature":21}');
      await page.getByRole('button', { name: 'Send results' }).click();
      await expect.poll(() => page.locator('article.answer').count()).toBe(2);
      await expect.poll(() => last(page).innerText()).toContain('21');
      await ended(page);
    }
    await page.getByRole('button', { name: 'Change results' }).click();
    await page.getByLabel('Result of get_weather').fill('{"temperature":35}');
    await page.getByRole('button', { name: 'Send as a new branch' }).click();
    await expect.poll(() => last(page).innerText()).toContain('35');
    await ended(page);
    await page.locator('.results').getByRole('button', { name: 'Previous branch' }).click();
    expect(await last(page).innerText()).toContain('21');
    expect(await page.locator('.error').count()).toBe(0);
    expect(pages.problems()).toEqual([]);
    await page.context().close();
  });

  test('tools of one’s own and a schema of the answer are sent; a mistake in them is said', async () => {
    const page = await open();
    await choose(page, 'openai/gpt-5.4', 'chat-completions');
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Offer the model tools').check();
    await page.getByLabel('Tools: a JSON list').fill('[{"name":');
    await page.getByText('This is not a JSON list of tools').waitFor();
    await page
      .getByLabel('Tools: a JSON list')
      .fill('[{"name":"roll","parameters":{"type":"object","properties":{}}}]');
    await page.getByLabel('Answer as JSON by a schema').check();
    await page
      .getByLabel('JSON Schema of the answer')
      .fill('{"type":"object","properties":{"town":{"type":"string"}}}');
    const sent = page.waitForRequest(/\/v1\/chat\/completions/);
    await say(page, 'Roll.');
    const body = (await sent).postDataJSON();
    expect(body.tools).toMatchObject([{ type: 'function', function: { name: 'roll' } }]);
    expect(body.response_format.json_schema.schema.properties).toEqual({ town: { type: 'string' } });
    await page.context().close();
  });

  test('images and files go in, and an image and sources come out', async () => {
    const image = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const vendor = await startUpstream((_received, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const parts = [
        { text: 'Here.' },
        { inlineData: { mimeType: 'image/png', data: image.toString('base64') } },
      ];
      const groundingMetadata = {
        groundingChunks: [{ web: { uri: 'https://e.example/a', title: 'A page' } }],
      };
      const candidate = { content: { role: 'model', parts }, finishReason: 'STOP', groundingMetadata };
      response.end(`data: ${JSON.stringify({ candidates: [candidate] })}\n\n`);
    });
    const drawing = await startGateway({ vendors: vendorsAtUrl(vendor.url) });
    const page = await open(drawing);
    await choose(page, 'google/gemini-3.5-flash', 'generate-content');
    await page.setInputFiles('input[type=file]', [
      { name: 'dot.png', mimeType: 'image/png', buffer: image },
      { name: 'note.md', mimeType: 'text/markdown', buffer: Buffer.from('# A note') },
    ]);
    await page.getByRole('button', { name: 'Remove note.md' }).waitFor();
    const sent = page.waitForRequest(/streamGenerateContent/);
    await say(page, 'What is this?');
    expect((await sent).postDataJSON().contents[0].parts).toMatchObject([
      { inlineData: { mimeType: 'image/png', data: image.toString('base64') } },
      { text: '<file name="note.md">\n# A note\n</file>' },
      { text: 'What is this?' },
    ]);
    for (const name of ['dot.png', 'An image of the answer']) {
      await page.getByRole('img', { name }).waitFor();
      await expect
        .poll(() => page.evaluate(`document.querySelector('img[alt="${name}"]').naturalWidth`))
        .toBe(1);
    }
    expect(await page.getByRole('link', { name: 'A page' }).getAttribute('href')).toBe('https://e.example/a');
    expect(pages.problems()).toEqual([]);
    await page.context().close();
    await drawing.close();
    await vendor.close();
  });

  test('two models answer side by side, and one of them goes on', async () => {
    const page = await open();
    await choose(page, 'openai/gpt-4.1', 'chat-completions');
    await page.getByRole('button', { name: 'Compare' }).click();
    await choose(page, 'anthropic/claude-sonnet-4-5', 'messages', ' 2');
    await say(page, 'play: plain-text');
    expect(await page.locator('.turn.two article.answer').count()).toBe(2);
    expect(await page.locator('article.user').count()).toBe(1);
    for (const meter of await page.locator('.turn.two .meter').allInnerTexts())
      expect(meter).toMatch(/total .*in, \d+ out.*simulated: \$0/s);
    await say(page, 'And now?');
    expect(await page.locator('.turn.two article.answer').count()).toBe(4);
    expect(await page.locator('article.user').count()).toBe(2);
    await page.getByRole('button', { name: 'Keep only anthropic/claude-sonnet-4-5' }).click();
    expect(await page.locator('.turn.two').count()).toBe(0);
    expect(await last(page).locator('.by').innerText()).toContain('anthropic/claude-sonnet-4-5');
    expect(pages.problems()).toEqual([]);
    await page.context().close();
  });

  test('a message is edited and an answer regenerated in branches, by another model too', async () => {
    const page = await open();
    await ask(page, 'openai/gpt-4.1', 'chat-completions', 'First words');
    await page.getByRole('button', { name: 'Edit the message' }).click();
    await page.getByLabel('Edit the message').fill('Other words');
    await page.getByRole('button', { name: 'Send as a new branch' }).click();
    await expect.poll(() => last(page).innerText()).toContain('Other words');
    await ended(page);
    await page.locator('.user-turn').getByRole('button', { name: 'Previous branch' }).click();
    expect(await last(page).innerText()).toContain('First words');

    await page.getByRole('button', { name: 'With another model' }).click();
    const field = page.getByRole('combobox', { name: 'Another model' });
    await field.click();
    await field.pressSequentially('anthropic/claude-sonnet-4-5');
    const asked = page.waitForRequest(/\/v1\/chat\/completions/);
    await page.keyboard.press('Enter');
    expect((await asked).postDataJSON()).toMatchObject({
      model: 'anthropic/claude-sonnet-4-5',
      messages: [{ role: 'user', content: 'First words' }],
    });
    await ended(page);
    expect(await last(page).locator('.by').innerText()).toContain('anthropic/claude-sonnet-4-5');
    expect(await last(page).getByRole('group', { name: 'Branches' }).innerText()).toMatch(/2 \/ 2/);
    expect(pages.problems()).toEqual([]);
    await page.context().close();
  });

  test('conversations are kept, found, renamed and deleted', async () => {
    const page = await open();
    await ask(page, 'openai/gpt-4.1', 'messages', 'About herons');
    await page.getByRole('link', { name: 'New chat' }).click();
    await say(page, 'About clocks');
    const listed = () => page.locator('.conversation > a').allInnerTexts();
    await expect.poll(listed).toEqual(['About clocks', 'About herons']);
    await page.reload();
    await expect.poll(() => page.locator('article.user').allInnerTexts()).toEqual(['About clocks']);
    await page.getByRole('link', { name: 'About herons' }).click();
    await expect.poll(() => page.locator('article.user').allInnerTexts()).toEqual(['About herons']);
    expect(await last(page).locator('.by').innerText()).toContain('messages');
    await page.fill('[aria-label="Search conversations"]', 'HERON');
    await expect.poll(listed).toEqual(['About herons']);
    await page.getByRole('button', { name: 'Rename About herons' }).click();
    await page.getByLabel('Title').fill('Birds');
    await page.keyboard.press('Enter');
    await expect.poll(listed).toEqual(['Birds']);
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Delete Birds' }).click();
    await page.fill('[aria-label="Search conversations"]', '');
    await expect.poll(listed).toEqual(['About clocks']);
    expect(pages.problems()).toEqual([]);
    await page.context().close();
  });

  test('the request that was sent can be copied as code, and the stream be read event by event', async () => {
    const page = await open();
    for (const [model, format, sdk, path] of [
      ['anthropic/claude-sonnet-4-5', 'messages', 'anthropic', '/v1/messages'],
      ['google/gemini-2.5-flash', 'generate-content', 'genai', ':streamGenerateContent?alt=sse'],
      ['openai/gpt-4.1', 'responses', 'openai', '/v1/responses'],
      ['openai/gpt-4.1', 'chat-completions', 'openai', '/v1/chat/completions'],
    ] as const) {
      const sent = page.waitForRequest((request) => request.method() === 'POST');
      await ask(page, model, format, `It's "quoted".`);
      const body = (await sent).postDataJSON();
      // Settings that change afterwards change nothing of what was sent.
      await page.fill('#prompt', 'Never sent');
      await last(page).getByRole('button', { name: 'Inspect' }).click();
      await page.getByRole('tab', { name: 'Code' }).click();
      const code = async (): Promise<string> => {
        await page.getByRole('button', { name: 'Copy the code' }).last().click();
        return page.evaluate('navigator.clipboard.readText()');
      };
      const curl = await code();
      const json = / -d '(.*)'\n?$/s.exec(curl)?.[1]?.replaceAll("'\\''", "'") ?? '';
      expect(JSON.parse(json)).toEqual(body);
      expect(curl).toContain(path);
      expect(curl).toContain(gateway.url);
      expect(curl).toMatch(/^# Your key of this gateway: export KEY=gw_…\ncurl /);
      for (const kind of ['javascript', 'python']) {
        await page.getByLabel('Language').selectOption(kind);
        const text = await code();
        expect(text).toContain(sdk);
        expect(text).toContain(gateway.url);
        for (const never of [KEY, 'GATEWAY_API_KEY', 'Never sent']) expect(text).not.toContain(never);
      }
      await page.getByRole('tab', { name: /Stream/ }).click();
      const events = await page.locator('.events summary').allInnerTexts();
      expect(events.length).toBeGreaterThan(3);
      expect(events.join('')).toContain('quoted');
      await page.getByRole('tab', { name: 'Translation' }).click();
      await page.getByText('the request is passed on byte for byte').waitFor();
      await page.getByRole('tab', { name: 'Response' }).click();
      expect(await page.locator('.headers').innerText()).toContain('x-request-id');
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
    }
    expect(pages.problems()).toEqual([]);
    await page.context().close();
  });

  test('what can be copied can be copied from a page over plain HTTP, too', async () => {
    const page = await open();
    await ask(page, 'openai/gpt-4.1', 'chat-completions', 'play: plain-text');
    // Browsers hide it there.
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    const button = last(page).getByRole('button', { name: 'Copy the answer' });
    await button.click();
    await expect.poll(() => button.innerText()).toBe('Copied');
    await page.focus('#prompt');
    await page.keyboard.press('Control+V');
    expect(await page.inputValue('#prompt')).toContain('sandbox');
    await page.context().close();
  });

  test('a model is found by words of its name, and one that is not listed can be written', async () => {
    const page = await open();
    const field = page.getByRole('combobox', { name: 'Model' });
    await field.click();
    await field.pressSequentially('flash 2.5');
    const option = page.getByRole('option', { name: 'google/gemini-2.5-flash' }).first();
    expect(await option.innerText()).toMatch(/1M context.*thinking/s);
    await page.keyboard.press('Escape');
    await field.click();
    await field.pressSequentially('nobody/nothing');
    await page.keyboard.press('Tab');
    await expect.poll(() => field.inputValue()).toBe('nobody/nothing');
    await say(page, 'Hello?');
    expect(await last(page).getByRole('alert').innerText()).toContain('404');
    expect(await page.locator('[role=status]').innerText()).toContain('Failed');
    await page.context().close();
  });

  test('offers generate-content for models of Google only, unless the configuration says all', async () => {
    const googles = await startGateway();
    const page = await open(googles);
    const offered = () => page.getByLabel('Format').locator('option').allInnerTexts();
    await choose(page, 'google/gemini-2.5-flash', 'generate-content');
    await choose(page, 'openai/gpt-4.1', 'chat-completions');
    expect(await offered()).not.toContain('generate-content');
    await page.getByRole('button', { name: 'Settings' }).click();
    await choose(page, 'anthropic/claude-sonnet-5-5', 'messages');
    expect(await page.getByLabel('Thinking').locator('option').allInnerTexts()).toEqual([
      'model default',
      'low',
      'medium',
      'high',
      'xhigh',
      'max',
    ]);
    expect(await page.getByLabel('Temperature').isDisabled()).toBe(true);
    await page.context().close();
    await googles.close();
  });

  test('keys leave the address bar, stay in the tab, and are remembered only if asked', async () => {
    const page = await open();
    expect(page.url()).not.toContain(KEY);
    const stored = () => page.evaluate<string>("localStorage.getItem('key') ?? ''");
    expect(await stored()).not.toContain(KEY);
    await page.reload();
    await page.getByRole('button', { name: 'Send' }).and(page.locator(':enabled')).waitFor();
    await page.getByRole('button', { name: 'Access' }).click();
    await page.getByLabel('API key, for models').fill('gw-wrong');
    await page.keyboard.press('Enter');
    await page.getByText(/401/).waitFor();
    await page.getByRole('button', { name: 'Access' }).click();
    await page.getByLabel('API key, for models').fill(KEY);
    await page.getByLabel('Remember them on this device').check();
    await page.getByRole('button', { name: 'Use these keys' }).click();
    expect(await stored()).toContain(KEY);
    await page.getByRole('button', { name: 'Access' }).click();
    await page.getByLabel('Remember them on this device').uncheck();
    expect(await stored()).not.toContain(KEY);
    await page.context().close();
  });

  test('a link with another key asks before it replaces the one that is remembered', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Access' }).click();
    await page.getByLabel('Remember them on this device').check();
    await page.getByRole('button', { name: 'Use these keys' }).click();
    const stored = () => page.evaluate<string>("localStorage.getItem('key') ?? ''");
    const follow = async (answer: 'accept' | 'dismiss'): Promise<string> => {
      const asked = new Promise<string>((resolve) => {
        page.once('dialog', (dialog) => {
          resolve(dialog.message());
          void dialog[answer]();
        });
      });
      await page.goto('about:blank');
      await page.goto(`${gateway.url}/#key=gw-of-somebody-else`);
      return asked;
    };
    expect(await follow('dismiss')).toContain('another key');
    expect(await stored()).toContain(KEY);
    expect(page.url()).not.toContain('gw-of-somebody-else');
    expect(await follow('accept')).toContain('another key');
    expect(await stored()).toContain('gw-of-somebody-else');
    await page.context().close();
  });

  test.each(Object.entries(STORAGE))('works if storage is %s', async (_, script) => {
    const context = await browser.newContext({ colorScheme: 'light' });
    await context.addInitScript(script);
    const page = await pages.openIn(context, `${gateway.url}/#key=${KEY}`);
    await page.getByRole('button', { name: 'Send' }).and(page.locator(':enabled')).waitFor();
    await say(page, 'play: plain-text');
    await page.getByRole('button', { name: 'Switch between light and dark' }).click();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    expect(pages.problems()).toEqual([]);
    await context.close();
  });

  test('works below a path of a proxy, and so does its code', async () => {
    const url = await prefixed(gateway.url);
    const page = await open({ url });
    await ask(page, 'anthropic/claude-sonnet-4-5', 'messages', 'Say:\n```js\nlet a = 1;\n```');
    await last(page).locator('.token').first().waitFor();
    await last(page).getByRole('button', { name: 'Inspect' }).click();
    await page.getByRole('tab', { name: 'Code' }).click();
    expect(await page.locator('dialog pre').last().innerText()).toContain(`curl -N '${url}/v1/messages'`);
    expect(pages.problems()).toEqual([]);
    await page.context().close();
  });

  test('code is coloured and copied, and formulas are drawn', async () => {
    const page = await open();
    await ask(
      page,
      'openai/gpt-4.1',
      'messages',
      'Say exactly:\n\n```js\nlet a = 1;\nlet b;\n```\n\n$$\\int_0^1 x\\,dx$$\n\nand $e^2$, for $5 or $6.',
    );
    const code = last(page).locator('.fence').first();
    await code.locator('.token').first().waitFor();
    await code.getByRole('button', { name: 'Copy the code' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('let a = 1;\nlet b;');
    await expect.poll(() => last(page).locator('math').count()).toBe(2);
    expect(await last(page).innerText()).toContain('for $5 or $6.');
    expect(pages.problems()).toEqual([]);
    await page.context().close();
  });

  test('a formula asks for no more room than a line has', async () => {
    const page = await open();
    await ask(page, 'openai/gpt-4.1', 'messages', 'Say exactly:\n\n$\\rule{5000em}{1em}$');
    await expect.poll(() => last(page).locator('math mspace').getAttribute('width')).toBe('20em');
    expect(pages.problems()).toEqual([]);
    await page.context().close();
  });

  test.each([
    ['openai/gpt-4.1', 'chat-completions', 'length'],
    ['openai/gpt-4.1', 'responses', 'max_output_tokens'],
    ['anthropic/claude-sonnet-4-5', 'messages', 'max_tokens'],
    ['google/gemini-2.5-flash', 'generate-content', 'MAX_TOKENS'],
  ])('an answer of %s by %s that is cut off is marked as such', async (model, format, reason) => {
    const page = await open();
    await ask(page, model, format, 'play: length');
    expect(await last(page).locator('.meter').innerText()).toContain(`stop reason: ${reason}`);
    await page.context().close();
  });

  test('an answer that fails midway is said to have failed in each format, and its words stay', async () => {
    const line = (type: string, event: object): string =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...event })}\n\n`;
    const turns: PromiseWithResolvers<ServerResponse>[] = [];
    const vendor = await startUpstream((_received, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const usage = { input_tokens: 1, output_tokens: 1 };
      const message = { id: 'm', type: 'message', role: 'assistant', model: 'claude', content: [], usage };
      response.write(line('message_start', { message }));
      response.write(line('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }));
      const delta = { type: 'text_delta', text: 'It begins well' };
      response.write(line('content_block_delta', { index: 0, delta }));
      turns.at(-1)?.resolve(response);
    });
    const failing = await startGateway({ vendors: vendorsAtUrl(vendor.url) });
    const page = await open(failing);
    for (const format of ['chat-completions', 'responses', 'messages']) {
      const turn = Promise.withResolvers<ServerResponse>();
      turns.push(turn);
      await page.getByRole('link', { name: 'New chat' }).click();
      await choose(page, 'anthropic/claude-sonnet-4-5', format);
      await page.fill('#prompt', 'Hello!');
      await page.press('#prompt', 'Enter');
      const response = await turn.promise;
      await expect.poll(() => last(page).innerText()).toContain('It begins well');
      response.end(line('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }));
      await expect.poll(() => page.locator('[role=status]').innerText()).toBe('Failed: Overloaded');
      expect(await last(page).locator('.error').allInnerTexts()).toEqual(['Overloaded']);
      expect(await last(page).innerText()).toContain('It begins well');
    }
    await page.context().close();
    await failing.close();
    await vendor.close();
  });

  test('an unreachable gateway is reported in plain words', async () => {
    const begun = Promise.withResolvers<ServerResponse>();
    const between = createServer(async (incoming, response) => {
      if (incoming.method === 'POST') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: {"choices":[{"index":0,"delta":{"content":"It begins well"}}]}\n\n');
        begun.resolve(response);
        return;
      }
      const { authorization = '' } = incoming.headers;
      const answer = await fetch(gateway.url + incoming.url, { headers: { authorization } });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      response.end(await answer.bytes());
    }).listen(await freePort(), '127.0.0.1');
    await once(between, 'listening');
    const page = await open({ url: `http://127.0.0.1:${getPort(between)}` });
    await page.fill('#prompt', 'Hello!');
    await page.press('#prompt', 'Enter');
    const response = await begun.promise;
    await expect.poll(() => last(page).innerText()).toContain('It begins well');
    response.destroy();
    const said = () => last(page).locator('.error').allInnerTexts();
    await expect.poll(said).toEqual(['The connection to the gateway broke off.']);
    between.closeAllConnections();
    between.close();
    await page.fill('#prompt', 'Hello again!');
    await page.press('#prompt', 'Enter');
    await expect.poll(said).toEqual(['The gateway cannot be reached.']);
    await page.context().close();
  });

  test('the text of a malicious model stays text, and Escape stops its answer', async () => {
    const harm =
      '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script> ' +
      '[click](javascript:document.title="owned") ![cat](https://e.example/cat.png) [x](data:text/html,y) ' +
      '`<b>code</b>` **<i>bold</i>**\n\n';
    const vendor = await startUpstream((_received, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const piece of harm.match(/.{1,7}/gs) ?? []) response.write(chunk({ content: piece }, null));
      // The rest never comes: the reader has to stop it.
    });
    const harmed = await startGateway({ vendors: vendorsAtUrl(vendor.url) });
    const page = await open(harmed);
    const closed = vendor.closed();
    await choose(page, 'openai/gpt-4.1', 'chat-completions');
    await page.fill('#prompt', 'Harm me.');
    await page.press('#prompt', 'Enter');
    await expect.poll(() => last(page).innerText()).toContain('<i>bold</i>');
    expect(await last(page).locator('img, script, b, i').count()).toBe(0);
    expect(
      await page.evaluate("[...document.querySelectorAll('article.answer a')].map((link) => link.outerHTML)"),
    ).toEqual([
      '<a href="https://e.example/cat.png" rel="noopener noreferrer nofollow" target="_blank">cat</a>',
    ]);
    expect(await page.title()).toBe('Gateway console');
    await page.keyboard.press('Escape');
    await closed;
    await expect.poll(() => last(page).innerText()).toContain('Stopped.');
    expect(pages.problems()).toEqual([]);
    await page.context().close();
    await harmed.close();
    await vendor.close();
  });

  test('an answer of a vendor shows its price, and however it is written it does not block the page', async () => {
    const texts = [
      '>'.repeat(20_000),
      '# a\n'.repeat(5_000),
      `a ${'`'.repeat(100_000)}`,
      '*a '.repeat(50_000),
      '['.repeat(100_000),
      `\`\`\`\n${'word '.repeat(20_000)}`,
    ];
    let at = 0;
    const vendor = await startUpstream((_received, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const text = texts[at] ?? '';
      at += 1;
      for (let from = 0; from < text.length; from += 1_000)
        response.write(chunk({ content: text.slice(from, from + 1_000) }, null));
      response.write(chunk({}, 'stop'));
      const usage = { prompt_tokens: 1_000_000, completion_tokens: 1_000_000, total_tokens: 2_000_000 };
      response.end(`data: ${JSON.stringify({ ...EVENT, choices: [], usage })}\n\ndata: [DONE]\n\n`);
    });
    const priced = await startGateway({ vendors: vendorsAtUrl(vendor.url) });
    const page = await open(priced);
    await choose(page, 'openai/gpt-4.1', 'chat-completions');
    for (const text of texts) {
      await page.getByRole('link', { name: 'New chat' }).click();
      await say(page, `Say ${text.slice(0, 3)}`);
      expect(await last(page).locator('.markdown').count()).toBe(1);
      // OpenAI's prices: 2 dollars for a million tokens of input, 8 for one of output.
      expect(await last(page).locator('.meter').innerText()).toContain('$10.000000');
    }
    await page.context().close();
    await priced.close();
    await vendor.close();
  });

  test('Enter that ends an input composition does not send', async () => {
    const page = await open();
    await page.fill('#prompt', 'こんにちは');
    for (const how of [{ isComposing: true }, { keyCode: 229 }]) {
      await page.dispatchEvent('#prompt', 'keydown', { key: 'Enter', ...how });
      expect(await page.inputValue('#prompt')).toBe('こんにちは');
    }
    await page.dispatchEvent('#prompt', 'keydown', { key: 'Enter', keyCode: 13 });
    await expect.poll(() => page.inputValue('#prompt')).toBe('');
    await page.context().close();
  });

  test('right-to-left text is shown right to left, except code', async () => {
    const page = await open();
    await ask(page, 'openai/gpt-4.1', 'chat-completions', 'قل:\n\n- مرحبا GPT\n- one\n\n```\ncode\n```');
    const directions = await page.evaluate(
      "[...document.querySelectorAll('article.answer :is(li, pre)')].slice(0, 3).map((one) => getComputedStyle(one).direction)",
    );
    expect(directions).toEqual(['rtl', 'ltr', 'ltr']);
    expect(await page.evaluate("getComputedStyle(document.querySelector('article.user')).direction")).toBe(
      'rtl',
    );
    await page.context().close();
  });

  test('works by keyboard alone, in the dark and on a phone, where nothing is cut', async () => {
    const page = await open(gateway, { colorScheme: 'dark', viewport: { width: 390, height: 780 } });
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.focus('#prompt');
    await page.keyboard.type('play: long-text');
    await page.keyboard.press('Enter');
    await last(page).waitFor();
    await ended(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    // What was said before can be read again.
    while ((await page.evaluate('document.activeElement.id')) !== 'log')
      await page.keyboard.press('Shift+Tab');
    // How far its end is. Scrolling is smooth, so it takes a while to get there.
    const below = `(({ scrollHeight, clientHeight, scrollTop }) => scrollHeight - clientHeight - scrollTop)(document.activeElement)`;
    await page.keyboard.press('End');
    await expect.poll(async () => Number(await page.evaluate(below))).toBeLessThan(1);
    await page.keyboard.press('PageUp');
    await expect.poll(async () => Number(await page.evaluate(below))).toBeGreaterThan(100);
    await page.getByRole('article', { name: 'You' }).waitFor();
    await expectAccessible(page);
    await picture(page, 'chat-phone');
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Chat', exact: true }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await expectAccessible(page);
    await page.context().close();
  });

  test('has names and contrast for every reader, in light and dark, with dialogs and lists open', async () => {
    const page = await open(gateway, { colorScheme: 'light', viewport: { width: 1280, height: 860 } });
    await expectAccessible(page);
    await ask(
      page,
      'anthropic/claude-sonnet-4-5',
      'messages',
      'Show me a heading, a formula $e^{i\\pi} = -1$ and some code:\n\n```ts\nconst gateway: string = "open";\n```',
    );
    await page.getByRole('button', { name: 'Compare' }).click();
    await choose(page, 'google/gemini-2.5-flash', 'generate-content', ' 2');
    await say(page, 'play: thinking');
    for (const theme of ['light', 'dark']) {
      expect(await page.locator('html').getAttribute('data-theme')).toBe(theme);
      await expectAccessible(page);
      await picture(page, `chat-${theme}`);
      await page.getByRole('button', { name: 'Switch between light and dark' }).click();
    }
    await page.getByRole('combobox', { name: 'Model 1' }).click();
    await expectAccessible(page);
    await picture(page, 'models-light');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Offer the model tools').check();
    await page.getByLabel('Answer as JSON by a schema').check();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Settings' }).click();
    await last(page).getByRole('button', { name: 'Inspect' }).click();
    await page.getByRole('tab', { name: 'Request' }).press('ArrowRight');
    expect(await page.getByRole('tab', { selected: true }).innerText()).toBe('Code');
    await expectAccessible(page);
    await picture(page, 'inspector-light');
    await page.context().close();
  });

  describe('translation', () => {
    const REQUEST = {
      model: 'any',
      max_tokens: 900,
      system: 'Be brief.',
      top_k: 5,
      messages: [{ role: 'user', content: 'Hello!' }],
      metadata: { user_id: 'u1' },
    };

    test('says what any vendor is sent and what becomes of each field, as it is typed, and sends nothing', async () => {
      const page = await open(gateway, { viewport: { width: 1280, height: 1200 }, colorScheme: 'light' });
      await page.evaluate("location.hash = '#/translate'");
      const sent = page.getByRole('region', { name: 'What the vendor is sent' });
      await sent.getByText('claude-sonnet-5-5').first().waitFor();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      const fields = page.getByRole('region', { name: 'Fields' }).locator('tbody tr');
      expect(await fields.filter({ hasText: 'logit_bias' }).innerText()).toMatch(/dropped/);
      expect(await fields.filter({ hasText: 'reasoning_effort' }).innerText()).toMatch(/mapped/);

      await page.getByRole('textbox', { name: "The caller's request" }).fill(JSON.stringify(REQUEST));
      await page.getByText('guessed: messages').waitFor({ state: 'attached' });
      const field = page.getByRole('combobox', { name: 'Model to ask' });
      await field.click();
      await field.pressSequentially('google/gemini-2.5-flash');
      await page.keyboard.press('Enter');
      await expect.poll(() => sent.locator('pre').innerText()).toContain('"maxOutputTokens": 900');
      expect(await sent.locator('pre').innerText()).toContain('"topK": 5');
      expect(await fields.filter({ hasText: 'metadata' }).innerText()).toMatch(/dropped/);
      await sent.getByLabel('Vendor speaks').selectOption('chat-completions');
      await expect.poll(() => sent.locator('pre').innerText()).toContain('"role": "system"');

      // What is wrong with a request is said with its field, and half a request is no error of the page.
      await page
        .getByRole('textbox', { name: "The caller's request" })
        .fill(JSON.stringify({ ...REQUEST, max_tokens: 'many' }));
      await expect.poll(() => sent.getByRole('alert').innerText()).toContain('max_tokens');
      await page.getByRole('textbox', { name: "The caller's request" }).fill('{"model": "a", "mess');
      await expect.poll(() => sent.getByRole('alert').innerText()).toContain('not a JSON object');
      expect(asked.filter((url) => !url.includes('/console/'))).toEqual([]);
      expect(pages.problems()).toEqual([]);
      await page.context().close();
    });

    test('shows a stream in each format beside the others, event by event, and its address can be shared', async () => {
      const page = await open(gateway, { viewport: { width: 1280, height: 1200 }, colorScheme: 'light' });
      await page.evaluate("location.hash = '#/translate'");
      const rows = page.locator('.aligned tbody tr');
      await rows.nth(3).waitFor();
      expect(await rows.count()).toBe(11);
      const cells = (row: number) => rows.nth(row).locator('td').allInnerTexts();
      expect(await cells(0)).toEqual([
        expect.stringContaining('message_start'),
        '',
        expect.stringMatching(/response\.created[\s\S]*response\.in_progress/),
        '',
      ]);
      expect(await cells(2)).toEqual(
        ['content_block_delta', 'chat.completion.chunk', 'response.output_text.delta', 'candidates'].map(
          (text) => expect.stringContaining(text),
        ),
      );
      // The vendor's own words, in the vendor's format.
      await page.getByText('Paste a stream of the vendor').click();
      const chunkOf = (delta: object, finish: string | null) => chunk(delta, finish);
      const vendor = page.getByRole('region', { name: 'What the vendor is sent' });
      await vendor.getByLabel('Vendor speaks').selectOption('responses');
      await page.getByLabel('A stream of the vendor, in responses').waitFor();
      await vendor.getByLabel('Vendor speaks').selectOption('chat-completions');
      // The example in that format, which is written over. Until it is there, it may come between the two steps in which a
      // field is filled: its text is selected, and then replaced.
      await expect.poll(async () => (await cells(0))[0]).toContain('chat.completion.chunk');
      await page
        .getByLabel('A stream of the vendor, in chat-completions')
        .fill(
          `${chunkOf({ role: 'assistant', content: 'Pasted' }, null)}${chunkOf({}, 'stop')}data: [DONE]\n\n`,
        );
      await expect.poll(() => rows.count()).toBe(4);
      expect(await page.locator('.translation .error').count()).toBe(0);
      await expect.poll(() => page.url()).toMatch(/#\/translate\/[\w-]{100,}$/);
      await expectAccessible(page);

      await page.getByRole('button', { name: 'Copy a link to this' }).click();
      await page.getByText('Copied').waitFor();
      const other = await pages.open(String(await page.evaluate('navigator.clipboard.readText()')));
      const shared = other.locator('.aligned tbody tr');
      await expect.poll(() => shared.first().innerText()).toContain('Pasted');
      expect(await other.getByLabel('Vendor speaks').inputValue()).toBe('chat-completions');
      await other.context().close();
      expect(pages.problems()).toEqual([]);
      await page.context().close();
    });

    test('looks well in the light, in the dark and on a phone', async () => {
      const page = await open(gateway, { viewport: { width: 1280, height: 1200 }, colorScheme: 'light' });
      await page.evaluate("location.hash = '#/translate'");
      await page.locator('.aligned tbody tr').nth(3).waitFor();
      await expectAccessible(page);
      await picture(page, 'translate-light');
      await page.getByRole('button', { name: 'Switch between light and dark' }).click();
      await expectAccessible(page);
      await picture(page, 'translate-dark');
      await page.setViewportSize({ width: 390, height: 780 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
      await picture(page, 'translate-phone');
      await page.context().close();
    });
  });

  test('loads little at first, and what it loads is cached', async () => {
    const html = await (await fetch(`${gateway.url}/`)).text();
    const linked = [...html.matchAll(/ (?:href|src)="\.(\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(linked.length).toBeGreaterThan(2);
    let bytes = gzipSync(html).length;
    for (const path of linked) {
      const file = await fetch(gateway.url + path, { headers: { 'accept-encoding': 'gzip' } });
      expect([path, file.status]).toEqual([path, 200]);
      expect(file.headers.get('cache-control')).toContain('immutable');
      bytes += gzipSync(await file.bytes()).length;
      const etag = file.headers.get('etag') ?? '';
      const headers = { 'accept-encoding': 'gzip', 'if-none-match': etag };
      expect((await fetch(gateway.url + path, { headers })).status).toBe(304);
    }
    expect(bytes).toBeLessThan(FIRST_LOAD);
    // What the page loads by itself, before anything is asked, is in that.
    const page = await browser.newPage();
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    await page.goto(gateway.url, { waitUntil: 'networkidle' });
    expect(loaded.filter((path) => path !== '/' && !linked.includes(path))).toEqual([]);
    await page.close();
  });

  test('the page allows no inline code and nothing from other origins', async () => {
    const response = await fetch(`${gateway.url}/`);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain('unsafe');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(await response.text()).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=|https?:\/\//);
    for (const path of ['/console/../package.json', '/console/%2e%2e/index.html', '/console/', '/index.html'])
      expect([path, (await fetch(gateway.url + path)).status]).toEqual([path, 404]);
  });
});

const EVENT = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'gpt-4.1' };

function chunk(delta: object, finish: string | null): string {
  return `data: ${JSON.stringify({ ...EVENT, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
}
