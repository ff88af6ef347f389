/** The store, for commands that work on it: opened, used, and closed whatever happens. */

import { userInfo } from 'node:os';
import type { ArgsDef, CommandDef, ParsedArgs } from 'citty';
import type { Config } from '../config/schema.ts';
import type { Store } from '../store/store.ts';
import { type Command, command, readConfigHere } from './command.ts';
import { CommandError } from './command-error.ts';

interface StoreCommand<Options extends ArgsDef> extends Omit<Command<Options>, 'run'> {
  run(args: ParsedArgs<Options>, store: Store, config: Config): Promise<void>;
}

/** Makes a command that works on the store. */
export function storeCommand<const Options extends ArgsDef>({
  run,
  ...head
}: StoreCommand<Options>): CommandDef<Options> {
  return command({ ...head, run: (args) => withStore((store, config) => run(args, store, config)) });
}

/**
 * Calls `use` with the store of the configuration in the current directory.
 * @throws CommandError if the store cannot be opened, or fails while it is used.
 */
export async function withStore(use: (store: Store, config: Config) => Promise<void>): Promise<void> {
  const config = await readConfigHere();
  const [{ openConfiguredStore }, { isOfDatabase, getReason, StoreError }] = await Promise.all([
    import('../store/configured-store.ts'),
    import('../store/store-errors.ts'),
  ]);
  const store = await openConfiguredStore(config.store, process.cwd()).catch((error: unknown) => {
    throw error instanceof StoreError ? new CommandError(`Nothing was done: ${error.message}`) : error;
  });
  try {
    await use({ ...store, actor: { via: 'command', name: findUser() } }, config);
  } catch (error) {
    throw isOfDatabase(error) ? new CommandError(`The store failed: ${getReason(error)}.`) : error;
  } finally {
    await store.close();
  }
}

/** The user of the machine who runs the command, for the audit trail; undefined if the system does not know the name. */
function findUser(): string | undefined {
  try {
    const { username } = userInfo();
    const { SUDO_USER: behind } = process.env;
    return behind === undefined || behind === username ? username : `${behind} as ${username}`;
  } catch {
    // A container may run as a user that has no name.
    return undefined;
  }
}
