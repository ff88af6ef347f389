/**
 * Notes on a configuration that is valid but hardly meant: variables that are not read, models that do not exist, figures in
 * another gateway's unit (seconds, dollars for one token).
 */

import { modelFilter } from '../access/model-filter.ts';
import { makeCatalog } from '../catalog/catalog.ts';
import { catalogModels } from '../config/models.ts';
import type { Config } from '../config/schema.ts';
import { shownCertificates } from '../config/shown-certificates.ts';
import { commandLine } from '../lib/command-line.ts';
import type { Environment } from '../lib/environment.ts';
import type { KeySettings } from '../store/keys/key-settings.ts';

interface VendorKey {
  /** The variable that the gateway reads. */
  readonly variable: string;
  readonly vendor: string;
  /** How SDKs, other gateways and people spell it. */
  readonly otherSpellings: RegExp;
}

const VENDOR_KEYS: readonly VendorKey[] = [
  {
    variable: 'OPENAI_API_KEY',
    vendor: 'openai',
    otherSpellings: /^(?:OPENAI|OPEN_AI|OPNAI|OPENIA)_?(?:API)?_?(?:KEY|TOKEN)S?$/i,
  },
  {
    variable: 'ANTHROPIC_API_KEY',
    vendor: 'anthropic',
    otherSpellings: /^(?:ANTHROPIC|ANTROPIC|ANTHROPHIC|CLAUDE)_?(?:API)?_?KEYS?$/i,
  },
  {
    variable: 'GEMINI_API_KEY',
    vendor: 'google',
    otherSpellings: /^(?:GOOGLE|GOOGLE_GEN(?:ERATIVE_)?AI|GEMINI)_?(?:API)?_?KEYS?$/i,
  },
];

/**
 * A sentence for each variable that looks like the key of a vendor that has none, but is not read. Never its value.
 */
export function findUnreadVariables({ vendors }: Config, environment: Environment): readonly string[] {
  const unread = VENDOR_KEYS.flatMap(({ variable, vendor, otherSpellings }) => {
    const { apiKey, credentials, upstreams = [] } = vendors[vendor] ?? {};
    if ((apiKey ?? credentials ?? upstreams[0]) !== undefined) return [];
    return Object.keys(environment)
      .filter((name) => name !== variable && otherSpellings.test(name) && environment[name])
      .map((name) => `The variable ${name} is set but not read: the gateway reads ${variable}.`);
  });
  return unread;
}

/** A sentence for each key that has expired: its callers get a 401, which does not say why. */
export function findExpiredKeys({ keys }: Config): readonly string[] {
  return keys.flatMap(({ name, expires }) =>
    expires !== undefined && Date.parse(expires) <= Date.now()
      ? [`Note: the key ${name} expired on ${new Date(expires).toISOString().slice(0, 10)}.`]
      : [],
  );
}

/** A sentence for each certificate that the gateway shows although it has expired: no client would accept it. */
export function findExpiredCertificates(config: Config): readonly string[] {
  return shownCertificates(config).flatMap(({ field, end }) =>
    end.getTime() <= Date.now()
      ? [`Note: the certificate of ${field} expired on ${end.toISOString().slice(0, 10)}.`]
      : [],
  );
}

/** The times that a model needs; the others may well be short. */
const TIMES = ['firstByte', 'idle', 'quiet', 'total'] as const;

/** Milliseconds in which hardly any model answers. As seconds they are twenty minutes. */
const SHORT = 1_200;

/** Dollars per million tokens. The cheapest models cost some hundredths; the dearest cost 0.001 dollars for one token. */
const CHEAP = 0.001;

/** A sentence for each time and each price that is hardly meant. */
export function findUnitNotes({ timeouts, models }: Config): readonly string[] {
  return [
    ...TIMES.filter((name) => timeouts[name] <= SHORT).map(
      (name) =>
        `timeouts.${name} is ${timeouts[name]} milliseconds. For ${timeouts[name]} seconds, write ${timeouts[name] * 1_000}.`,
    ),
    ...models
      .filter(({ prices }) => [prices.input, prices.output].some((price) => price > 0 && price < CHEAP))
      .map(
        ({ id }) =>
          `The prices of ${id} are in dollars per million tokens, and so low that they may be meant for one token.`,
      ),
  ];
}

/**
 * The models that keys, groups and callers name, each once: those that they may use, and those that have limits.
 * @param limits such as `modelLimits`.
 */
export function namedModels(
  models: readonly string[] | null = [],
  limits: readonly { readonly models: readonly string[] }[] | null = [],
): readonly string[] {
  return [...new Set([...(models ?? []), ...(limits ?? []).flatMap((limit) => limit.models)])];
}

/**
 * A sentence for each model that a key names but the catalog does not have. They are no error: the catalog may grow.
 * @param models full ids or `<vendor>/*`, as keys and groups have them.
 */
export function findUnknownModels(models: readonly string[], config: Config): readonly string[] {
  const catalog = makeCatalog(catalogModels(config), config.aliases);
  const ids = catalog.models.map(({ id }) => id);
  return models
    .filter((model) => {
      const allows = modelFilter([model]);
      return !ids.some((id) => allows(id, catalog.otherNames));
    })
    .map((model) => `Note: the catalog has no model ${model} (see "${commandLine(process.env, 'models')}").`);
}

/** Prints the same for the settings of a key or a group in the store. */
export function printUnknownModels(
  { models, model_limits: limits }: Pick<KeySettings, 'models' | 'model_limits'>,
  config: Config,
): void {
  for (const note of findUnknownModels(namedModels(models, limits), config)) console.error(note);
}
