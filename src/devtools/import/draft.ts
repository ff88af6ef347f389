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

/** A section, an address or a model, as it is written. */
type Fields = { readonly [field: string]: Written };

export interface Imported {
  readonly config: Fields;
  /** Sentences on what could not be taken over, or has to be looked at. */
  readonly notes: readonly string[];
}

/** The lists of models to ask instead. */
export type FallbackField = 'fallbacks' | 'longPromptFallbacks' | 'contentPolicyFallbacks';

/** Cautious figures for a model of which nothing is known. */
const UNKNOWN = { contextWindow: 32_768, maxOutputTokens: 4_096, input: 0, output: 0 };

export class Draft {
  readonly #catalog = defaultModels();
  /** The addresses of each vendor. */
  readonly #places = new Map<string, Fields[]>();
  readonly #sections = new Map<string, Map<string, Written>>();
  readonly #lists = new Map<string, Fields[]>();
  /** The models that the catalog does not have, by id. */
  readonly #models = new Map<string, Fields>();
  readonly #fallbacks: Readonly<Record<FallbackField, Map<string, readonly string[]>>> = {
    fallbacks: new Map(),
    longPromptFallbacks: new Map(),
    contentPolicyFallbacks: new Map(),
  };
  /** The variables for secrets that stood in the file: the same one twice is one variable. */
  readonly #variables = new Map<string, string>();
  readonly #notes = new Set<string>();

  note(sentence: string): void {
    this.#notes.add(sentence);
  }

  /** A secret that the new file reads from the environment; one that stood in the file is named, never written. */
  secret(field: string, text: string, variable: string): string {
    const [, named] = /^(?:os\.environ\/|env\.|process\.env\.|\$\{?)(\w+)\}?$/.exec(text) ?? [];
    if (named !== undefined) return `\${${named}}`;
    const known = this.#variables.get(text);
    if (known !== undefined) return `\${${known}}`;
    this.#variables.set(text, variable);
    this.note(
      `${field} holds a secret itself. The new file reads it from the variable ${variable}: set that.`,
    );
    return `\${${variable}}`;
  }

  /** Adds an address of a vendor. @returns the vendor's name; undefined if it cannot be taken over (it is noted). */
  place(their: TheirPlace): string | undefined {
    const { field, provider, baseUrl } = their;
    if (isCloud(provider)) {
      this.note(
        `${field}: ${provider} was left out. Set its address and its credentials by hand (docs/configuration.md, "Azure, Bedrock, Vertex AI").`,
      );
      return undefined;
    }
    const known = serverAt(provider, baseUrl) ?? findProvider(provider);
    if (known === undefined || (known.baseUrl ?? baseUrl ?? 'known') === '') {
      this.note(
        `${field}: ${provider} is not a vendor that this command knows. Add it under vendors by hand.`,
      );
      return undefined;
    }
    this.#addPlace(known, their);
    return known.vendor;
  }

  #addPlace(known: Provider, { field, apiKey, baseUrl, weight }: TheirPlace): void {
    const { vendor } = known;
    const before = this.#places.get(vendor) ?? [];
    const variable = `${vendor.toUpperCase().replaceAll(/\W/g, '_')}_API_KEY`;
    const own = numbered(variable, before.length);
    const key = apiKey === undefined ? (known.key ?? `\${${variable}}`) : this.secret(field, apiKey, own);
    const address = baseUrl ?? known.baseUrl;
    const added = {
      apiKey: key,
      ...(address !== undefined && { baseUrl: address }),
      ...(weight !== undefined && weight > 0 && weight !== 1 && { weight }),
    };
    if (weight === 0) this.note(`${field} has the weight 0 and was left out.`);
    else if (!before.some((each) => each['apiKey'] === key && each['baseUrl'] === address))
      this.#places.set(vendor, [...before, added]);
  }

  /** The id of a vendor's model. A model that the catalog does not have is added to `models`. */
  model(vendor: string, name: string, their: TheirModel = {}): string {
    // A service with models of many vendors takes their ids as they are.
    const id = vendor === 'compatible' ? name.toLowerCase() : `${vendor}/${modelName(name.toLowerCase())}`;
    const known = this.#findKnown(vendorName(id), modelName(name));
    if (known !== undefined) {
      if (hasOtherPrices(known, their))
        this.note(
          `${known.id} has the prices of the catalog here. If yours differ, add the model with your prices under models.`,
        );
      return known.id;
    }
    if (!this.#models.has(id)) {
      const isRenamed = vendor !== 'compatible' && modelName(id) !== name;
      this.#addModel(id, isRenamed ? { upstream: name } : {}, their);
    }
    return id;
  }

  #findKnown(vendor: string, name: string): Model | undefined {
    return this.#catalog.find(({ id, upstream, aliases = [] }) => {
      if (vendorName(id) !== vendor) return false;
      return [id, ...aliases].some((each) => modelName(each) === name.toLowerCase()) || upstream === name;
    });
  }

  #addModel(id: string, names: Fields, their: TheirModel): void {
    const unsaid = (['contextWindow', 'maxOutputTokens', 'input', 'output'] as const).filter(
      (figure) => their[figure] === undefined,
    );
    if (unsaid.length > 0)
      this.note(
        `models: ${id} is not in the catalog. Correct its ${unsaid.map((figure) => (figure.endsWith('put') ? `price of ${figure}` : figure)).join(', ')}, which were guessed.`,
      );
    this.#models.set(id, {
      id,
      ...names,
      contextWindow: their.contextWindow ?? UNKNOWN.contextWindow,
      maxOutputTokens: their.maxOutputTokens ?? UNKNOWN.maxOutputTokens,
      prices: { input: their.input ?? UNKNOWN.input, output: their.output ?? UNKNOWN.output },
    });
  }

  /** Lets callers of the OpenAI formats ask for a model by this name. */
  alias(name: string, id: string): void {
    const full = (name.includes('/') ? name : `openai/${name}`).toLowerCase();
    if (full === id) return;
    if (this.#catalog.every((model) => model.id !== full)) this.set('aliases', full, id);
    else this.note(`The name ${name} stays the model ${full} of the catalog, and was not given to ${id}.`);
  }

  /** Adds models to ask instead of one. @param field the kind of fallbacks. @param id may also be `*`. */
  fallback(field: FallbackField, id: string, others: readonly string[]): void {
    const byId = this.#fallbacks[field];
    const all = new Set([...(byId.get(id) ?? []), ...others]);
    all.delete(id);
    byId.set(id, [...all]);
  }

  /** The models that were added to `fallbacks` for an id, or for `*`. */
  fallbacks(id: string): readonly string[] {
    return this.#fallbacks.fallbacks.get(id) ?? [];
  }

  /** Sets a field of a section, or of a vendor (`vendors.openai`). @param value undefined if the other file has none. */
  set(section: string, field: string, value: Written | undefined): void {
    if (value === undefined) return;
    const fields = this.#sections.get(section) ?? new Map<string, Written>();
    this.#sections.set(section, fields.set(field, value));
  }

  /** Sets how often a request is repeated. @param field where the other file says so. */
  retries(field: string, wanted: number | undefined): void {
    if (wanted === undefined) return;
    this.set('retries', 'limit', Math.min(2, Math.trunc(wanted)));
    if (wanted > 2) this.note(`${field}: ${wanted} became 2, the most there is.`);
  }

  add(section: 'keys' | 'groups', value: Fields): void {
    this.#lists.set(section, [...(this.#lists.get(section) ?? []), value]);
  }

  result(): Imported {
    const sections = [...this.#sections].filter(([name]) => !name.startsWith('vendors.'));
    const fallbacks = Object.entries(this.#fallbacks).filter(([, byId]) => byId.size > 0);
    return {
      notes: [...this.#notes],
      config: {
        vendors: this.#vendors(),
        ...(this.#models.size > 0 && { models: [...this.#models.values()] }),
        ...Object.fromEntries(
          [...sections, ...fallbacks].map(([name, fields]) => [name, Object.fromEntries(fields)]),
        ),
        ...Object.fromEntries(this.#lists),
      },
    };
  }

  #vendors(): Fields {
    return Object.fromEntries(
      [...this.#places].map(([vendor, all]) => {
        // A vendor's only address has no weight.
        const [{ weight: _, ...only } = {}] = all;
        const set = Object.fromEntries(this.#sections.get(`vendors.${vendor}`) ?? []);
        return [vendor, { ...(all.length === 1 ? only : { upstreams: all }), ...set }];
      }),
    );
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
