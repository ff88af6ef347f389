/**
 * What a security reviewer asks of `deploy/`: no unpinned versions, no well-known passwords, and a bound on
 * every resource.
 */

import { describe, expect, test } from 'vitest';
import { asList, asObject, asObjects, asText, type JsonObject } from '../../../src/lib/json.ts';
import { textFile, yaml } from './deploy-files.ts';

const PINNED = /^[\w./-]+:[\w.-]*\d[\w.-]*@sha256:[0-9a-f]{64}$/;

describe('compose', async () => {
  const compose = await yaml('compose.yaml');
  const services = Object.entries(asObject(compose['services']) ?? {}).map(
    ([name, value]): [name: string, service: JsonObject] => [name, asObject(value) ?? {}],
  );

  test.each(services)(
    '%s: its image is pinned, its memory and its processes are limited',
    (name, service) => {
      // The gateway's own image is built here.
      if (name !== 'gateway') expect(service['image']).toMatch(PINNED);
      expect(asText(service['mem_limit'])).toMatch(/\d[mg]\}?$/);
      expect(service['pids_limit']).toBeGreaterThan(0);
      expect(service['security_opt']).toEqual(['no-new-privileges:true']);
    },
  );

  test('every password is required, and none has a default', () => {
    const text = textFile('compose.yaml');
    const secrets = [...text.matchAll(/\$\{(\w+_PASSWORD|GATEWAY_ADMIN_KEY)([^}]*)\}/g)];
    expect(new Set(secrets.map(([, name]) => name))).toEqual(
      new Set(['GATEWAY_ADMIN_KEY', 'POSTGRES_PASSWORD', 'REDIS_PASSWORD', 'GRAFANA_PASSWORD']),
    );
    for (const [whole, , rest] of secrets) expect(rest, whole).toMatch(/^:\?\S/);
    // The commands of the README generate each of them.
    const made = /for name in ([A-Z_ ]+);/.exec(textFile('README.md'))?.[1]?.split(' ');
    expect(new Set(made)).toEqual(new Set(secrets.map(([, name]) => name)));
  });

  test('the stores are on a network of their own without a route to the outside', () => {
    expect(asObject(asObject(compose['networks'])?.['stores'])).toEqual({ internal: true });
    const onStores = services.filter(([, { networks }]) => asList(networks).includes('stores'));
    expect(onStores.map(([name]) => name)).toEqual(['gateway', 'postgres', 'redis']);
    for (const [name, { networks, ports }] of onStores.slice(1)) {
      expect(networks, name).toEqual(['stores']);
      expect(ports, name).toBeUndefined();
    }
  });
});

test('the image: built from pinned images, without the scripts or optional packages of dependencies', () => {
  const dockerfile = textFile('Dockerfile');
  const from = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  expect(from.length).toBe(3);
  for (const image of from) expect(image).toMatch(PINNED);
  const installs = [...dockerfile.matchAll(/npm (?:ci|install)\b.*/g)].map(([command]) => command);
  expect(installs.length).toBe(2);
  for (const command of installs) {
    expect(command).toMatch(/^npm ci\b/);
    expect(command).toContain('--ignore-scripts');
  }
  // The first stage only builds; what it installs stays there.
  expect(installs[1]).toContain('--omit=dev --omit=optional');
});

describe('kubernetes', async () => {
  const policy = asObject((await yaml('kubernetes', 'networkpolicy.yaml'))['spec']) ?? {};
  const egress = asObjects(policy['egress']);

  test('a pod can reach DNS, vendors and its stores, and no other port', () => {
    expect(policy['policyTypes']).toEqual(['Ingress', 'Egress']);
    const ports = egress.flatMap((rule) => asObjects(rule['ports']).map(({ port }) => port));
    expect(ports).toEqual([53, 53, 443, 5432, 6379]);
  });

  // No selector matches these: they are addresses of the node. Google's metadata service answers DNS beside its tokens.
  test('DNS is reached in the cluster, at NodeLocal DNSCache and at Cloud DNS, and nothing else there', () => {
    const [dns = {}, ...others] = egress;
    const [cluster, ...local] = asObjects(dns['to']);
    expect(cluster).toEqual({
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
    });
    expect(local).toEqual([
      { ipBlock: { cidr: '169.254.20.10/32' } },
      { ipBlock: { cidr: '169.254.169.254/32' } },
    ]);
    expect(dns['ports']).toEqual([
      { protocol: 'UDP', port: 53 },
      { protocol: 'TCP', port: 53 },
    ]);
    const elsewhere = others.flatMap(({ to }) =>
      asObjects(to).map(({ ipBlock }) => asObject(ipBlock)?.['cidr']),
    );
    expect(elsewhere).toEqual(['0.0.0.0/0', '::/0']);
  });

  test('port 443 is allowed to the Internet only: no private network, no metadata service', () => {
    const open = egress.filter(({ ports }) => asObjects(ports).some(({ port }) => port === 443));
    const blocks = open.flatMap(({ to }) => asObjects(to).map(({ ipBlock }) => asObject(ipBlock) ?? {}));
    expect(blocks.map(({ cidr }) => cidr)).toEqual(['0.0.0.0/0', '::/0']);
    expect(blocks[0]?.['except']).toEqual(
      expect.arrayContaining([
        '10.0.0.0/8',
        '172.16.0.0/12',
        '192.168.0.0/16',
        '169.254.0.0/16',
        '100.64.0.0/10',
      ]),
    );
    expect(blocks[1]?.['except']).toEqual(expect.arrayContaining(['fc00::/7', 'fe80::/10']));
  });

  test('memory and disk are limited', async () => {
    const deployment = await yaml('kubernetes', 'deployment.yaml');
    const template = asObject(asObject(deployment['spec'])?.['template']);
    const [container = {}] = asObjects(asObject(template?.['spec'])?.['containers']);
    expect(asObject(container['resources'])?.['limits']).toEqual({
      memory: expect.any(String),
      'ephemeral-storage': expect.any(String),
    });
  });
});
