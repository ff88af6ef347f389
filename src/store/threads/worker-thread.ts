/**
 * A thread of the program's own, in which several modules serve. Each thread takes 9 MB (measured), so what may wait for
 * the disk shares one.
 */

import { type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { exposeCollector } from './release-heap.ts';

/**
 * The most that a thread's young generation may take within another program, in MB. V8's own limit is 48. It takes as
 * little CPU with 16. The gateway's own program bounds it by a flag (`cli/bound-memory.js`), which V8 prefers to this.
 */
const YOUNG_GENERATION = 16;

/** What a module that serves in a thread exports. */
export interface ThreadModule {
  /**
   * Answers the messages of a port, and closes it when it is asked to end.
   * @param data is what was given to `WorkerThread.serve`.
   */
  serve(port: MessagePort, data: unknown): void | Promise<void>;
}

/** What a thread is sent: a module that is to serve, or that no module is left. */
export type ThreadOrder =
  | { readonly module: string; readonly port: MessagePort; readonly data: unknown }
  | 'end';

/** A thread that runs, and the ports of the modules that serve in it. */
interface Running {
  readonly worker: Worker;
  readonly ports: Set<{ threadEnded(reason: unknown): void }>;
}

/** It runs while a module serves in it, and does not keep the process alive. */
export class WorkerThread {
  #running: Running | undefined;

  /**
   * Lets a module serve. Starts the thread if it does not run.
   * @param from `import.meta.url` of the module that asks for it
   * @param name the name of the module to run, in the same folder, without its extension
   * @param data plain data for the module
   * @param read called with each message of the module
   * @typeParam Answer what the module sends
   */
  serve<Answer>(
    from: string,
    name: string,
    data: unknown,
    read: (message: Answer) => void,
  ): ThreadPort<Answer> {
    this.#running ??= this.#start();
    const { worker, ports } = this.#running;
    const { port1, port2 } = new MessageChannel();
    const port: ThreadPort<Answer> = new ThreadPort(port1, read, () => {
      ports.delete(port);
      if (ports.size > 0 || this.#running?.ports !== ports) return;
      this.#running = undefined;
      worker.postMessage('end' satisfies ThreadOrder);
    });
    ports.add(port);
    const order: ThreadOrder = { module: locate(from, name).href, port: port2, data };
    worker.postMessage(order, [port2]);
    return port;
  }

  #start(): Running {
    exposeCollector();
    const worker = new Worker(locate(import.meta.url, 'thread-host'), {
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION },
    });
    const ports: Running['ports'] = new Set();
    let failure: unknown;
    worker.once('error', (error) => {
      failure = error;
    });
    worker.once('exit', () => {
      if (this.#running?.ports === ports) this.#running = undefined;
      for (const port of ports) port.threadEnded(failure ?? new Error('The thread has ended.'));
    });
    worker.unref();
    return { worker, ports };
  }
}

/** The way to a module that serves in a thread. It does not keep the process alive, unless `ref` is called. */
export class ThreadPort<Answer> {
  /** Resolves when the module serves no more: with the reason if its thread has ended unasked, otherwise with undefined. */
  readonly ended: Promise<unknown>;
  readonly #port: MessagePort;
  readonly #read: (message: Answer) => void;
  readonly #end: (reason: unknown) => void;
  #isEnding = false;

  /**
   * @param read called with each message of the module
   * @param onEnd called before `ended` resolves
   */
  constructor(port: MessagePort, read: (message: Answer) => void, onEnd: () => void) {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.ended = promise;
    this.#port = port;
    this.#read = read;
    this.#end = (reason) => {
      onEnd();
      resolve(reason);
    };
    port.on('message', read);
    // A thread that fails closes its ports too, and says the reason only then.
    port.once('close', () => {
      if (this.#isEnding) this.#end(undefined);
    });
    port.unref();
  }

  post(message: unknown): void {
    this.#port.postMessage(message);
  }

  /** Keeps the process alive until `unref` or, once the module is asked to end, until it has. */
  ref(): void {
    this.#port.ref();
  }

  unref(): void {
    if (!this.#isEnding) this.#port.unref();
  }

  /** Sends the message that asks the module to close its port. @returns `ended` */
  end(message: unknown): Promise<unknown> {
    this.#isEnding = true;
    this.#port.ref();
    this.#port.postMessage(message);
    return this.ended;
  }

  /** Reads what the thread has still sent, and ends. */
  threadEnded(reason: unknown): void {
    for (let last = receiveMessageOnPort(this.#port); last; last = receiveMessageOnPort(this.#port)) {
      this.#read(last.message);
    }
    this.#port.close();
    this.#end(reason);
  }
}

function locate(from: string, name: string): URL {
  // The compiled program's modules end in .js, and the compiler does not rewrite URLs.
  return new URL(`./${name}.${from.endsWith('.ts') ? 'ts' : 'js'}`, from);
}
