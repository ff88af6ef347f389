/** Where the greeting of a start goes: a terminal, a log, or the file of a first key. */

import type { Log } from '../accounting/log/log.ts';
import type { Config } from '../config/schema.ts';
import type { Diagnostics } from '../lib/diagnostics.ts';
import { codeBehind } from '../lib/error-code.ts';
import type { Store } from '../store/store.ts';
import { describeKeyFile, type FirstKey, writePrivately } from './first-key.ts';
import { type Greeting, greeting } from './greeting.ts';
import { findVendorNotes } from './vendor-notes.ts';

/** Prints the greeting of a gateway that serves. @param log the access log; undefined if there is none. */
export type Announce = (served: Omit<Greeting, 'made' | 'hints'>, log: Log | undefined) => void;

/**
 * The greeting is for people; a JSON log gets it line by line. A new key never goes into a log: it goes to the terminal
 * (to standard error if JSON was asked for by name), or without a terminal, with the whole greeting, into its file.
 * @param first the new key; a text: why none was made; undefined: none was needed.
 * @param notes sentences on the configuration, besides those on its vendors.
 */
export function announceStart(
  first: FirstKey | string | undefined,
  config: Config,
  { newer }: Store,
  { info }: Diagnostics,
  notes: readonly string[],
): Announce {
  const made = typeof first === 'string' ? undefined : first;
  const cancel = printKeyOnExit(made);
  return (served, log) => {
    cancel();
    const key = made?.key;
    const file = made?.file;
    // Reads the catalog. By now the gateway serves, so no caller waits for that.
    const hints = [...describeNewerTables(newer), ...notes, ...findVendorNotes(config)];
    if (typeof first === 'string') hints.push(first);
    else if (file !== undefined) {
      const unwritten = addGreeting(file, greeting({ ...served, made: key, hints }));
      hints.push(describeKeyFile(file), ...unwritten);
    }
    const shown = file === undefined ? key : undefined;
    const forPeople = greeting({ ...served, made: shown, hints });
    if (log?.style !== 'json' || (shown !== undefined && config.log !== 'json')) {
      console.log(forPeople);
      return;
    }
    for (const line of greeting({ ...served, made: undefined, hints }).split('\n')) info(line);
    if (shown !== undefined) console.error(forPeople);
  };
}

/**
 * Puts the greeting into the file of a first key, which has the key already. The gateway serves by now, so a disk that has
 * become full ends nothing.
 * @returns a sentence if the file could not be written.
 */
function addGreeting(file: string, text: string): readonly string[] {
  try {
    writePrivately(file, text);
    return [];
  } catch (error) {
    return [`It has nothing but the key, because more could not be written to it${codeBehind(error)}.`];
  }
}

/** Tells an operator who went back to this version that a newer one has changed the tables. */
function describeNewerTables(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  return [
    `A newer version of the gateway has added to the tables (${names.join(', ')}). This version does not use that, and leaves it as it is.`,
  ];
}

/**
 * Prints the new key if the process ends before the greeting: the next start makes no other one.
 * @returns cancels that.
 */
function printKeyOnExit(made: FirstKey | undefined): () => void {
  if (made === undefined) return () => {};
  const print = (): void =>
    console.error(
      made.file === undefined
        ? `This start had already made your API key: ${made.key}. Save it now: only its hash is stored, so it cannot be shown again.`
        : describeKeyFile(made.file),
    );
  process.once('exit', print);
  return () => process.off('exit', print);
}
