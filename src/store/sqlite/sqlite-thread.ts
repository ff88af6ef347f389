/** A SQLite file that another thread has open. */

import type { ThreadPort, WorkerThread } from '../threads/worker-thread.ts';
import {
  type FileOptions,
  type OpenSqlite,
  type Outcome,
  type SqliteFile,
  type Statement,
  toError,
} from './sqlite-file.ts';

/** Opens files in a thread. */
export function openInThread(thread: WorkerThread): OpenSqlite {
  return async (options) => {
    const file = new FileInThread(thread, options);
    try {
      const outcome = await file.opened;
      if ('failure' in outcome) throw toError(outcome);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  };
}

class FileInThread implements SqliteFile {
  /** What opening it has led to. */
  readonly opened: Promise<Outcome<unknown>>;
  readonly #port: ThreadPort<Outcome<never>>;
  /** Takes the next answer. Only one statement runs at a time. */
  #asking: Asking | undefined;
  /** Why it cannot be asked any more. */
  #gone: unknown;

  constructor(thread: WorkerThread, options: FileOptions) {
    this.#port = thread.serve(import.meta.url, 'sqlite-service', options, (outcome: Outcome<never>) => {
      this.#port.unref();
      this.#asking?.resolve(outcome);
    });
    this.opened = this.#answer();
    void this.#port.ended.then((reason) => {
      this.#gone = reason ?? new Error('The database is closed.');
      this.#asking?.reject(this.#gone);
    });
  }

  async run<R>(statement: Statement): Promise<Outcome<R>> {
    if (this.#gone !== undefined) throw this.#gone;
    const answer = this.#answer<R>();
    this.#port.post(statement);
    return answer;
  }

  /** The next answer. While it is awaited, the process stays alive. */
  #answer<R>(): Promise<Outcome<R>> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome<R>>();
    this.#asking = { resolve, reject };
    this.#port.ref();
    return promise;
  }

  isOpen(): boolean {
    return this.#gone === undefined;
  }

  async close(): Promise<void> {
    if (this.isOpen()) await this.#port.end('close');
  }
}

interface Asking {
  /** The rows are what the statement says. */
  readonly resolve: (outcome: Outcome<never>) => void;
  readonly reject: (reason: unknown) => void;
}
