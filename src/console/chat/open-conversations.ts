/**
 * The conversation that is open, and those whose answers go on while another one is open. All are kept in the browser, as
 * far as it lets them.
 */

import { computed, signal } from '@preact/signals';
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

/** @param make makes an empty conversation, with the models and the settings of the one before */
export function trackConversations(
  store: Promise<ConversationStore>,
  make: (before?: Conversation) => Conversation,
) {
  const heads = signal<readonly Head[]>([]);
  const current = signal(make());
  const running = signal<readonly Running[]>([]);
  const problem = signal('');
  /** Those that are not open, and whose answers go on. */
  const aside = new Map<string, Conversation>();
  const isRunning = (id: string): boolean => running.value.some(({ conversation }) => conversation === id);

  /** One as it stands: the open one, or one whose answers go on. */
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

  /** Finds one as it stands, or as it is kept. */
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

  /** Stops the answers of one. */
  function stop(id: string): void {
    for (const { conversation, stopper } of running.value) if (conversation === id) stopper.abort();
  }

  return {
    heads,
    /** The open one. */
    current,
    /** Whether an answer of the open one is running. */
    isBusy: computed(() => isRunning(current.value.id)),
    /** Why the browser does not keep the conversations; empty if it does. */
    problem,
    find,
    /** Finds one as it stands, or as it is kept, and follows those of its answers that other tabs are receiving. */
    async follow(id: string): Promise<Conversation | undefined> {
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
    /** Opens one. */
    show(next: Conversation): void {
      if (isRunning(current.value.id)) aside.set(current.value.id, current.value);
      aside.delete(next.id);
      current.value = next;
    },
    save,
    /** Stops the answers of one, and forgets it. */
    async remove(id: string): Promise<void> {
      stop(id);
      aside.delete(id);
      // From here on its answers have no place, so that their ends do not bring it back.
      if (current.value.id === id) current.value = make(current.value);
      await inStore((opened) => opened.remove(id));
    },
    /** Notes that an answer of the open one has begun. @param id of the answer */
    begin(id: string): Running {
      const answer: Running = {
        conversation: current.value.id,
        stopper: new AbortController(),
        release: announceAnswer(id),
      };
      running.value = [...running.value, answer];
      void save(current.value);
      return answer;
    },
    /** Notes that an answer has ended, and keeps its conversation, unless this one has been deleted meanwhile. */
    async end(answer: Running): Promise<void> {
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
