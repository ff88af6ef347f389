/**
 * The conversation that is open, and those whose answers go on while another one is open. All are kept in the browser, as
 * far as it lets them.
 */

import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { errorMessage } from '../session/reach.ts';
import type { ConversationStore, Head } from '../store/conversations.ts';
import type { Conversation } from './conversation.ts';
import { announceAnswer, changeNodes, followAnswer, settleAnswers } from './running-answers.ts';

/** An answer that is running. */
export interface Running {
  /** The id of its conversation. */
  readonly conversation: string;
  readonly stopper: AbortController;
  /** Tells other tabs that it has ended. */
  readonly release: () => void;
}

export interface OpenConversations {
  readonly heads: Signal<readonly Head[]>;
  /** The open one. */
  readonly current: Signal<Conversation>;
  /** Whether an answer of the open one is running. */
  readonly isBusy: ReadonlySignal<boolean>;
  /** Why the browser does not keep the conversations; empty if it does. */
  readonly problem: Signal<string>;
  /** One as it stands: the open one, or one whose answers go on. */
  find(id: string): Conversation | undefined;
  /** Finds one as it stands, or as it is kept, and follows those of its answers that other tabs are receiving. */
  follow(id: string): Promise<Conversation | undefined>;
  /** Finds one as it stands, or as it is kept. */
  load(id: string): Promise<Conversation | undefined>;
  replace(changed: Conversation): void;
  /** Opens one. */
  show(next: Conversation): void;
  save(saved: Conversation): Promise<void>;
  /** Stops the answers of one, and forgets it. */
  remove(id: string): Promise<void>;
  /** Notes that an answer of the open one has begun. @param answer its id */
  begin(answer: string): Running;
  /** Notes that an answer has ended, and keeps its conversation, unless this one has been deleted meanwhile. */
  end(answer: Running): Promise<void>;
  /** Stops the answers of one. */
  stop(id: string): void;
}

/** @param make makes an empty conversation, with the models and the settings of the one before */
export function trackConversations(
  store: Promise<ConversationStore>,
  make: (before?: Conversation) => Conversation,
): OpenConversations {
  const heads = signal<readonly Head[]>([]);
  const current = signal(make());
  const running = signal<readonly Running[]>([]);
  const problem = signal('');
  /** Those that are not open, and whose answers go on. */
  const aside = new Map<string, Conversation>();
  const isRunning = (id: string): boolean => running.value.some(({ conversation }) => conversation === id);

  const find = (id: string): Conversation | undefined =>
    current.value.id === id ? current.value : aside.get(id);

  /** What the browser cannot keep or find is said, and ends no conversation. */
  async function inStore<T>(work: (opened: ConversationStore) => Promise<T>): Promise<T | undefined> {
    try {
      const opened = await store;
      const result = await work(opened);
      heads.value = await opened.list();
      problem.value = '';
      return result;
    } catch (error) {
      problem.value = `This browser does not keep the conversation. ${describeError(error)}`;
      return undefined;
    }
  }
  void inStore(async (opened) => opened.follow(() => void inStore(async () => undefined)));

  async function save(saved: Conversation): Promise<void> {
    if (Object.keys(saved.nodes).length > 0) await inStore((opened) => opened.put(saved));
  }

  const load = async (id: string): Promise<Conversation | undefined> =>
    find(id) ?? (await inStore((opened) => opened.get(id)));

  /** Takes the end of an answer that another tab has received, if it has received one. */
  async function takeEnd(id: string, answer: string): Promise<void> {
    const kept = await inStore((opened) => opened.get(id));
    const settled = kept && (await settleAnswers(kept));
    const ended = settled?.nodes[answer];
    const open = find(id);
    if (open && ended) replace(changeNodes(open, [ended]));
  }

  function replace(changed: Conversation): void {
    if (current.value.id === changed.id) current.value = changed;
    else aside.set(changed.id, changed);
  }

  function stop(id: string): void {
    for (const { conversation, stopper } of running.value) if (conversation === id) stopper.abort();
  }

  return {
    heads,
    current,
    isBusy: computed(() => isRunning(current.value.id)),
    problem,
    find,
    async follow(id) {
      const found = await load(id);
      if (found === undefined || find(id)) return found;
      const settled = await settleAnswers(found);
      for (const node of Object.values(settled.nodes))
        if (node.kind === 'answer' && node.state === 'elsewhere')
          followAnswer(node.id, () => void takeEnd(id, node.id));
      return settled;
    },
    load,
    replace,
    show(next) {
      if (isRunning(current.value.id)) aside.set(current.value.id, current.value);
      aside.delete(next.id);
      current.value = next;
    },
    save,
    async remove(id) {
      stop(id);
      aside.delete(id);
      // From here on its answers have no place, so that their ends do not bring it back.
      if (current.value.id === id) current.value = make(current.value);
      await inStore((opened) => opened.remove(id));
    },
    begin(id) {
      const answer: Running = {
        conversation: current.value.id,
        stopper: new AbortController(),
        release: announceAnswer(id),
      };
      running.value = [...running.value, answer];
      void save(current.value);
      return answer;
    },
    async end(answer) {
      running.value = running.value.filter((other) => other !== answer);
      const ended = find(answer.conversation);
      if (ended) await save(ended);
      answer.release();
      if (!isRunning(answer.conversation)) aside.delete(answer.conversation);
    },
    stop,
  };
}

function describeError(error: unknown): string {
  return error instanceof DOMException && error.name === 'QuotaExceededError'
    ? 'There is no room: delete conversations that you no longer need.'
    : errorMessage(error);
}
