/**
 * `npm run recording`: the moving picture of the README, `docs/images/console/streaming.gif`. Two models answer side by
 * side in the console, as simulated vendors stream.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import gifenc from 'gifenc';
import { PNG } from 'pngjs';
import { KEY, startGateway } from '../support/gateway.ts';
import { launch } from './chromium.ts';

const FILE = join(import.meta.dirname, '../../docs/images/console/streaming.gif');
const SIZE = { width: 1180, height: 700 };
/** The picture's size, as a part of the page's. */
const SCALE = 0.72;
/** Milliseconds between two frames, and how long the last one stays. */
const PACE = 160;
const LAST = 3_000;
const MOST_FRAMES = 48;

const { GIFEncoder, quantize, applyPalette } = gifenc;

const gateway = await startGateway({ sandbox: { pace: 'realistic' }, generateContent: { models: 'all' } });
const browser = await launch();
const frames: Buffer[] = [];
try {
  const page = await (
    await browser.newContext({ viewport: SIZE, deviceScaleFactor: SCALE, colorScheme: 'light' })
  ).newPage();
  await page.goto(`${gateway.url}/#key=${KEY}`);
  await page.getByRole('button', { name: 'Send' }).and(page.locator(':enabled')).waitFor();
  const choose = async (lane: string, model: string, format: string): Promise<void> => {
    const field = page.getByRole('combobox', { name: `Model${lane}` }).first();
    await field.click();
    await field.pressSequentially(model);
    await page
      .getByRole('option')
      .filter({ has: page.getByText(model, { exact: true }) })
      .click();
    await page.getByLabel(`Format${lane}`).selectOption(format);
  };
  await page.getByRole('button', { name: 'Compare' }).click();
  await choose(' 1', 'anthropic/claude-sonnet-5-5', 'chat-completions');
  await choose(' 2', 'google/gemini-3.8-flash', 'messages');
  await page.fill('#prompt', 'Show me a heading, a list and some code.');
  frames.push(await page.screenshot());
  await page.press('#prompt', 'Enter');
  const isOver = async (): Promise<boolean> =>
    (await page.locator('.composer button[type=submit]').count()) > 0 && frames.length > 3;
  while (frames.length < MOST_FRAMES && !(await isOver())) {
    const began = performance.now();
    frames.push(await page.screenshot());
    await wait(Math.max(0, PACE - (performance.now() - began)));
  }
  frames.push(await page.screenshot());
} finally {
  await browser.close();
  await gateway.close();
}

const gif = GIFEncoder();
for (const [index, frame] of frames.entries()) {
  const { data, width, height } = PNG.sync.read(frame);
  const palette = quantize(data, 32);
  gif.writeFrame(applyPalette(data, palette), width, height, {
    palette,
    delay: index === frames.length - 1 ? LAST : PACE,
  });
}
gif.finish();
writeFileSync(FILE, gif.bytes());
console.log(`${frames.length} frames, ${Math.round(gif.bytes().length / 1024)} KB: ${FILE}`);
