/** A configuration of this gateway that grows while one of another gateway is read. */

import { modelName, vendorName } from '../../catalog/catalog.ts';
import { defaultModels } from '../../catalog/default.ts';
import type { Model } from '../../catalog/model.ts';
import { findProvider, isCloud, type Provider } from './providers.ts';

/** What a key, an address or a setting becomes: plain data, as a configuration file writes it. */
type Written = string | number | boolean | readonly Written[] | { readonly [field: string]: Written };

/** An address of a provider in another configuration, with a key for it. */
export interface TheirPlace {
  /** Where it stands in the other configuration, for notes. */
  readonly field: string;
  /** The other gateway's name of the vendor. */
  readonly provider: string;
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly weight?: number | undefined;
}

/** What the other configuration says of a model that the catalog does not have. */
export interface TheirModel {
  readonly contextWindow?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** Dollars per million tokens. */
  readonly input?: number | undefined;
  readonly output?: number | undefined;
}

export interface Imported {
  readonly config: { readonly [field: string]: Written };
  /** Sentences on what could not be taken over, or has to be looked at. */
  readonly notes: readonly string[];
}

/** The lists of models to ask instead. */
export type FallbackField = 'fallbacks' | 'longPromptFallbacks' | 'contentPolicyFallbacks';

export interface Draft {
  /** Adds an address of a vendor. @returns the vendor's name; undefined if it cannot be taken over (it is noted). */
  place(place: TheirPlace): string | undefined;
  /** The id of a vendor's model. A model that the catalog does not have is added to `models`. */
  model(vendor: string, name: string, their?: TheirModel): string;
  /** Lets callers of the OpenAI formats ask for a model by this name. */
  alias(name: string, id: string): void;
  /** Adds models to ask instead of one. @param field the kind of fallbacks. @param id may also be `*`. */
  fallback(field: FallbackField, id: string, others: readonly string[]): void;
  /** The models that were added to `fallbacks` for an id, or for `*`. */
  fallbacks(id: string): readonly string[];
  /** Sets a field of a section, or of a vendor (`vendors.openai`). */
  set(section: string, field: string, value: Written): void;
  add(section: 'keys' | 'groups', value: { readonly [field: string]: Written }): void;
  /** A secret that the new file reads from the environment; one that stood in the file is named, never written. */
  secret(field: string, text: string, variable: string): string;
  note(sentence: string): void;
  result(): Imported;
}

/** Cautious figures for a model of which nothing is known. */
const UNKNOWN = { contextWindow: 32_768, maxOutputTokens: 4_096, input: 0, output: 0 };

export function openDraft(): Draft {
  const catalog = defaultModels();
  const places = new Map<string, { readonly [field: string]: Written }[]>();
  const sections = new Map<string, Map<string, Written>>();
  const lists = new Map<string, { readonly [field: string]: Written }[]>();
  const models = new Map<string, { readonly [field: string]: Written }>();
  const fallbacks: Readonly<Record<FallbackField, Map<string, readonly string[]>>> = {
    fallbacks: new Map(),
    longPromptFallbacks: new Map(),
    contentPolicyFallbacks: new Map(),
  };
  const notes = new Set<string>();
  const note = (sentence: string): void => void notes.add(sentence);

  /** The variables for secrets that stood in the file: the same one twice is one variable. */
  const variables = new Map<string, string>();
  const secret: Draft['secret'] = (field, text, variable) => {
    const [, named] = /^(?:os\.environ\/|env\.|process\.env\.|\$\{?)(\w+)\}?$/.exec(text) ?? [];
    if (named !== undefined) return `\${${named}}`;
    const known = variables.get(text);
    if (known !== undefined) return `\${${known}}`;
    variables.set(text, variable);
    note(`${field} holds a secret itself. The new file reads it from the variable ${variable}: set that.`);
    return `\${${variable}}`;
  };

  const findKnown = (vendor: string, name: string): Model | undefined =>
    catalog.find(({ id, upstream, aliases = [] }) => {
      if (vendorName(id) !== vendor) return false;
      return [id, ...aliases].some((each) => modelName(each) === name.toLowerCase()) || upstream === name;
    });

  return {
    note,
    secret,
    place({ field, provider, apiKey, baseUrl, weight }) {
      if (isCloud(provider)) {
        note(
          `${field}: ${provider} was left out. Set its address and its credentials by hand (docs/configuration.md, "Azure, Bedrock, Vertex AI").`,
        );
        return undefined;
      }
      const known = serverAt(provider, baseUrl) ?? findProvider(provider);
      if (known === undefined || (known.baseUrl ?? baseUrl ?? 'known') === '') {
        note(`${field}: ${provider} is not a vendor that this command knows. Add it under vendors by hand.`);
        return undefined;
      }
      const { vendor } = known;
      const before = places.get(vendor) ?? [];
      const variable = `${vendor.toUpperCase().replaceAll(/\W/g, '_')}_API_KEY`;
      const own = numbered(variable, before.length);
      const key = apiKey === undefined ? (known.key ?? `\${${variable}}`) : secret(field, apiKey, own);
      const address = baseUrl ?? known.baseUrl;
      const added = {
        apiKey: key,
        ...(address !== undefined && { baseUrl: address }),
        ...(weight !== undefined && weight > 0 && weight !== 1 && { weight }),
      };
      if (weight === 0) note(`${field} has the weight 0 and was left out.`);
      else if (!before.some((each) => each['apiKey'] === key && each['baseUrl'] === address))
        places.set(vendor, [...before, added]);
      return vendor;
    },
    model(vendor, name, their = {}) {
      // A service with models of many vendors takes their ids as they are.
      const id = vendor === 'compatible' ? name.toLowerCase() : `${vendor}/${modelName(name.toLowerCase())}`;
      const known = findKnown(vendorName(id), modelName(name));
      if (known !== undefined) {
        if (hasOtherPrices(known, their))
          note(
            `${known.id} has the prices of the catalog here. If yours differ, add the model with your prices under models.`,
          );
        return known.id;
      }
      if (models.has(id)) return id;
      const unsaid = (['contextWindow', 'maxOutputTokens', 'input', 'output'] as const).filter(
        (figure) => their[figure] === undefined,
      );
      if (unsaid.length > 0)
        note(
          `models: ${id} is not in the catalog. Correct its ${unsaid.map((figure) => (figure.endsWith('put') ? `price of ${figure}` : figure)).join(', ')}, which were guessed.`,
        );
      models.set(id, {
        id,
        ...(vendor !== 'compatible' && modelName(id) !== name && { upstream: name }),
        contextWindow: their.contextWindow ?? UNKNOWN.contextWindow,
        maxOutputTokens: their.maxOutputTokens ?? UNKNOWN.maxOutputTokens,
        prices: { input: their.input ?? UNKNOWN.input, output: their.output ?? UNKNOWN.output },
      });
      return id;
    },
    alias(name, id) {
      const full = (name.includes('/') ? name : `openai/${name}`).toLowerCase();
      if (full !== id && catalog.every((model) => model.id !== full)) setIn('aliases', full, id);
      else if (full !== id)
        note(`The name ${name} stays the model ${full} of the catalog, and was not given to ${id}.`);
    },
    fallback(field, id, others) {
      const all = [...(fallbacks[field].get(id) ?? []), ...others];
      fallbacks[field].set(
        id,
        [...new Set(all)].filter((other) => other !== id),
      );
    },
    fallbacks: (id) => fallbacks.fallbacks.get(id) ?? [],
    set: setIn,
    add: (section, value) => void lists.set(section, [...(lists.get(section) ?? []), value]),
    result() {
      const vendors = Object.fromEntries(
        [...places].map(([vendor, all]) => {
          // A vendor's only address has no weight.
          const [{ weight: _, ...only } = {}] = all;
          const set = Object.fromEntries(sections.get(`vendors.${vendor}`) ?? []);
          return [vendor, { ...(all.length === 1 ? only : { upstreams: all }), ...set }];
        }),
      );
      const rest = [...sections].filter(([name]) => !name.startsWith('vendors.'));
      return {
        notes: [...notes],
        config: {
          vendors,
          ...(models.size > 0 && { models: [...models.values()] }),
          ...Object.fromEntries(
            [...rest, ...Object.entries(fallbacks).filter(([, byId]) => byId.size > 0)].map(
              ([name, fields]) => [name, Object.fromEntries(fields)],
            ),
          ),
          ...Object.fromEntries(lists),
        },
      };
    },
  };

  function setIn(section: string, field: string, value: Written): void {
    sections.set(section, (sections.get(section) ?? new Map<string, Written>()).set(field, value));
  }
}

/** A server of one's own that speaks OpenAI's format: its vendor is named after its host. */
function serverAt(provider: string, baseUrl: string | undefined): Provider | undefined {
  if (provider !== 'openai' || baseUrl === undefined || !URL.canParse(baseUrl)) return undefined;
  const { hostname } = new URL(baseUrl);
  if (hostname === 'api.openai.com') return undefined;
  const labels = hostname.replace(/^(?:api|www)\./, '').split('.');
  const name = /^[\d.]+$/.test(hostname) ? hostname : (labels[0] ?? hostname);
  return { vendor: name.toLowerCase().replaceAll(/[^a-z0-9-]/g, '-'), key: 'none' };
}

/** Whether the other configuration has prices of its own for a model of the catalog. */
function hasOtherPrices({ prices }: Model, { input, output }: TheirModel): boolean {
  return (input ?? prices.input) !== prices.input || (output ?? prices.output) !== prices.output;
}

function numbered(variable: string, before: number): string {
  return before === 0 ? variable : `${variable}_${before + 1}`;
}
