/** The playground in a real browser, before the sandbox and before a vendor that means harm. */

import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { getPort } from '../../src/upstream/net/bind.ts';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { startUpstream, type TestUpstream } from '../support/upstream.ts';
import { hasChromium, launch, STORAGE } from './chromium.ts';
import { prefixed } from './prefixed.ts';

/** Where `SCREENSHOTS=folder` puts pictures of what the tests see. */
const SHOTS = process.env['SCREENSHOTS'];

describe.runIf(hasChromium())('playground', () => {
  let browser: Browser;
  let gateway: TestGateway;

  beforeAll(async () => {
    browser = await launch();
    gateway = await startGateway();
  });
  afterAll(async () => {
    await browser.close();
    await gateway.close();
  });

  const problems: string[] = [];
  beforeEach(() => {
    problems.length = 0;
  });

  async function open(
    at: { readonly url: string } = gateway,
    options: Parameters<Browser['newContext']>[0] = {},
  ): Promise<Page> {
    const context = await browser.newContext({
      permissions: ['clipboard-read', 'clipboard-write'],
      ...options,
    });
    return openIn(context, at);
  }

  async function openIn(context: BrowserContext, at: { readonly url: string }): Promise<Page> {
    const page = await context.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    await page.goto(`${at.url}/#key=${KEY}`);
    await page.locator('#models option').first().waitFor({ state: 'attached' });
    return page;
  }

  async function ask(page: Page, model: string, format: string, prompt: string): Promise<void> {
    const answers = await page.locator('article.assistant').count();
    await page.fill('#model', model);
    await page.dispatchEvent('#model', 'change');
    await page.selectOption('#format', format);
    await page.fill('#prompt', prompt);
    await page.press('#prompt', 'Enter');
    await page.locator('article.assistant').nth(answers).waitFor();
    await page.locator('#send').waitFor({ state: 'visible' });
  }

  async function shot(page: Page, name: string): Promise<void> {
    if (SHOTS === undefined) return;
    mkdirSync(SHOTS, { recursive: true });
    await page.screenshot({ path: join(SHOTS, `${name}.png`) });
  }

  const last = (page: Page) => page.locator('article.assistant').last();

  test.each([
    ['openai/gpt-4.1', 'chat-completions'],
    ['openai/gpt-5.4', 'responses'],
    ['anthropic/claude-sonnet-4-5', 'chat-completions'],
    ['anthropic/claude-sonnet-4-5', 'messages'],
    ['google/gemini-2.5-flash', 'messages'],
    ['google/gemini-2.5-flash', 'responses'],
    ['google/gemini-2.5-flash', 'generate-content'],
    ['deepseek/deepseek-v4-flash', 'messages'],
  ])('%s by %s: a dialogue with thoughts, text, tokens and their cost', async (model, format) => {
    const page = await open();
    await ask(page, model, format, 'play: thinking');
    const answer = last(page);
    await expect.poll(() => answer.locator('.markdown').innerText()).toContain('letters');
    const meter = await answer.locator('.meter').innerText();
    expect(meter).toMatch(/first token .*total .*in, \d+ out.*simulated: \$0/s);
    await ask(page, model, format, 'play: plain-text');
    await expect.poll(() => last(page).locator('.markdown').innerText()).toContain('sandbox');
    expect(await page.locator('.error').count()).toBe(0);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test.each([
    ['anthropic/claude-sonnet-4-5', 'chat-completions'],
    ['openai/gpt-4.1', 'messages'],
    ['google/gemini-2.5-flash', 'generate-content'],
    ['google/gemini-3.5-flash', 'generate-content'],
    ['anthropic/claude-sonnet-4-5', 'responses'],
  ])('%s by %s: a tool is called, answered by hand, and the dialogue goes on', async (model, format) => {
    const page = await open();
    await page.click('#settings-toggle');
    await page.check('#tools');
    await page.click('#settings-toggle');
    await ask(page, model, format, 'What is the weather in Lisbon?');
    const call = last(page).locator('.call').first();
    expect(await call.innerText()).toContain('get_weather');
    await last(page).locator('form.call input').fill('{"temperature":21}');
    await last(page).locator('form.call button').click();
    await expect.poll(() => page.locator('article.assistant').count()).toBe(2);
    await expect.poll(() => last(page).innerText()).toContain('21');
    expect(await page.locator('.error').count()).toBe(0);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('copies the request that was sent or would be sent, with the variable that the page says to set', async () => {
    const page = await open();
    const bodies: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') bodies.push(request.postData() ?? '');
    });
    const copied = async (): Promise<{ body: unknown; text: string }> => {
      await page.click('#copy');
      const text = await page.evaluate<string>('navigator.clipboard.readText()');
      return { body: JSON.parse(/ -d '(.*)'\n$/s.exec(text)?.[1] ?? ''), text };
    };
    await page.selectOption('#snippet', 'curl');
    await ask(page, 'anthropic/claude-sonnet-4-5', 'messages', 'play: plain-text');
    await expect.poll(() => page.locator('#stop').isHidden()).toBe(true);
    const first = await copied();
    expect(first.body).toEqual(JSON.parse(bodies[0] ?? ''));
    expect(first.text).toMatch(/^# Your key of this gateway: export KEY=gw_…\ncurl /);
    expect(first.text).toContain('"x-api-key: $KEY"');
    expect(await page.locator('#copied').innerText()).toContain('export KEY=gw_…');
    // With other settings since, it is still what was sent; with words, what would be sent.
    await page.fill('#model', 'openai/gpt-5.4');
    await page.locator('#prompt').focus();
    expect((await copied()).body).toEqual(first.body);
    await page.fill('#prompt', 'And now?');
    const next = await copied();
    await page.press('#prompt', 'Enter');
    await expect.poll(() => bodies.length).toBe(2);
    expect(next.body).toEqual(JSON.parse(bodies[1] ?? ''));
    await expect.poll(() => page.locator('#stop').isHidden()).toBe(true);
    // Of a new chat nothing was sent yet.
    await page.click('#new');
    expect(JSON.stringify((await copied()).body)).toContain('Hello!');
    for (const [kind, hint] of [
      ['javascript', '// Your key of this gateway: export KEY=gw_…'],
      ['python', '# Your key of this gateway: export KEY=gw_…'],
    ] as const) {
      await page.selectOption('#snippet', kind);
      await page.click('#copy');
      const text = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(text.startsWith(hint)).toBe(true);
      expect(text).not.toContain('GATEWAY_API_KEY');
    }
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('offers the settings of the chosen model, and shows no price for simulated answers', async () => {
    const page = await open();
    const efforts = () => page.locator('#effort option').allInnerTexts();
    const choose = async (model: string): Promise<void> => {
      await page.fill('#model', model);
      await page.locator('#prompt').focus();
    };
    await choose('anthropic/claude-sonnet-5-5');
    expect(await efforts()).toEqual(['model default', 'low', 'medium', 'high', 'xhigh', 'max']);
    expect(await page.locator('#temperature').isDisabled()).toBe(true);
    await page.click('#settings-toggle');
    await page.selectOption('#effort', 'high');
    await page.click('#settings-toggle');
    await ask(page, 'anthropic/claude-sonnet-5-5', 'messages', 'play: thinking');
    await expect.poll(() => last(page).innerText()).toContain('simulated: $0');
    expect(await page.locator('.error').count()).toBe(0);
    await choose('openai/gpt-4.1');
    expect(await efforts()).toEqual(['model default']);
    expect(await page.locator('#effort').isDisabled()).toBe(true);
    expect(await page.locator('#temperature').isDisabled()).toBe(false);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('works below a path of a proxy, and so does its code', async () => {
    const url = await prefixed(gateway.url);
    for (const at of [url, `${url}/playground`]) {
      const page = await open({ url: at });
      expect(await page.evaluate('document.styleSheets.length')).toBe(2);
      await ask(page, 'anthropic/claude-sonnet-4-5', 'messages', 'play: plain-text');
      await expect.poll(() => last(page).locator('.markdown').innerText()).toContain('sandbox');
      await page.selectOption('#snippet', 'curl');
      await page.click('#copy');
      expect(await page.evaluate('navigator.clipboard.readText()')).toContain(`curl -N ${url}/v1/messages `);
      expect(problems).toEqual([]);
      await page.context().close();
    }
  });

  test('a user who replies in words instead of a tool result is no longer asked for the result', async () => {
    const page = await open();
    await page.click('#settings-toggle');
    await page.check('#tools');
    await ask(page, 'openai/gpt-4.1', 'chat-completions', 'What is the weather in Lisbon?');
    await page.locator('form.call').waitFor();
    await ask(page, 'openai/gpt-4.1', 'chat-completions', 'Never mind.');
    expect(await page.locator('form.call').count()).toBe(0);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('a dialogue continues in another format and with another model', async () => {
    const page = await open();
    await ask(page, 'anthropic/claude-sonnet-4-5', 'messages', 'play: thinking');
    await ask(page, 'google/gemini-2.5-flash', 'generate-content', 'play: thinking');
    await ask(page, 'openai/gpt-4.1', 'responses', 'And now you.');
    await ask(page, 'anthropic/claude-sonnet-4-5', 'messages', 'And you again.');
    expect(await page.locator('.error').count()).toBe(0);
    await shot(page, 'playground-dialogue');
    await page.context().close();
  });

  test('offers generate-content for models of Google only', async () => {
    const page = await open();
    const offered = () => page.locator('#format option').allInnerTexts();
    await page.fill('#model', 'google/gemini-2.5-flash');
    await page.dispatchEvent('#model', 'change');
    expect(await offered()).toContain('generate-content');
    await page.fill('#model', 'openai/gpt-4.1');
    await page.dispatchEvent('#model', 'change');
    expect(await offered()).not.toContain('generate-content');
    await page.context().close();
  });

  test('offers it for all models if the configuration says so', async () => {
    const everyones = await startGateway({ generateContent: { models: 'all' } });
    try {
      const page = await open(everyones);
      await ask(page, 'anthropic/claude-sonnet-4-5', 'generate-content', 'Who are you?');
      await expect.poll(() => last(page).innerText()).toContain('Who are you?');
      await ask(page, 'anthropic/claude-sonnet-4-5', 'generate-content', 'And now?');
      await expect.poll(() => last(page).innerText()).toContain('And now?');
      await shot(page, 'everyones');
      expect(problems).toEqual([]);
      await page.context().close();
    } finally {
      await everyones.close();
    }
  });

  test('the key is removed from the address bar, and a wrong one gets an error', async () => {
    const page = await open();
    expect(page.url()).not.toContain(KEY);
    await page.fill('#key', 'gw-wrong', { force: true }).catch(() => undefined);
    await page.click('#settings-toggle');
    await page.fill('#key', 'gw-wrong');
    await page.dispatchEvent('#key', 'change');
    await expect.poll(() => page.locator('.welcome').innerText()).toContain('401');
    await page.fill('#key', KEY);
    await page.dispatchEvent('#key', 'change');
    await expect.poll(() => page.locator('#status').innerText()).toMatch(/^\d+ models$/);
    expect(await page.locator('.welcome').innerText()).not.toContain('401');
    await page.fill('#key', '');
    await page.dispatchEvent('#key', 'change');
    await page.reload();
    expect(await page.locator('#key').inputValue()).toBe('');
    await page.context().close();
  });

  test.each(Object.entries(STORAGE))('works if storage is %s', async (_, script) => {
    const context = await browser.newContext({ colorScheme: 'light' });
    await context.addInitScript(script);
    const page = await openIn(context, gateway);
    await ask(page, 'openai/gpt-4.1', 'chat-completions', 'play: plain-text');
    await page.click('#theme');
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    expect(problems).toEqual([]);
    await context.close();
  });

  test('the request can be copied as curl and as SDK code, without the key', async () => {
    const page = await open();
    for (const [model, format, needle] of [
      ['anthropic/claude-sonnet-4-5', 'messages', '/v1/messages'],
      ['google/gemini-2.5-flash', 'generate-content', ':streamGenerateContent?alt=sse'],
      ['openai/gpt-4.1', 'responses', '/v1/responses'],
      ['openai/gpt-4.1', 'chat-completions', '/v1/chat/completions'],
    ] as const) {
      await page.fill('#model', model);
      await page.dispatchEvent('#model', 'change');
      await page.selectOption('#format', format);
      await page.fill('#prompt', `It's "quoted".`);
      for (const kind of ['curl', 'javascript', 'python']) {
        await page.selectOption('#snippet', kind);
        await page.click('#copy');
        const copied = await page.evaluate('navigator.clipboard.readText()');
        expect(copied).toContain(gateway.url);
        expect(copied).not.toContain(KEY);
        if (kind === 'curl') expect(copied).toContain(needle);
      }
    }
    await page.context().close();
  });

  test('the request can be copied from a page served over plain HTTP by another machine', async () => {
    const page = await open();
    // Browsers hide it there.
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.fill('#prompt', 'Copy me.');
    await page.click('#copy');
    await expect.poll(() => page.locator('#copy').innerText()).toBe('Copied');
    expect(await page.evaluate('document.activeElement.id')).toBe('copy');
    await page.fill('#prompt', '');
    await page.press('#prompt', 'Control+V');
    expect(await page.inputValue('#prompt')).toMatch(/^# .*\ncurl -N [\s\S]*Copy me\./);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('an answer and each of its code blocks can be copied', async () => {
    const page = await open();
    await ask(page, 'openai/gpt-4.1', 'messages', 'play: long-text');
    const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()');
    await last(page).getByRole('button', { name: 'Copy the answer' }).click();
    const said = await clipboard();
    expect(said.length).toBeGreaterThan(200);
    expect(await last(page).locator('.after').innerText()).toContain('Copied');

    await ask(
      page,
      'openai/gpt-4.1',
      'messages',
      'Say exactly:\n```js\nlet a = 1;\nlet b;\n```\nThat is all.',
    );
    const code = last(page).locator('.fence').first();
    if ((await code.count()) === 0) throw new Error(await last(page).innerText());
    await code.hover();
    await code.getByRole('button', { name: 'Copy the code' }).click();
    expect(await clipboard()).toBe(await code.locator('code').innerText());
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('the last answer can be regenerated by another model in another format', async () => {
    const page = await open();
    await ask(page, 'openai/gpt-4.1', 'chat-completions', 'play: plain-text');
    await ask(page, 'openai/gpt-4.1', 'chat-completions', 'play: thinking');
    // Of what the dialogue has passed, there is no other answer.
    expect(await page.getByRole('button', { name: 'Ask again' }).count()).toBe(1);
    await page.fill('#model', 'anthropic/claude-sonnet-4-5');
    await page.dispatchEvent('#model', 'change');
    await page.selectOption('#format', 'messages');
    const asked = page.waitForRequest(/\/v1\/messages/);
    await page.getByRole('button', { name: 'Ask again' }).click();
    const body = (await asked).postDataJSON();
    await page.locator('#send').waitFor({ state: 'visible' });
    expect(body.messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(await page.locator('article.user').count()).toBe(2);
    expect(await page.locator('article.assistant').count()).toBe(2);
    expect(await last(page).locator('.by').innerText()).toBe('anthropic/claude-sonnet-4-5 · messages');
    await shot(page, 'playground-again');

    // A failed one too.
    await page.fill('#model', 'openai/none');
    await page.dispatchEvent('#model', 'change');
    await page.getByRole('button', { name: 'Ask again' }).click();
    await last(page).locator('.error').waitFor();
    await page.fill('#model', 'openai/gpt-4.1');
    await page.dispatchEvent('#model', 'change');
    await page.getByRole('button', { name: 'Ask again' }).click();
    await expect.poll(() => last(page).locator('.meter').innerText()).toContain('total');
    expect(await page.locator('.error').count()).toBe(0);
    await page.context().close();
  });

  test('the model field is empty while it has focus, so that all models are offered, and keeps its model', async () => {
    const page = await open();
    const field = page.locator('#model');
    await page.fill('#model', 'google/gemini-2.5-flash');
    await page.press('#model', 'Tab');
    await page.selectOption('#format', 'generate-content');
    await page.click('#model');
    expect(await field.inputValue()).toBe('');
    expect(await field.getAttribute('placeholder')).toBe('google/gemini-2.5-flash');
    await page.keyboard.type('claude');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.keyboard.press('Tab');
    expect(await field.inputValue()).toBe('google/gemini-2.5-flash');
    expect(await page.locator('#format').inputValue()).toBe('generate-content');

    await page.click('#model');
    await page.keyboard.type('openai/gpt-4.1');
    await page.keyboard.press('Tab');
    expect(await field.inputValue()).toBe('openai/gpt-4.1');
    expect(await page.locator('#format').inputValue()).toBe('chat-completions');
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('without a key it asks for the key, and the whole page is visible', async () => {
    const context = await browser.newContext({ viewport: { width: 360, height: 640 } });
    const page = await context.newPage();
    await page.goto(gateway.url);
    await page.locator('#settings').waitFor({ state: 'visible' });
    expect(await page.evaluate('document.activeElement.id')).toBe('key');
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(640);
    await page.keyboard.type(KEY);
    await page.keyboard.press('Enter');
    await page.locator('#models option').first().waitFor({ state: 'attached' });
    // The longest of the formats can be read.
    const cut = `(() => {
      const select = document.querySelector('#format');
      const whole = select.cloneNode(true);
      whole.style.width = 'auto';
      select.after(whole);
      const missing = whole.offsetWidth - select.offsetWidth;
      whole.remove();
      return missing;
    })()`;
    expect(await page.evaluate(cut)).toBeLessThanOrEqual(0);
    await context.close();
  });

  test.each([
    ['openai/gpt-4.1', 'chat-completions', 'length'],
    ['openai/gpt-4.1', 'responses', 'max_output_tokens'],
    ['anthropic/claude-sonnet-4-5', 'messages', 'max_tokens'],
    ['google/gemini-2.5-flash', 'generate-content', 'MAX_TOKENS'],
  ])('an answer of %s by %s that is cut off is marked as such', async (model, format, reason) => {
    const page = await open();
    await ask(page, model, format, 'play: length');
    await expect.poll(() => last(page).locator('.meter').innerText()).toContain(`stop reason: ${reason}`);
    await ask(page, model, format, 'play: plain-text');
    expect(await last(page).locator('.meter').innerText()).not.toContain('stop reason');
    await page.context().close();
  });

  test('the error of an answer is visible', async () => {
    const page = await open(gateway, { viewport: { width: 1180, height: 520 } });
    for (const model of ['openai/gpt-4.1', 'openai/gpt-4.1', 'openai/nothing'])
      await ask(page, model, 'chat-completions', 'play: plain-text');
    await last(page).locator('.error').waitFor();
    const below = `(() => {
      const log = document.querySelector('#log');
      return log.scrollHeight - log.scrollTop - log.clientHeight;
    })()`;
    expect(await page.evaluate(below)).toBeLessThanOrEqual(1);
    await page.context().close();
  });

  test.each(['chat-completions', 'responses', 'messages'])(
    'an answer by %s that fails midway is reported as failed, once, and its text stays in the dialogue',
    async (format) => {
      const line = (type: string, event: object): string =>
        `event: ${type}\ndata: ${JSON.stringify({ type, ...event })}\n\n`;
      const begun = Promise.withResolvers<ServerResponse>();
      const vendor = await startUpstream((_received, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const usage = { input_tokens: 1, output_tokens: 1 };
        const message = {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'claude',
          content: [],
          usage,
        };
        response.write(line('message_start', { message }));
        const block = { type: 'text', text: '' };
        response.write(line('content_block_start', { index: 0, content_block: block }));
        const delta = { type: 'text_delta', text: 'It begins well' };
        response.write(line('content_block_delta', { index: 0, delta }));
        begun.resolve(response);
      });
      const failing = await startGateway({ vendors: vendorsAtUrl(vendor.url) });
      const page = await open(failing);
      await page.fill('#model', 'anthropic/claude-sonnet-4-5');
      await page.selectOption('#format', format);
      await page.fill('#prompt', 'Hello!');
      await page.press('#prompt', 'Enter');
      const response = await begun.promise;
      await expect.poll(() => last(page).innerText()).toContain('It begins well');
      response.end(line('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }));
      await expect.poll(() => page.locator('#status').innerText()).toBe('Failed: Overloaded');
      expect(await last(page).locator('.error').allInnerTexts()).toEqual(['Overloaded']);
      // The next request has the dialogue so far.
      await page.fill('#prompt', 'Go on.');
      await page.click('#copy');
      expect(await page.evaluate('navigator.clipboard.readText()')).toContain('It begins well');
      await page.context().close();
      await failing.close();
      await vendor.close();
    },
  );

  test('an unreachable gateway is reported in plain words, not with the error of the browser', async () => {
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
    }).listen(0, '127.0.0.1');
    await once(between, 'listening');
    const page = await open({ url: `http://127.0.0.1:${getPort(between)}` });
    await page.fill('#prompt', 'Hello!');
    await page.press('#prompt', 'Enter');
    const response = await begun.promise;
    await expect.poll(() => last(page).innerText()).toContain('It begins well');
    response.destroy();
    await expect
      .poll(() => last(page).locator('.error').allInnerTexts())
      .toEqual(['The connection to the gateway broke off.']);
    between.closeAllConnections();
    between.close();
    await page.fill('#prompt', 'Hello again!');
    await page.press('#prompt', 'Enter');
    await expect
      .poll(() => last(page).locator('.error').allInnerTexts())
      .toEqual(['The gateway cannot be reached.']);
    await page.context().close();
  });

  test('works by keyboard alone, in dark mode, and on a phone', async () => {
    const page = await open(gateway, { colorScheme: 'dark', viewport: { width: 390, height: 780 } });
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.keyboard.type('play: long-text');
    await page.keyboard.press('Enter');
    await last(page).waitFor();
    await page.locator('#send').waitFor({ state: 'visible' });
    const wide = await page.evaluate('document.documentElement.scrollWidth');
    expect(wide).toBeLessThanOrEqual(390);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.id')).toBe('send');
    // What was said before can be read again, and whose words it is can be heard.
    while ((await page.evaluate('document.activeElement.id')) !== 'log')
      await page.keyboard.press('Shift+Tab');
    const top = 'document.activeElement.scrollTop';
    const end = Number(await page.evaluate(top));
    await page.keyboard.press('PageUp');
    await expect.poll(async () => Number(await page.evaluate(top))).toBeLessThan(end);
    expect(await page.getByRole('article', { name: 'You' }).innerText()).toBe('play: long-text');
    await page.getByRole('article', { name: /chat-completions/ }).waitFor();
    // Scrolling is smooth: the screenshot is taken at its end.
    await page.keyboard.press('End');
    await expect.poll(async () => Number(await page.evaluate(top))).toBeGreaterThanOrEqual(end);
    await page.locator('#prompt').focus();
    await shot(page, 'playground-phone');
    await page.context().close();
  });

  test('Enter that ends an input composition does not send', async () => {
    const page = await open();
    await page.fill('#prompt', 'こんにちは');
    for (const how of [{ isComposing: true }, { keyCode: 229 }]) {
      await page.dispatchEvent('#prompt', 'keydown', { key: 'Enter', ...how });
      expect(await page.inputValue('#prompt')).toBe('こんにちは');
    }
    await page.dispatchEvent('#prompt', 'keydown', { key: 'Enter', keyCode: 13 });
    expect(await page.inputValue('#prompt')).toBe('');
    await page.context().close();
  });

  test('screenshots in light and dark mode, for the README', async () => {
    const page = await open(gateway, { colorScheme: 'light', viewport: { width: 1180, height: 820 } });
    await ask(page, 'anthropic/claude-sonnet-4-5', 'chat-completions', 'play: thinking');
    await page.click('#settings-toggle');
    await page.check('#tools');
    await page.click('#settings-toggle');
    await ask(page, 'google/gemini-2.5-flash', 'messages', 'What is the weather in Lisbon?');
    await shot(page, 'playground-light');
    await page.click('#theme');
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await shot(page, 'playground-dark');
    await page.context().close();
  });

  /** Shows text as an answer of a model is shown. @returns what is then to be read, or what `read` says of it. */
  async function shown(page: Page, text: string, read = 'host.innerText'): Promise<unknown> {
    return page.evaluate(`import('/playground/markdown.js').then(({ markdownView }) => {
      const host = document.body.appendChild(document.createElement('div'));
      const add = markdownView(host);
      for (const piece of ${JSON.stringify(text)}.match(/[^]{1,1000}/g)) add(piece);
      return ${read};
    })`);
  }

  test('lists accept every line end, and may contain other line separators', async () => {
    const page = await open();
    expect(await shown(page, '- one\r\n- two\r\n  - three\r\n\r\n- a\u2028b\n- c')).toMatch(
      /^one\s+two\s+three\s+a\s+b\s+c$/,
    );
    const list = await shown(page, '1. **one**\r\n2. two\r\n', 'host.innerHTML');
    expect(list).toBe('<ol dir="auto"><li><strong>one</strong></li><li>two</li></ol>');
    expect(await shown(page, '# One\r\n## Two\r\nand three', 'host.innerHTML')).toBe(
      '<h3 dir="auto">One</h3><h3 dir="auto">Two</h3><p dir="auto">and three</p>',
    );
    await page.context().close();
  });

  test('a list, a quote and a table may follow text directly, as models write them', async () => {
    const page = await open();
    const html = (text: string) => shown(page, text, "host.innerHTML.replaceAll(' dir=\"auto\"', '')");
    expect(await html('Here:\n- one\n- two')).toBe('<p>Here:</p><ul><li>one</li><li>two</li></ul>');
    expect(await html('Here:\n- one')).toBe('<p>Here:</p><ul><li>one</li></ul>');
    expect(await html('So:\n1. one\n2. two\n\nEnd')).toBe(
      '<p>So:</p><ol><li>one</li><li>two</li></ol><p>End</p>',
    );
    expect(await html('He said:\n> no\n> never')).toBe(
      '<p>He said:</p><blockquote><p>no<br>never</p></blockquote>',
    );
    expect(await html('See\nthis:\n| a | b |\n|---|---|\n| 1 | 2 |')).toBe(
      '<p>See<br>this:</p><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>',
    );
    expect(await html('- one:\n  so\n  - two\n- three')).toBe(
      '<ul><li>one:<br>so<ul><li>two</li></ul></li><li>three</li></ul>',
    );
    for (const text of ['It was in\n1986. A great year', 'a\n-1 is less\nb | c', '```\ntext\n- no item\n```'])
      expect(await html(text), text).not.toMatch(/<(?:ul|ol|table)/);
    await page.context().close();
  });

  test('inline Markdown as models write it', async () => {
    const page = await open();
    for (const [text, html] of [
      ['***both*** and **so *on***', '<em><strong>both</strong></em> and <strong>so <em>on</em></strong>'],
      ['__strong__ and snake__case__word', '<strong>strong</strong> and snake__case__word'],
      ['~~gone~~ and a ~ b', '<del>gone</del> and a ~ b'],
      ['2 \\* 3 \\* 4, \\_x\\_, \\`y\\`', '2 * 3 * 4, _x_, `y`'],
      ['\\(x\\) and `\\*`', '\\(x\\) and <code>\\*</code>'],
      ['**a** b **c**', '<strong>a</strong> b <strong>c</strong>'],
    ])
      expect(await shown(page, text ?? '', "host.querySelector('p').innerHTML"), text).toBe(html);
    const links = "[...host.querySelectorAll('a')].map((a) => a.getAttribute('href') + ' ' + a.textContent)";
    expect(
      await shown(page, 'See https://a.example/b_c?d=1. (http://e.example/f), `https://g.example`', links),
    ).toEqual([
      'https://a.example/b_c?d=1 https://a.example/b_c?d=1',
      'http://e.example/f http://e.example/f',
    ]);
    await page.context().close();
  });

  test('right-to-left text is shown right to left, except code, and a question stays on its side', async () => {
    const page = await open();
    const text = '- مرحبا GPT\n- one\n\nHello مرحبا\n\n> שלום\n>\n> ```\n> code\n> ```\n';
    const directions = await shown(
      page,
      text,
      "[...host.querySelectorAll('li, p, pre')].map((element) => getComputedStyle(element).direction)",
    );
    expect(directions).toEqual(['rtl', 'rtl', 'ltr', 'rtl', 'ltr']);
    await page.fill('#prompt', 'مرحبا!');
    const direction = "getComputedStyle(document.querySelector('#prompt')).direction";
    expect(await page.evaluate(direction)).toBe('rtl');
    await ask(page, 'openai/gpt-4.1', 'chat-completions', 'مرحبا!');
    const [question, answer] = await Promise.all([
      page.locator('article.user').boundingBox(),
      last(page).boundingBox(),
    ]);
    if (!question || !answer) throw new Error('They are not in sight.');
    expect(question.x + question.width).toBeCloseTo(answer.x + answer.width, 0);
    await page.context().close();
  });

  test.each([
    ['quotes', '>'.repeat(20_000)],
    ['headings', '# a\n'.repeat(5_000)],
    ['code that never ends', `a ${'`'.repeat(300_000)}`],
    ['words that are never over', '*a '.repeat(100_000)],
    ['links that are none', '['.repeat(300_000)],
  ])('a model that goes on with %s does not end the page', async (_, text) => {
    const page = await open();
    expect(String(await shown(page, text))).not.toBe('');
    await page.context().close();
  });

  test('an answer of a vendor shows its price', async () => {
    const vendor = await startUpstream((_received, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunk({ role: 'assistant', content: 'Hello!' }, null));
      response.write(chunk({}, 'stop'));
      const usage = { prompt_tokens: 1_000_000, completion_tokens: 1_000_000, total_tokens: 2_000_000 };
      response.end(
        `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'gpt-4.1', choices: [], usage })}\n\ndata: [DONE]\n\n`,
      );
    });
    const priced = await startGateway({ vendors: vendorsAtUrl(vendor.url) });
    const page = await open(priced);
    await ask(page, 'openai/gpt-4.1', 'chat-completions', 'Hello!');
    // OpenAI's prices: 2 dollars for a million tokens of input, 8 for one of output.
    await expect.poll(() => last(page).locator('.meter').innerText()).toContain('$10.000000');
    await page.context().close();
    await priced.close();
    await vendor.close();
  });

  test('Markdown that would load or run something stays text or a link', async () => {
    const page = await open();
    const html = (text: string) => shown(page, text, "host.innerHTML.replaceAll(' dir=\"auto\"', '')");
    const attributes = 'rel="noopener noreferrer nofollow" target="_blank"';
    expect(await html('![a cat](https://e.example/cat.png)')).toBe(
      `<p><a href="https://e.example/cat.png" ${attributes}>a cat</a></p>`,
    );
    expect(await html('[x](data:text/html,y) <https://f.example> <b>**z**</b>')).toBe(
      `<p>[x](data:text/html,y) <a href="https://f.example" ${attributes}>https://f.example</a> &lt;b&gt;<strong>z</strong>&lt;/b&gt;</p>`,
    );
    expect(await html('<div>\n**a**\n</div>')).toBe(
      '<p>&lt;div&gt;<br><strong>a</strong><br>&lt;/div&gt;</p>',
    );
    expect(await html('| a | b |\n|:-:|--:|\n| 1 | 2 |')).toContain('text-align: center');
    expect(await html('- [x] done\n- [ ] not yet')).toBe('<ul><li>☑ done</li><li>☐ not yet</li></ul>');
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('text that arrives letter by letter is shown like the same text at once', async () => {
    const page = await open();
    const text =
      'Intro:\r\n- a\r\n- b\r\n\r\n- c\n\n1. x\n2. y\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nTitle\n===\n\n```js\nlet a;\n\n- b\n```\n> q\nlazy\n\nEnd **bold**';
    const whole = await shown(page, text, 'host.innerHTML');
    const pieces = await page.evaluate(`import('/playground/markdown.js').then(({ markdownView }) => {
      const host = document.body.appendChild(document.createElement('div'));
      const add = markdownView(host);
      for (const piece of ${JSON.stringify(text)}) add(piece);
      return host.innerHTML;
    })`);
    expect(pieces).toBe(whole);
    expect(whole).toContain('<pre><code>let a;\n\n- b</code></pre>');
    await page.context().close();
  });

  test('thousands of words at once, in one code block, do not block the page', async () => {
    const words = 20_000;
    const vendor = await startUpstream((_received, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunk({ role: 'assistant', content: '```\n' }, null));
      for (let at = 0; at < words; at += 1) response.write(chunk({ content: `word${at} ` }, null));
      response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
    });
    const fast = await startGateway({ vendors: vendorsAtUrl(vendor.url) });
    const page = await open(fast);
    await ask(page, 'openai/gpt-4.1', 'chat-completions', 'Hello!');
    expect(await last(page).locator('pre').innerText()).toMatch(new RegExp(`^word0 .* word${words - 1} ?$`));
    await page.context().close();
    await fast.close();
    await vendor.close();
  });

  describe('with a malicious vendor', () => {
    let vendor: TestUpstream;
    let harmed: TestGateway;
    const harm =
      '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script> ' +
      '[click](javascript:document.title="owned") `<b>code</b>` **<i>bold</i>**';

    beforeAll(async () => {
      vendor = await startUpstream((_received, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(chunk({ role: 'assistant', content: '' }, null));
        for (const piece of harm.match(/.{1,7}/gs) ?? []) response.write(chunk({ content: piece }, null));
        // The rest never comes: the reader has to stop it.
      });
      harmed = await startGateway({ vendors: vendorsAtUrl(vendor.url) });
    });
    afterAll(async () => {
      await harmed.close();
      await vendor.close();
    });

    test("a model's text stays text, and generation can be stopped", async () => {
      const page = await open(harmed);
      const closed = vendor.closed();
      await page.fill('#model', 'openai/gpt-4.1');
      await page.dispatchEvent('#model', 'change');
      await page.fill('#prompt', 'Harm me.');
      await page.press('#prompt', 'Enter');
      await expect.poll(() => last(page).innerText()).toContain('onerror');
      await expect.poll(() => last(page).innerText()).toContain('<i>bold</i>');
      expect(await last(page).locator('img, script, b, i, a').count()).toBe(0);
      expect(await page.title()).toBe('Gateway playground');
      await page.keyboard.press('Escape');
      await closed;
      await expect.poll(() => last(page).innerText()).toContain('Stopped.');
      expect(problems).toEqual([]);
      await page.context().close();
    });
  });

  test('the page allows no inline code and nothing from other origins', async () => {
    const response = await fetch(`${gateway.url}/`);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain('unsafe');
    const html = await response.text();
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=|https?:\/\//);
    for (const path of ['/playground/main.js', '/playground/style.css', '/playground/formats/messages.js']) {
      const asset = await fetch(`${gateway.url}${path}`);
      expect(asset.status).toBe(200);
      const etag = asset.headers.get('etag') ?? '';
      await asset.arrayBuffer();
      const again = await fetch(`${gateway.url}${path}`, { headers: { 'if-none-match': etag } });
      expect(again.status).toBe(304);
    }
    for (const path of [
      '/playground/../package.json',
      '/playground/%2e%2e/assets.ts',
      '/playground/tsconfig.json',
    ]) {
      expect((await fetch(`${gateway.url}${path}`)).status).toBe(404);
    }
  });
});

function chunk(delta: object, finish: string | null): string {
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'gpt-4.1', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
}
