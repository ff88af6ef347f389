/**
 * Programs that tests start and that no npm package contains. If one is missing, the tests that need it are skipped.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export interface Program {
  readonly name: string;
  /** The environment variable that makes a run without the program fail, if it is 1. */
  readonly variable: string;
  /** How to install it. */
  readonly remedy: string;
  readonly isThere: () => boolean;
}

/** Where Debian puts the programs of each version of PostgreSQL. */
const DEBIAN_POSTGRES = '/usr/lib/postgresql';

/**
 * Where packages put Chromium. First is the one without windows: the same engine, where a browser without a screen still
 * starts the processes of its own toolbars for each new window, which takes four times the CPU.
 */
const CHROMIUM_PLACES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
);

export const POSTGRES: Program = {
  name: 'PostgreSQL',
  variable: 'REQUIRE_POSTGRES',
  remedy: 'install the package postgresql, or set DATABASE_URL_TEST',
  isThere: () => Boolean(process.env['DATABASE_URL_TEST']) || postgresPrograms() !== undefined,
};

export const REDIS: Program = {
  name: 'Redis',
  variable: 'REQUIRE_REDIS',
  remedy: 'install the package redis-server',
  isThere: () => runs('redis-server'),
};

export const PROMETHEUS: Program = {
  name: 'Prometheus',
  variable: 'REQUIRE_PROMETHEUS',
  remedy: 'install the package prometheus',
  isThere: () => runs('promtool'),
};

export const CHROMIUM: Program = {
  name: 'Chromium',
  variable: 'REQUIRE_CHROMIUM',
  remedy: 'install the package chromium-headless-shell, or set CHROMIUM_PATH',
  isThere: () => chromiumPath() !== undefined,
};

export const SCRIPT: Program = {
  name: 'script',
  variable: 'REQUIRE_SCRIPT',
  remedy: 'install the package bsdutils',
  isThere: () => runs('script'),
};

/** Where `.ci/run` installs Schemathesis, a Python program (https://schemathesis.io). */
export const SCHEMATHESIS_PATH = resolve(import.meta.dirname, '../../.python/bin/schemathesis');

export const SCHEMATHESIS: Program = {
  name: 'Schemathesis',
  variable: 'REQUIRE_SCHEMATHESIS',
  remedy: 'python3 -m venv .python && .python/bin/pip install schemathesis==4.32.5',
  isThere: () => existsSync(SCHEMATHESIS_PATH),
};

/** Compiles and runs the clients in `test/clients/go`; their `go.mod` says which version they need. */
export const GO: Program = {
  name: 'Go',
  variable: 'REQUIRE_GO',
  remedy: 'install Go 1.26 or later (https://go.dev/dl)',
  isThere: () => {
    const [, minor] = /go1\.(\d+)/.exec(printed('go', 'version') ?? '') ?? [];
    return Number(minor) >= 26;
  },
};

/** Compiles and runs the clients in `test/clients/java`. */
export const JAVA: Program = {
  name: 'Java',
  variable: 'REQUIRE_JAVA',
  remedy: 'install the packages maven and openjdk-17-jdk-headless, or later versions',
  isThere: () => runs('mvn') && runs('javac'),
};

/** Compiles and runs the clients in `test/clients/rust`; what they are built of says which version it needs. */
export const RUST: Program = {
  name: 'Rust',
  variable: 'REQUIRE_RUST',
  remedy: 'install Rust 1.89 or later (https://rustup.rs) and a C compiler, which links',
  isThere: () => {
    const [, minor] = /^cargo 1\.(\d+)/.exec(printed('cargo', '--version') ?? '') ?? [];
    return Number(minor) >= 89;
  },
};

export const OPENAI_COMPATIBLE_TESTER: Program = {
  name: 'openai-compatible-tester',
  variable: 'REQUIRE_OPENAI_COMPATIBLE_TESTER',
  remedy: 'go install github.com/avelrl/openai-compatible-tester@latest',
  isThere: () => printed('openai-compatible-tester', '-help') !== undefined,
};
/** Where `test/clients/python/install` puts a group of Python clients, and the lists that it installs. */
const PYTHON_CLIENTS = resolve(import.meta.dirname, '../../.python-clients');
const PYTHON_LISTS = resolve(import.meta.dirname, '../clients/python');

/** Python with a group of clients, in the versions of the group's list. */
export function pythonClients(group: string): Program {
  return {
    name: `Python with the clients of ${group}`,
    variable: 'REQUIRE_PYTHON_CLIENTS',
    remedy: `test/clients/python/install ${group}`,
    isThere() {
      const installed = join(PYTHON_CLIENTS, group, 'requirements.txt');
      if (!existsSync(installed)) return false;
      return readFileSync(installed, 'utf8') === readFileSync(join(PYTHON_LISTS, `${group}.txt`), 'utf8');
    },
  };
}

/** The interpreter that has a group of Python clients. */
export function pythonOf(group: string): string {
  return join(PYTHON_CLIENTS, group, 'bin/python');
}

/** Where `.ci/run` installs other runtimes than Node. */
const RUNTIMES = resolve(import.meta.dirname, '../../.runtimes');

/** A runtime that is an npm package. Its program is in a package for the platform, beside which nothing is needed. */
function runtime(name: string, variable: string, version: string, program: string): Program {
  return {
    name,
    variable: `REQUIRE_${variable}`,
    remedy: `npm install --prefix .runtimes --ignore-scripts ${version}, or set ${variable}_PATH`,
    isThere: () => runtimePath(variable, program) !== undefined,
  };
}

/** The path of a runtime; undefined if it is not there. */
function runtimePath(variable: string, program: string): string | undefined {
  const [installed] = globSync(program, { cwd: join(RUNTIMES, 'node_modules') });
  return process.env[`${variable}_PATH`] ?? (installed && join(RUNTIMES, 'node_modules', installed));
}

export const DENO: Program = runtime('Deno', 'DENO', 'deno@2.9.6', '@deno/*/deno');
export const BUN: Program = runtime('Bun', 'BUN', 'bun@1.4.5', '@oven/*/bin/bun');
export const WORKERD: Program = runtime(
  'workerd',
  'WORKERD',
  'workerd@1.20261117.1',
  '@cloudflare/*/bin/workerd',
);

export const denoPath = (): string | undefined => runtimePath('DENO', '@deno/*/deno');
export const bunPath = (): string | undefined => runtimePath('BUN', '@oven/*/bin/bun');
export const workerdPath = (): string | undefined => runtimePath('WORKERD', '@cloudflare/*/bin/workerd');

export const PROGRAMS: readonly Program[] = [
  POSTGRES,
  REDIS,
  PROMETHEUS,
  CHROMIUM,
  SCRIPT,
  SCHEMATHESIS,
  GO,
  JAVA,
  RUST,
  OPENAI_COMPATIBLE_TESTER,
  pythonClients('core'),
  DENO,
  BUN,
  WORKERD,
];

/** Whether tests can use a program. @throws Error if they cannot and the environment requires it. */
export function isAvailable({ name, variable, remedy, isThere }: Program): boolean {
  if (isThere()) return true;
  if (process.env[variable] === '1') throw new Error(`There is no ${name}: ${remedy}.`);
  return false;
}

/** The folder with the programs of the newest PostgreSQL here; undefined if there is none. */
export function postgresPrograms(): string | undefined {
  if (!existsSync(DEBIAN_POSTGRES)) return undefined;
  const versions = readdirSync(DEBIAN_POSTGRES).sort((one, other) => Number(other) - Number(one));
  return versions
    .map((version) => join(DEBIAN_POSTGRES, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')));
}

/** `CHROMIUM_PATH`, or the places where Debian and others put it; undefined if there is none. */
export function chromiumPath(): string | undefined {
  return process.env['CHROMIUM_PATH'] ?? CHROMIUM_PLACES.find((path) => existsSync(path));
}

function runs(program: string): boolean {
  return printed(program, '--version') !== undefined;
}

/** What a program prints; undefined if there is no such program. */
function printed(program: string, argument: string): string | undefined {
  try {
    return execFileSync(program, [argument], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}
