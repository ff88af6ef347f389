/** Where the playground is served, without a browser. */

import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';

test('the playground is at /, and where its own name says, with and without a slash; its links lead to its files', async () => {
  const gateway = await startGateway();
  try {
    for (const path of ['/', '/playground', '/playground/']) {
      const url = `${gateway.url}${path}`;
      const page = await fetch(url);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      const links = [...(await page.text()).matchAll(/ (?:href|src)="([^":#]+)"/g)].map(
        ([, link = '']) => link,
      );
      expect(links.length).toBeGreaterThan(1);
      for (const link of links) {
        const file = await fetch(new URL(link, url));
        expect([link, file.status]).toEqual([link, 200]);
        await file.body?.cancel();
      }
    }
    const head = await fetch(`${gateway.url}/playground`, { method: 'HEAD' });
    expect(head.status).toBe(200);
  } finally {
    await gateway.close();
  }
});
