/** Checks of one field of a configuration against another, and against the catalog. */

import { namePrefix } from '../access/identities/claims.ts';
import { vendorName } from '../catalog/catalog.ts';
import { defaultModels } from '../catalog/default.ts';
import { nearestModel, nearestVendor } from '../catalog/nearest-model.ts';
import { type ConfigError, invalidConfig } from '../lib/config-error.ts';
import { hashKey } from '../store/keys/key-secret.ts';
import { isEveryAddress } from '../upstream/net/loopback.ts';
import type { Config } from './schema.ts';
import { KNOWN_VENDORS, vendorTls, vendorWithoutAddress } from './vendors.ts';

/** The variable that set the field at a path; undefined if no variable did. */
type VariableFor = (path: readonly PropertyKey[]) => string | undefined;

/** @throws ConfigError that names the first field that contradicts another one, or names a model that does not exist. */
export function checkConfig(config: Config, variableFor: VariableFor): void {
  checkAliases(config);
  checkModels(config);
  checkModelNames(config);
  checkVendorAddresses(config);
  vendorTls(config);
  checkGroups(config);
  checkIdentities(config);
  checkKeys(config, variableFor);
  checkPorts(config);
  checkHooks(config);
  if (config.cache?.store === 'redis' && config.redis.url === undefined)
    throw invalidConfig('cache.store: redis needs redis.url (REDIS_URL)');
}

/** A worker gets the configuration as a message, which can hold no function. */
function checkHooks({ hooks, workers }: Config): void {
  if (hooks === undefined || workers === 1) return;
  throw invalidConfig('hooks: need workers: 1. Run several gateways behind a load balancer instead');
}

/** The error for fields that are not valid. @param variableFor the variable that set a field, or undefined. */
export function invalidFields(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
  variableFor: VariableFor,
): ConfigError {
  const variables = issues.map(({ path }) => variableFor(path));
  const messages = issues.map(({ path, message }, index) => {
    const variable = variables[index];
    const field = path.length === 0 ? '' : `${path.join('.')}: `;
    return `${field}${message}${variable === undefined ? '' : ` (${variable})`}`;
  });
  return invalidConfig(messages.join('; '), variables.includes(undefined));
}

function checkAliases({ aliases }: Config): void {
  for (const [alias, id] of Object.entries(aliases)) {
    if (!alias.includes('/'))
      throw invalidConfig(`aliases.${alias}: the alias must be <vendor>/<model_name> (it stands for ${id})`);
  }
}

function checkModels({ models }: Config): void {
  const seen = new Set<string>();
  for (const { id } of models) {
    const folded = id.toLowerCase();
    if (seen.has(folded)) throw invalidConfig(`models: ${id} is listed more than once`);
    seen.add(folded);
  }
}

/** Models that do not exist would be noticed only when they are used, and a fallback only when it is needed. */
function checkModelNames(config: Config): void {
  const { models, aliases, vendors } = config;
  const catalog = [...defaultModels(), ...models];
  const known = new Set<string>();
  for (const model of catalog) {
    for (const id of [model.id, ...(model.aliases ?? [])]) known.add(id.toLowerCase());
  }
  const check = (field: string, id: string): void => {
    if (known.has(id.toLowerCase())) return;
    const nearest = nearestModel(id, [...known]);
    const advice = nearest === undefined ? '' : `. Did you mean ${nearest}?`;
    throw invalidConfig(`${field}: the catalog has no model ${id}${advice}`);
  };
  const ids = new Set(catalog.map(({ id }) => id));
  const makers = [...new Set(catalog.map(({ id }) => vendorName(id)))];
  const checkVendor = (field: string, name: string): void => {
    if (makers.includes(name.toLowerCase())) return;
    const nearest = nearestVendor(name, makers);
    const advice = nearest === undefined ? '' : `. Did you mean ${nearest}/*?`;
    throw invalidConfig(`${field}: the catalog has no model of ${name}${advice}`);
  };
  // In their order, as in the catalog: an alias may stand for an alias before it.
  for (const [alias, id] of Object.entries(aliases)) {
    check(`aliases.${alias}`, id);
    known.add(alias.toLowerCase());
  }
  const checkLists = (field: string, lists: Config['fallbacks']): void => {
    for (const [name, others] of Object.entries(lists)) {
      if (name.endsWith('/*')) checkVendor(`${field}.${name}`, vendorName(name));
      else if (name !== '*') check(`${field}.${name}`, name);
      for (const other of others) check(`${field}.${name}`, other);
    }
  };
  for (const field of ['fallbacks', 'longPromptFallbacks', 'contentPolicyFallbacks'] as const)
    checkLists(field, config[field]);
  for (const [vendor, { names, upstreams }] of Object.entries(vendors)) {
    checkNames(`vendors.${vendor}.names`, vendor, names, ids);
    for (const [at, upstream] of upstreams.entries())
      checkNames(`vendors.${vendor}.upstreams.${at}.names`, vendor, upstream.names, ids);
  }
}

/** @param ids of the catalog. Names are looked up by them, in lower case as they are. */
function checkNames(
  field: string,
  vendor: string,
  names: Readonly<Record<string, string>> = {},
  ids: ReadonlySet<string>,
): void {
  for (const name of Object.keys(names)) {
    const id = name.includes('/') ? name : `${vendor}/${name}`;
    if (name !== '*' && !ids.has(id)) throw invalidConfig(`${field}.${name}: the catalog has no model ${id}`);
  }
}

/** A vendor with a key but no address serves nothing: if it is the only one, simulated vendors would answer instead. */
function checkVendorAddresses(config: Config): void {
  const name = vendorWithoutAddress(config);
  if (name === undefined) return;
  const variable = name === 'compatible' ? ' (COMPATIBLE_BASE_URL)' : '';
  const nearest = KNOWN_VENDORS.includes(name) ? undefined : nearestVendor(name, KNOWN_VENDORS);
  const advice = nearest === undefined ? '' : `. Did you mean the vendor ${nearest}?`;
  throw invalidConfig(
    `vendors.${name}.baseUrl: is required, because this vendor has a key${variable}${advice}`,
  );
}

/** A key of a group that does not exist would have no limits; of two groups with one name, one would have no effect. */
function checkGroups({ groups, keys, identities }: Config): void {
  const names = new Set<string>();
  for (const { name } of groups) {
    if (names.has(name)) throw invalidConfig(`groups: ${name} is listed more than once`);
    names.add(name);
  }
  for (const [index, { name, group }] of keys.entries()) {
    if (group === undefined || names.has(group)) continue;
    throw invalidConfig(
      `keys.${index}.group: the key ${name} names the group ${group}, which is not in groups`,
    );
  }
  for (const [index, { name, group }] of identities.entries()) {
    const field = `identities.${index}.group`;
    if (typeof group === 'string' && !names.has(group))
      throw invalidConfig(
        `${field}: callers of ${name} are to be in the group ${group}, which is not in groups`,
      );
    if (typeof group === 'object' && names.size === 0)
      throw invalidConfig(`${field}: groups is empty, so no claim can name one`);
  }
}

/** Of two entries with the same key only one would be found, so the limits of the other would have no effect. */
function checkKeys({ keys }: Config, variableFor: VariableFor): void {
  const seen = new Map<string, number>();
  for (const [index, { key, hash = hashKey(key ?? '') }] of keys.entries()) {
    const first = seen.get(hash);
    if (first !== undefined)
      throw invalidFields(
        [{ path: ['keys', index], message: `is the same key as keys.${first}` }],
        variableFor,
      );
    seen.set(hash, index);
  }
}

/** A token is checked by the one provider of its issuer, and the name of a caller must say which provider that is. */
function checkIdentities({ identities, keys }: Config): void {
  for (const [index, { name, issuer }] of identities.entries()) {
    const field = `identities.${index}`;
    const others = identities.slice(0, index);
    const sameName = others.findIndex((other) => other.name === name);
    if (sameName >= 0) throw invalidConfig(`${field}.name: is also the name of identities.${sameName}`);
    const sameIssuer = others.findIndex((other) => other.issuer === issuer);
    if (sameIssuer >= 0)
      throw invalidConfig(`${field}.issuer: is also the issuer of identities.${sameIssuer}`);
    const key = keys.findIndex((one) => one.name.startsWith(namePrefix(name)));
    if (key >= 0)
      throw invalidConfig(`keys.${key}.name: must not begin like the names of callers of ${field}`);
  }
}

/** Otherwise the second listener would end the start with an error that names neither field. */
function checkPorts({ host, port, admin }: Config): void {
  const isSame = admin.host === host || isEveryAddress(admin.host) || isEveryAddress(host);
  if (admin.key === undefined || port === 0 || admin.port !== port || !isSame) return;
  throw invalidConfig(`admin.port: must differ from port, which is also ${port}`);
}
