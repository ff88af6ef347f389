/** What the simulated vendors know: their models, and what they have seen so far. */

import { randomUUID } from 'node:crypto';
import { modelName, vendorName } from '../catalog/catalog.ts';
import type { Model } from '../catalog/model.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Script, Stamp } from './script.ts';

export type SimulatedVendor = 'openai' | 'anthropic' | 'google' | 'compatible';

/** A map that forgets its oldest entries, since a sandbox may run for weeks. */
export interface Memory<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
  delete(key: string): void;
}

/** A response that OpenAI keeps. */
export interface StoredResponse {
  /** The whole dialogue up to its end, for requests that continue it. */
  readonly dialogue: readonly JsonObject[];
  /** The items that its own request has brought, each with an id. */
  readonly input: readonly JsonObject[];
  readonly script: Script;
  readonly stamp: Stamp;
  /** The characters of all requests of the dialogue. */
  readonly size: number;
  /** When it is finished, in milliseconds since 1970: later than the first answer, if it is made in the background. */
  readonly ready: number;
  readonly isCancelled?: true;
}

/** The state of all simulated vendors. */
export interface SandboxState {
  /** The models of each vendor, by every name it knows them by. */
  readonly models: Readonly<Record<SimulatedVendor, ReadonlyMap<string, Model>>>;
  readonly keys: Readonly<Record<SimulatedVendor, string>>;
  /** Prompts seen, as hashes. */
  readonly prompts: Memory<true>;
  /** Items of stored responses, and the responses, by their ids. */
  readonly items: Memory<JsonObject>;
  readonly responses: Memory<StoredResponse>;
  /** Threads of messages, by the id of their last answer. */
  readonly threads: Memory<JsonObject>;
  /** What the compatible service refuses beyond what its format does. It stands for a router that takes all, without this. */
  readonly checkCompatible?: ((body: JsonObject, model: Model) => void) | undefined;
}

/** @returns the models of each simulated vendor, by every name in lower case that it knows them by */
export function modelsByName(models: readonly Model[]): SandboxState['models'] {
  const byName = {
    openai: new Map<string, Model>(),
    anthropic: new Map<string, Model>(),
    google: new Map<string, Model>(),
    compatible: new Map<string, Model>(),
  };
  for (const model of models) {
    const vendor = vendorName(model.id);
    const ids = [model.id, ...(model.aliases ?? [])];
    if (!isNamedVendor(vendor)) {
      for (const id of ids) byName.compatible.set(id.toLowerCase(), model);
      continue;
    }
    const names = ids.filter((id) => vendorName(id) === vendor).map(modelName);
    if (model.upstream !== undefined) names.push(model.upstream);
    for (const name of names) byName[vendor].set(name.toLowerCase(), model);
  }
  return byName;
}

/** Whether there is a simulated vendor of this name. All other vendors' models are at the compatible one. */
function isNamedVendor(name: string): name is 'openai' | 'anthropic' | 'google' {
  return name === 'openai' || name === 'anthropic' || name === 'google';
}

/** @returns a world with these models and new keys, in which nothing has been seen */
export function createState(models: readonly Model[]): SandboxState {
  return {
    models: modelsByName(models),
    keys: {
      openai: `sk-sandbox-${newId()}`,
      anthropic: `sk-ant-sandbox-${newId()}`,
      google: `AIzaSandbox${newId()}`,
      compatible: `sk-or-sandbox-${newId()}`,
    },
    prompts: memory(10_000),
    items: memory(2_000),
    responses: memory(500, ({ size }) => size),
    threads: memory(500, (thread) => JSON.stringify(thread).length),
  };
}

/** The most characters of what a memory holds: pictures take megabytes. The newest is held whatever it takes. */
const MAX_HELD = 64 * 1024 * 1024;

/** @param measure returns the characters of a value; absent for values that are small */
function memory<T>(limit: number, measure: (value: T) => number = () => 0): Memory<T> {
  const entries = new Map<string, T>();
  let held = 0;
  const drop = (key: string): void => {
    const value = entries.get(key);
    if (value === undefined) return;
    entries.delete(key);
    held -= measure(value);
  };
  return {
    get: (key) => entries.get(key),
    delete: drop,
    set(key, value) {
      drop(key);
      entries.set(key, value);
      held += measure(value);
      for (const oldest of entries.keys()) {
        if (oldest === key || (entries.size <= limit && held <= MAX_HELD)) return;
        drop(oldest);
      }
    },
  };
}

/** @returns 32 random hexadecimal digits */
export function newId(): string {
  return randomUUID().replaceAll('-', '');
}

/**
 * @param model the model as the answer names it
 * @returns what distinguishes the next answer: a new id, and the time
 */
export function stampFor(model: string, body: JsonObject): Stamp {
  return { id: newId(), model, created: Math.floor(Date.now() / 1000), body };
}
