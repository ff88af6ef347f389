/** For commands that work on the store: it is opened, used, and closed whatever happens. */

import type { z } from 'zod';
import type { Config } from '../config/schema.ts';
import { openConfiguredStore } from '../store/configured-store.ts';
import type { Store } from '../store/store.ts';
import { isShort, reasonOf, StoreError } from '../store/store-errors.ts';
import { configHere } from './config-here.ts';
import { Refusal, tellingRefusals } from './refusal.ts';

/** Runs `use` on the store of the configuration here. A Refusal, or a store that is full or away, ends the process with exit code 1. */
export function withStore(use: (store: Store, config: Config) => Promise<void>): Promise<void> {
  return tellingRefusals(async () => {
    const config = await configHere();
    const store = await openConfiguredStore(config.store, process.cwd()).catch((error: unknown) => {
      throw error instanceof StoreError ? new Refusal(`Nothing was done: ${error.message}`) : error;
    });
    try {
      await use(store, config);
    } catch (error) {
      throw isShort(error) ? new Refusal(`The store failed: ${reasonOf(error)}.`) : error;
    } finally {
      await store.close();
    }
  });
}

/**
 * Options as `schema` has them.
 * @param subject what is checked, where it is none of several options.
 * @throws Refusal that names the option.
 */
export function checkedOptions<S extends z.ZodType>(options: unknown, schema: S, subject = ''): z.output<S> {
  const parsed = schema.safeParse(options);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const option = String(issue?.path[0] ?? '').replaceAll('_', '-');
  throw new Refusal(`${option === '' ? subject : `--${option}:`} ${issue?.message ?? 'is not valid'}`);
}
