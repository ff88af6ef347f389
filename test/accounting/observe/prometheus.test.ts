/**
 * A real Prometheus, set up as in `deploy/`, scrapes a real gateway, and every figure of the dashboard is
 * there.
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asObject, asObjects, asText, type JsonObject, tryParseJson } from '../../../src/lib/json.ts';
import { chatCompletion } from '../../support/chat-completion.ts';
import { vendorsAtUrl } from '../../support/gateway.ts';
import { postJson } from '../../support/post-json.ts';
import { type GatewayProcess, spawnGateway } from '../../support/process.ts';
import { hasPrometheus, startPrometheus, type TestPrometheus } from '../../support/prometheus.ts';
import { json, startUpstream, type TestUpstream } from '../../support/upstream.ts';
import { pem } from '../../support/vendor-test.ts';
import { DEPLOY, jsonFile, yaml } from './deploy-files.ts';

const ADMIN_KEY = 'admin-key-of-the-tests';
const MINUTE = '1m';

/** The query of a panel, with each variable at its default. */
const asked = asObjects(jsonFile('grafana', 'gateway.json')['panels']).flatMap(({ title, targets }) =>
  asObjects(targets).map(({ expr, legendFormat }) => ({
    panel: `${title}: ${legendFormat ?? ''}`,
    query: (asText(expr) ?? '')
      .replaceAll(/\$__(?:rate_interval|range)/g, MINUTE)
      .replaceAll(/\$(?:model|vendor|job)/g, '.*'),
  })),
);

let vendor: TestUpstream;
let gateway: GatewayProcess;
let prometheus: TestPrometheus;

async function ask(model: string): Promise<number> {
  const answer = await postJson(
    `${gateway.url}/v1/chat/completions`,
    { model, messages: [{ role: 'user', content: 'Hello.' }] },
    { headers: { connection: 'close' } },
  );
  await answer.text();
  return answer.status;
}

/** The deployed file, except for the target, the key and the scrape interval. */
async function scraping(admin: string): Promise<JsonObject> {
  const { scrape_configs: scrapes } = await yaml('prometheus', 'prometheus.yaml');
  const [scrape = {}] = asObjects(scrapes);
  const keyFile = join(gateway.directory, 'admin-key');
  await writeFile(keyFile, ADMIN_KEY);
  return {
    global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms' },
    rule_files: [join(DEPLOY, 'prometheus', 'alerts.yaml')],
    scrape_configs: [
      {
        ...scrape,
        authorization: { ...asObject(scrape['authorization']), credentials_file: keyFile },
        static_configs: [{ targets: [new URL(admin).host] }],
      },
    ],
  };
}

describe.skipIf(!hasPrometheus())('Prometheus', () => {
  beforeAll(async () => {
    vendor = await startUpstream(({ body }, response) => {
      const { model } = asObject(tryParseJson(body.toString())) ?? {};
      if (model === 'gpt-4o') return json(response, { error: { message: 'Down.' } }, 500);
      if (model === 'gpt-4.1-mini') return json(response, { error: { message: 'Busy.' } }, 503);
      const details = { prompt_tokens_details: { cached_tokens: 2 } };
      const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12, ...details };
      // A vendor that reports no usage: it is estimated.
      return json(response, chatCompletion('Hello.', { usage: model === 'gpt-4o-mini' ? undefined : usage }));
    });
    const tls = { cert: pem('good.pem'), key: pem('server.key') };
    const certified = { baseUrl: 'https://vendor.test/v1', apiKey: 'k', tls };
    gateway = await spawnGateway(
      {
        workers: 2,
        vendors: { ...vendorsAtUrl(vendor.url), compatible: certified },
        admin: { key: ADMIN_KEY, port: 0 },
        log: 'json',
        // A failure is not retried; an overload falls back to another model.
        retries: { limit: 1, after: 'rejected' },
        fallbacks: { 'openai/gpt-4.1-mini': ['openai/gpt-4.1'] },
      },
      { env: { OTEL_EXPORTER_OTLP_ENDPOINT: vendor.url } },
    );
    const admin = /Admin API on (http:\/\/\S+)\./.exec(gateway.output())?.[1];
    if (admin === undefined) throw new Error(gateway.output());
    prometheus = await startPrometheus(await scraping(admin));
  });
  afterAll(async () => {
    await prometheus?.close();
    await gateway?.close();
    await vendor?.close();
  });

  test('it scrapes a gateway of several processes', async () => {
    await expect.poll(() => prometheus.query('up == 1')).toHaveLength(1);
    for (let round = 0; round < 5; round += 1) {
      expect(await ask('openai/gpt-4.1')).toBe(200);
      expect(await ask('openai/gpt-4o-mini')).toBe(200);
      expect(await ask('openai/gpt-4.1-mini')).toBe(200);
      expect(await ask('openai/gpt-4o')).toBe(500);
    }
    await expect
      .poll(async () => (await prometheus.query('sum(gateway_requests_total)'))[0]?.['value'])
      .toEqual([expect.any(Number), '20']);
  });

  test.each(asked)('the dashboard has data for $panel', async ({ query }) => {
    await expect.poll(() => prometheus.query(query)).not.toHaveLength(0);
  });

  test('none of its alerts has an evaluation error', async () => {
    expect(await prometheus.query('prometheus_rule_evaluation_failures_total > 0')).toHaveLength(0);
  });
});
