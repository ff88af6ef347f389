/** The catalog as the console has it: loaded again whenever the key changes. */

import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { errorMessage, Refused, reach, readRefusal } from '../session/reach.ts';
import type { Session } from '../session/session.ts';
import type { Model } from './model.ts';

export interface Catalog {
  readonly models: ReadonlySignal<readonly Model[]>;
  /** Why there are no models; empty if there are, or if no key is given. */
  readonly problem: ReadonlySignal<string>;
}

/** Milliseconds until the models are asked for again because there was no answer, as during a restart of the gateway. */
const AGAIN = 3_000;

export function followModels({ key }: Session): Catalog {
  const models = signal<readonly Model[]>([]);
  const problem = signal('');
  effect(() => {
    const asked = key.value;
    if (!asked) {
      models.value = [];
      problem.value = '';
      return undefined;
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async (): Promise<void> => {
      try {
        const found = await listModels(asked);
        if (key.value !== asked) return;
        models.value = found;
        problem.value = '';
      } catch (error) {
        if (key.value !== asked) return;
        models.value = [];
        problem.value = errorMessage(error);
        if (!(error instanceof Refused && error.status < 500)) timer = setTimeout(load, AGAIN);
      }
    };
    void load();
    return () => clearTimeout(timer);
  });
  return { models, problem };
}

/**
 * Lists the models that a key may use.
 * @throws Error if the gateway cannot be reached, and Refused if it rejects the key
 */
async function listModels(key: string): Promise<readonly Model[]> {
  const response = await reach('/console/models.json', { headers: { authorization: `Bearer ${key}` } });
  if (!response.ok) throw await readRefusal(response);
  const { models }: { readonly models: readonly Model[] } = await response.json();
  return models;
}
