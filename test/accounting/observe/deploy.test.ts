/** Whatever `deploy/` says about the program is true. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openLog } from '../../../src/accounting/log/log.ts';
import { openExchangeCounters } from '../../../src/accounting/metrics/counters.ts';
import { workersMetrics } from '../../../src/accounting/metrics/worker-metrics.ts';
import { addFigures, openObservers } from '../../../src/accounting/observe.ts';
import { FLUSH_TIME } from '../../../src/cli/open-configured.ts';
import { configSchema } from '../../../src/config/schema.ts';
import { asNumber, asObject, asObjects, asText, isObject, type Json } from '../../../src/lib/json.ts';
import { openApi } from '../../../src/server/http/openapi/document.ts';
import { DEPLOY, jsonFile, yaml } from './deploy-files.ts';
import { RECORD } from './records.ts';

/** Every text under a key `expr` or `query`, anywhere in a value. */
function* queriesIn(value: Json | undefined): Generator<string> {
  if (Array.isArray(value)) for (const entry of value) yield* queriesIn(entry);
  if (!isObject(value)) return;
  for (const [name, entry] of Object.entries(value)) {
    if (typeof entry === 'string' && (name === 'expr' || name === 'query')) yield entry;
    else yield* queriesIn(entry);
  }
}

const NAME = /\b(?:gateway|process|nodejs)_\w+/g;

describe('the metrics in use', async () => {
  const tally = openExchangeCounters();
  const observers = await openObservers({
    log: openLog({ style: 'json' }),
    counted: tally.figures,
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
  });
  afterAll(() => observers.close(1_000));
  addFigures(observers.metrics, {
    inFlight: () => 0,
    webSockets: () => 0,
    usageLost: () => 0,
    reloadsRefused: () => 0,
    addressesRefused: () => 0,
    certificates: () => [{ field: 'tls', end: new Date('2027-01-01') }],
    budgets: () => [
      { of: 'key', name: 'team', period: 'day', budget: 1, left: 0.5, reserved: 0 },
      { of: 'group', name: 'search', period: 'day', budget: 1, left: 0.5, reserved: 0 },
    ],
    upstreams: () => [{ vendor: 'openai', place: '0', up: true, ejections: 0 }],
  });
  tally.record({ ...RECORD, outcome: 'failed', fault: 'upstream-broken' });
  const gaveWay = {
    model: 'openai/gpt-4.1',
    vendor: 'openai',
    fault: 'upstream-broken',
    attempts: 1,
  } as const;
  tally.record({ ...RECORD, gaveWay: [gaveWay] });
  const { cost: _, ...uncounted } = RECORD;
  tally.record({ ...uncounted, estimated: { tokens: 100, cost: 0.001 } });
  const ofFirst = await workersMetrics({ workersLost: () => 0, reloadsRefused: () => 0 })();
  const text = `${await observers.metrics.render()}\n${ofFirst}`;
  const names = new Set([...text.matchAll(/^(\w+)(?:\{| )/gm)].map(([, name]) => name));
  const labels = new Set([...text.matchAll(/[{,](\w+)="/g)].map(([, label]) => label));

  const dashboard = jsonFile('grafana', 'gateway.json');
  const alerts = await yaml('prometheus', 'alerts.yaml');

  test.each([
    ['dashboard', dashboard, 25],
    ['alerts', alerts, 10],
  ])('%s: the program exports each of them', (_, of, least) => {
    const asked = [...queriesIn(of)].flatMap((query) => [...query.matchAll(NAME)].map(([name]) => name));
    expect(asked.length).toBeGreaterThan(least);
    for (const name of asked) expect(names, name).toContain(name);
  });

  test('alerts: a metric that some processes do not export does not disable an alert', async () => {
    // Without traces and without a log, as a configuration may be.
    const few = await openObservers({ log: undefined, counted: tally.figures, environment: {} });
    const told = `${await few.metrics.render()}`;
    await few.close(1_000);
    const optional = /\bgateway_(?:spans_lost|log_lines_dropped)_total\b/;
    expect(told).not.toMatch(optional);
    // In PromQL, the sum of a value and an absent series is absent.
    for (const query of queriesIn(alerts)) {
      for (const part of query.split(/\bor\b/).filter((one) => optional.test(one)))
        expect(part.match(NAME), query).toHaveLength(1);
    }
  });

  test('alerts: a single error is seen, even when its counter starts with it', () => {
    const single = [...queriesIn(alerts)].filter((query) => /increase\(gateway_errors_total/.test(query));
    expect(single).toHaveLength(2);
    for (const query of single) {
      const [, fault] = /increase\(gateway_errors_total(\{.*?\})/.exec(query) ?? [];
      expect(query).toContain(`(gateway_errors_total${fault} unless gateway_errors_total offset 10m) > 0`);
    }
    // Metrics without labels are exported as 0 from the start, so for those an increase is enough.
    const others = [...queriesIn(alerts)].flatMap((query) => [...query.matchAll(/increase\((\w+)\[/g)]);
    for (const [, name = ''] of others) expect(text, name).toMatch(new RegExp(`^${name} 0$`, 'm'));
  });

  test('dashboard: each panel uses labels that exist', () => {
    for (const query of queriesIn(dashboard)) {
      for (const [, by = ''] of query.matchAll(/\bby \(([\w, ]+)\)/g))
        for (const label of by.split(/, */)) expect(labels, query).toContain(label);
    }
  });

  test('dashboard: no two panels overlap', () => {
    const taken = new Set<string>();
    for (const { gridPos, title } of asObjects(dashboard['panels'])) {
      const { x = 0, y = 0, w = 0, h = 0 } = asObject(gridPos) ?? {};
      for (let column = Number(x); column < Number(x) + Number(w); column += 1) {
        for (let line = Number(y); line < Number(y) + Number(h); line += 1) {
          expect(column, `${title}`).toBeLessThan(24);
          expect(taken, `${title}`).not.toContain(`${column} ${line}`);
          taken.add(`${column} ${line}`);
        }
      }
    }
    expect(taken.size).toBeGreaterThan(100);
  });

  test('alerts: each has a name, a threshold, and a description', () => {
    const rules = asObjects(alerts['groups']).flatMap((group) => asObjects(group['rules']));
    expect(rules.length).toBeGreaterThan(8);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const rule of rules) {
      expect(rule['expr']).toBeTruthy();
      expect(asObject(rule['annotations'])?.['summary']).toBeTruthy();
    }
  });
});

describe('kubernetes', async () => {
  const deployment = await yaml('kubernetes', 'deployment.yaml');
  const pod = asObject(asObject(asObject(deployment['spec'])?.['template'])?.['spec']) ?? {};
  const [container = {}] = asObjects(pod['containers']);
  const config = configSchema.parse(jsonFile('kubernetes', 'gateway.config.json'));

  test('live streams have the promised time to end', () => {
    const grace = asNumber(pod['terminationGracePeriodSeconds']) ?? 0;
    const { preDrain, drain } = config.timeouts;
    expect(grace * 1_000).toBeGreaterThan(preDrain + drain + FLUSH_TIME);
  });

  test('the pod goes on accepting for longer than it takes to be seen as not ready', () => {
    const readiness = asObject(container['readinessProbe']);
    const seen =
      (asNumber(readiness?.['periodSeconds']) ?? 0) * (asNumber(readiness?.['failureThreshold']) ?? 0);
    expect(config.timeouts.preDrain).toBeGreaterThan(2 * seen * 1_000);
  });

  test.each(['startupProbe', 'readinessProbe', 'livenessProbe'])(
    '%s requests a path that exists',
    (probe) => {
      const asked = asObject(asObject(container[probe])?.['httpGet']);
      expect(Object.keys(asObject(openApi()['paths']) ?? {})).toContain(asText(asked?.['path']));
      expect(asObjects(container['ports']).map(({ name }) => name)).toContain(asked?.['port']);
    },
  );

  test('a pod has no permission that it does not need', () => {
    expect(asObject(pod['securityContext'])).toMatchObject({ runAsNonRoot: true });
    expect(container['securityContext']).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod['automountServiceAccountToken']).toBe(false);
  });

  test('the selectors for pods match these pods', async () => {
    const template = asObject(asObject(deployment['spec'])?.['template']);
    const labels = asObject(asObject(template?.['metadata'])?.['labels']);
    for (const file of [
      'service.yaml',
      'service-admin.yaml',
      'pdb.yaml',
      'networkpolicy.yaml',
      'podmonitor.yaml',
    ]) {
      const { selector, podSelector } = asObject((await yaml('kubernetes', file))['spec']) ?? {};
      const chosen = asObject(selector ?? podSelector) ?? {};
      expect(labels, file).toMatchObject(asObject(chosen['matchLabels']) ?? chosen);
    }
  });

  test('every manifest is applied, except the one that needs an operator', async () => {
    const { resources } = await yaml('kubernetes', 'kustomization.yaml');
    const files = readdirSync(join(DEPLOY, 'kubernetes')).filter((file) => file.endsWith('.yaml'));
    const listed = Array.isArray(resources) ? resources : [];
    expect([...listed, 'kustomization.yaml', 'podmonitor.yaml'].toSorted()).toEqual(files.toSorted());
  });
});

test('compose: a stopped container has the time to drain', async () => {
  const services = asObject((await yaml('compose.yaml'))['services']);
  const grace = asText(asObject(services?.['gateway'])?.['stop_grace_period']) ?? '';
  const { timeouts } = configSchema.parse({});
  expect(Number.parseInt(grace, 10) * 1_000).toBeGreaterThan(timeouts.preDrain + timeouts.drain + FLUSH_TIME);
});
