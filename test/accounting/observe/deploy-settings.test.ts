/**
 * Every setting in `deploy/` is read by the program, and everything it refers to exists: variables, fields,
 * ports, paths, files.
 */

import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openTraces } from '../../../src/accounting/traces/traces.ts';
import { readConfig } from '../../../src/config/load.ts';
import { configSchema } from '../../../src/config/schema.ts';
import {
  asList,
  asNumber,
  asObject,
  asObjects,
  asText,
  type Json,
  type JsonObject,
  parseJson,
} from '../../../src/lib/json.ts';
import { openApi } from '../../../src/server/http/openapi/document.ts';
import { DEPLOY, textFile, yaml } from './deploy-files.ts';

const dockerfile = textFile('Dockerfile');
const compose = await yaml('compose.yaml');
const deployment = await yaml('kubernetes', 'deployment.yaml');
const service = (name: string): JsonObject => within(compose, 'services', name);
const pod = within(deployment, 'spec', 'template', 'spec');
const [container = {}] = asObjects(pod['containers']);
const defaults = configSchema.parse({});
const paths = Object.keys(asObject(openApi()['paths']) ?? {});

/** The mapping at a path of names. @throws Error if there is none. */
function within(value: JsonObject, ...names: string[]): JsonObject {
  return names.reduce((found, name) => {
    const next = asObject(found[name]);
    if (next === undefined) throw new Error(`There is no ${name} in ${names.join('.')}.`);
    return next;
  }, value);
}

const named = (list: Json | undefined): readonly string[] =>
  asObjects(list).map(({ name }) => asText(name) ?? '');

/** The environment variables of the image. */
const imageEnvironment = Object.fromEntries(
  (/^ENV (.+)$/m.exec(dockerfile)?.[1] ?? '').split(' ').map((pair) => pair.split('=')),
);

/** Every variable that the program reads. */
async function variablesRead(): Promise<ReadonlySet<string>> {
  const read = new Set<string>();
  const environment = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get(_, name) {
        if (typeof name === 'string') read.add(name);
        return undefined;
      },
    },
  );
  await readConfig(environment, tmpdir());
  await openTraces(environment);
  return read;
}

describe('variables', async () => {
  const read = await variablesRead();
  /** Node's own variables, and a name that only the image uses. */
  const others = new Set(['NODE_ENV']);

  test.each([
    ['the image', Object.keys(imageEnvironment), 3],
    ['compose', Object.keys(within(service('gateway'), 'environment')), 10],
    ['kubernetes', named(container['env']), 5],
    [
      "the secret of README.md's kubectl",
      [...textFile('README.md').matchAll(/--from-literal=(\w+)/g)].map(([, name = '']) => name),
      4,
    ],
    [
      'README.md',
      [...textFile('README.md').matchAll(/`((?:GATEWAY|OTEL_EXPORTER)_\w+)`/g)].map(([, name = '']) => name),
      3,
    ],
  ])('%s: the program reads each of them', (_, names, least) => {
    expect(names.length).toBeGreaterThanOrEqual(least);
    for (const name of names) if (!others.has(name)) expect(read).toContain(name);
  });
});

describe('fields of the configuration', () => {
  test.each(['README.md', 'SIZING.md', 'compose.yaml', 'kubernetes/deployment.yaml'])(
    '%s uses only fields that exist',
    (file) => {
      const sections = Object.entries(defaults).filter(([, value]) => asObject(toJson(value)) !== undefined);
      for (const [section, fields] of sections) {
        for (const [, field = ''] of textFile(file).matchAll(new RegExp(`\\b${section}\\.(\\w+)\\b`, 'g')))
          expect(Object.keys(fields), `${file}: ${section}.${field}`).toContain(field);
      }
    },
  );

  test('the text gives the defaults of times and sizes', () => {
    const text = textFile('README.md') + textFile('SIZING.md');
    expect(text).toContain(`\`timeouts.keepAlive\` (${defaults.timeouts.keepAlive / 1_000} s`);
    expect(text).toContain(`\`limits.memory\` ${defaults.limits.memory}`);
    expect(text).toContain(`\`limits.fileDescriptors\` ${defaults.limits.fileDescriptors}`);
    expect(text).toContain(`limits.inFlight\` (${defaults.limits.inFlight.toLocaleString('en')})`);
  });

  test('both settings for nginx leave the size of bodies to the gateway, whose refusal has the caller’s format', () => {
    const text = textFile('README.md');
    expect(text).toMatch(/^ {4}proxy_request_buffering off;\n(?: {4}.*\n)* {4}client_max_body_size 0;$/m);
    expect(text).toContain("proxy-request-buffering: 'off'");
    expect(text).toContain("proxy-body-size: '0'");
  });
});

function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value));
}

describe('ports and paths', async () => {
  const main = defaults.port;
  const admin = defaults.admin.port;

  test('of the image', () => {
    expect(imageEnvironment).toMatchObject({ HOST: '0.0.0.0', PORT: String(main) });
    expect(dockerfile).toContain(`EXPOSE ${main}\n`);
    const [, asked] = /http:\/\/127\.0\.0\.1:\$\{PORT\}(\/[\w/]+)/.exec(dockerfile) ?? [];
    expect(paths).toContain(asked);
    expect(dockerfile).toMatch(/^USER node$/m);
  });

  test('of compose', () => {
    const { environment, ports } = service('gateway');
    expect(ports).toEqual([`127.0.0.1:${main}:${main}`, `127.0.0.1:${admin}:${admin}`]);
    expect(environment).toMatchObject({ GATEWAY_ADMIN_HOST: '0.0.0.0', GATEWAY_ADMIN_PORT: admin });
  });

  test('of prometheus, which finds the key where it looks for it', async () => {
    const [job = {}] = asObjects((await yaml('prometheus', 'prometheus.yaml'))['scrape_configs']);
    expect(paths).toContain(job['metrics_path']);
    expect(asObjects(job['static_configs'])).toEqual([{ targets: [`gateway:${admin}`] }]);
    const file = asText(asObject(job['authorization'])?.['credentials_file']) ?? '';
    expect(String(asList(service('prometheus')['command'])[0])).toContain(`> ${file};`);
  });

  test('of kubernetes', async () => {
    const env = Object.fromEntries(
      asObjects(container['env']).map(({ name, value }) => [String(name), value]),
    );
    const ports = Object.fromEntries(
      asObjects(container['ports']).map((port) => [String(port['name']), String(port['containerPort'])]),
    );
    expect(ports).toEqual({ http: env['PORT'], admin: env['GATEWAY_ADMIN_PORT'] });
    const names = Object.keys(ports);
    for (const file of ['service.yaml', 'service-admin.yaml']) {
      for (const { targetPort } of asObjects(within(await yaml('kubernetes', file), 'spec')['ports']))
        expect(names, file).toContain(targetPort);
    }
    const rules = asObjects(within(await yaml('kubernetes', 'networkpolicy.yaml'), 'spec')['ingress']);
    const open = rules.flatMap(({ ports: allowed }) => asObjects(allowed).map(({ port }) => port));
    expect(open.toSorted()).toEqual(names.toSorted());
    const monitor = within(await yaml('kubernetes', 'podmonitor.yaml'), 'spec');
    const [endpoint = {}] = asObjects(monitor['podMetricsEndpoints']);
    expect(names).toContain(endpoint['port']);
    expect(paths).toContain(endpoint['path']);
    const credentials = within(endpoint, 'authorization', 'credentials');
    const secrets = asObjects(container['envFrom']).map(({ secretRef }) => asObject(secretRef)?.['name']);
    expect(secrets).toContain(credentials['name']);
    expect(credentials['key']).toBe('GATEWAY_ADMIN_KEY');
  });
});

describe('files', () => {
  test('every mounted file exists', () => {
    const services = Object.keys(within(compose, 'services'));
    const mounted = services.flatMap((name) =>
      asList(service(name)['volumes']).map((volume) => String(volume).split(':')[0] ?? ''),
    );
    const here = mounted.filter((source) => source.startsWith('./'));
    expect(here.length).toBeGreaterThan(3);
    for (const source of here) expect(existsSync(join(DEPLOY, source)), source).toBe(true);
    const volumes = Object.keys(within(compose, 'volumes'));
    for (const source of mounted) if (!source.startsWith('./')) expect(volumes).toContain(source);
  });

  test('grafana finds the dashboard where it is mounted', async () => {
    const [provider = {}] = asObjects(
      (await yaml('grafana', 'provisioning', 'dashboards', 'gateway.yaml'))['providers'],
    );
    const folder = asText(within(provider, 'options')['path']) ?? '';
    const targets = asList(service('grafana')['volumes']).map((volume) => String(volume).split(':')[1]);
    expect(targets).toContain(`${folder}/gateway.json`);
  });

  test('.dockerignore keeps nothing out that the image is built from', () => {
    const allowed = [...textFile('Dockerfile.dockerignore').matchAll(/^!(.+)$/gm)].map(([, name]) => name);
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' ').map((name) => name.replace('./', '')),
    );
    expect(copied.length).toBeGreaterThan(5);
    for (const name of copied) expect(allowed).toContain(name);
  });

  test('the stage that builds the program installs its compiler, which is an optional package', () => {
    const lock = asObject(parseJson(textFile('../package-lock.json'))) ?? {};
    const compilers = Object.entries(asObject(lock['packages']) ?? {}).filter(([path]) =>
      path.startsWith('node_modules/@rolldown/binding-'),
    );
    expect(compilers.length).toBeGreaterThan(0);
    for (const [path, about] of compilers) expect(about, path).toMatchObject({ optional: true });
    const [, install] = /^RUN (npm ci.*)\n(?:.*\n)*?RUN npm run build$/m.exec(dockerfile) ?? [];
    expect(install).not.toMatch(/--omit[= ](?:optional|dev)/);
    expect(install).toContain('--ignore-scripts');
  });

  test('kubernetes mounts the configuration where the program looks for it, and the folder that it writes to', () => {
    const mounts = asObjects(container['volumeMounts']);
    const [{ value } = {}] = asObjects(container['env']).filter(({ name }) => name === 'GATEWAY_CONFIG');
    expect(mounts.map(({ mountPath }) => `${mountPath}/gateway.config.json`)).toContain(value);
    expect(mounts.map(({ mountPath }) => mountPath)).toEqual(expect.arrayContaining(['/data', '/tmp']));
    expect(named(pod['volumes']).toSorted()).toEqual(named(mounts).toSorted());
  });

  test('the autoscaler and the disruption budget refer to this deployment', async () => {
    const hpa = within(await yaml('kubernetes', 'hpa.yaml'), 'spec');
    expect(hpa['scaleTargetRef']).toMatchObject({
      kind: 'Deployment',
      name: within(deployment, 'metadata')['name'],
    });
    const budget = within(await yaml('kubernetes', 'pdb.yaml'), 'spec');
    // Otherwise a node could never be drained.
    expect(asNumber(hpa['minReplicas'])).toBeGreaterThan(asNumber(budget['maxUnavailable']) ?? 0);
    expect(within(deployment, 'spec')['replicas']).toBeUndefined();
  });
});
