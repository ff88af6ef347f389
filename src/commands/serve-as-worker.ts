/** `gateway start` in one of several processes: serves, and does as the first process says. */

import { z } from 'zod';
import { openAccounts } from '../accounts.ts';
import type { Config } from '../config/schema.ts';
import { endingOf, onSignals } from '../ending.ts';
import { openTeller } from '../observe/teller.ts';
import { tellMetrics } from '../observe/worker-metrics.ts';
import { startServing } from '../serving.ts';
import { openConfiguredStore } from '../store/configured-store.ts';
import { openWatching } from '../watching.ts';
import { obey, tellFirst } from '../workers.ts';
import { closingWith, openConfigured, rereadSettings, type Surroundings } from './open-configured.ts';
import { orExit } from './or-exit.ts';

const placesSchema = z.record(z.string(), z.object({ baseUrl: z.string(), apiKey: z.string() }));

export async function serveAsWorker(config: Config, from: Surroundings): Promise<void> {
  const told = from.environment['GATEWAY_SANDBOX'];
  const simulated = told === undefined ? undefined : placesSchema.parse(JSON.parse(told));
  const teller = openTeller();
  const { trouble } = teller;
  const store = await orExit(openConfiguredStore(config.store, from.directory, trouble));
  const accounts = await orExit(openAccounts(store, config, trouble));
  const watching = await orExit(openWatching(config, from.environment, accounts, false, trouble));
  teller.into(watching.log);
  const company = {
    keys: accounts.keys,
    limits: accounts.limits,
    ...watching.company,
    ...(simulated && { simulated }),
  };
  const open = (all: Config) => openConfigured(oneShare(all), company);

  const serving = closingWith(await orExit(startServing(await orExit(open(config)), trouble)), {
    accounts,
    watching,
    teller,
  });
  watching.follow(serving);
  tellMetrics(watching.metrics);
  const ending = endingOf(serving, teller);
  let last = Promise.resolve();
  onSignals(ending);
  obey({
    end: ending.begin,
    hurry: ending.hurry,
    reload() {
      last = last.then(reload);
    },
  });
  tellFirst('ready');

  // The first process has read the same before, and has told whatever is wrong with it.
  async function reload(): Promise<void> {
    try {
      await watching.reload(async () =>
        serving.exchange(await open(await rereadSettings(from, serving.current().sandboxed))),
      );
    } catch (error) {
      trouble(`A worker stays as it was: ${error}`);
    }
  }
}

/** Limits are those of all workers together. */
function oneShare(config: Config): Config {
  const { inFlight, inFlightPerKey } = config.limits;
  const share = (limit: number): number => Math.ceil(limit / config.workers);
  const limits = { ...config.limits, inFlight: share(inFlight), inFlightPerKey: share(inFlightPerKey) };
  return { ...config, limits };
}
