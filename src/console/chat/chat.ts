/** The chat: its conversations, the one that is open, and the answers that are running. */

import { type ReadonlySignal, signal } from '@preact/signals';
import type { Attachment, FormatName } from '../formats/dialogue.ts';
import { getFormat } from '../formats/formats.ts';
import { findModel, isReached, type Model } from '../models/model.ts';
import type { Session } from '../session/session.ts';
import type { ConversationStore } from '../store/conversations.ts';
import {
  type AnswerNode,
  type Choices,
  type Conversation,
  type Lane,
  leafBelow,
  makeId,
  type Node,
  pathTo,
  type Trace,
  toTurns,
  type UserNode,
} from './conversation.ts';
import { trackConversations } from './open-conversations.ts';
import { changeNodes } from './running-answers.ts';
import { chooseSettings, FIRST_CHOICES } from './settings.ts';
import { streamAnswer } from './stream-answer.ts';

/** Letters of a title. */
const TITLE = 60;

export type Chat = ReturnType<typeof createChat>;

export function createChat(
  { key }: Session,
  models: ReadonlySignal<readonly Model[]>,
  store: Promise<ConversationStore>,
) {
  const all = trackConversations(store, makeConversation);
  const conversation = all.current;
  const status = signal('');
  /** How often a conversation has been asked for: only the last one is opened. */
  let asked = 0;

  const change = (changed: Partial<Conversation>): void => {
    conversation.value = { ...conversation.value, ...changed };
  };

  const changeLane = (index: number, lane: Partial<Lane>): void => {
    const { lanes } = conversation.value;
    change({ lanes: lanes.map((each, at) => (at === index ? { ...each, ...lane } : each)) });
  };

  /** Adds a node to a lane, as its leaf. */
  function add(index: number, node: Node): void {
    const { nodes, title, lanes } = conversation.value;
    const begun = title || (node.kind === 'user' ? makeTitle(node.text, node.attachments) : '');
    change({
      nodes: { ...nodes, [node.id]: node },
      title: begun,
      updated: Date.now(),
      lanes: lanes.map((each, at) => (at === index ? { ...each, leaf: node.id } : each)),
    });
  }

  /** Lets the model of a lane answer what its leaf says. */
  async function answer(index: number): Promise<void> {
    const { id, lanes, choices } = conversation.value;
    const lane = lanes[index];
    if (lane === undefined) return;
    const format = getFormat(lane.format);
    const model = findModel(models.value, lane.model);
    const turns = toTurns(pathTo(conversation.value, lane.leaf));
    const settings = chooseSettings(choices, lane.model, models.value);
    const begun: AnswerNode = {
      kind: 'answer',
      id: makeId(),
      parent: lane.leaf,
      model: lane.model,
      format: lane.format,
      state: 'streaming',
      blocks: [],
      citations: [],
      simulated: model?.simulated === true,
    };
    add(index, begun);
    const running = all.begin(begun.id);
    status.value = 'The model is answering.';
    const done = await streamAnswer(begun, {
      request: { path: format.path(lane.model), body: format.body(turns, settings) },
      format,
      key: key.value,
      model,
      signal: running.stopper.signal,
      onChange: (node) => {
        // The user may have opened another conversation meanwhile, or deleted this one.
        const current = all.find(id);
        if (current) all.replace(changeNodes(current, [node]));
      },
    });
    if (conversation.value.id === id)
      status.value =
        done.state === 'complete'
          ? 'The answer is complete.'
          : done.state === 'stopped'
            ? 'Stopped.'
            : `Failed: ${done.error}`;
    await all.end(running);
  }

  /** Adds a message of the user to a lane, or the same one that another lane of the same dialogue has got. */
  function addShared(index: number, shared: Map<string | null, string>, message: Omit<UserNode, 'id'>): void {
    const known = shared.get(message.parent);
    const id = known ?? makeId();
    shared.set(message.parent, id);
    if (known === undefined) add(index, { ...message, id });
    else changeLane(index, { leaf: id });
  }

  function setLane(index: number, lane: Partial<Pick<Lane, 'model' | 'format'>>): void {
    const before = conversation.value.lanes[index];
    const model = lane.model ?? before?.model ?? '';
    const format = lane.format ?? before?.format ?? 'chat-completions';
    changeLane(index, { model, format: fitFormat(models.value, model, format) });
  }

  return {
    heads: all.heads,
    conversation,
    /** Whether an answer of the open conversation is running. */
    isBusy: all.isBusy,
    /** What a screen reader says. */
    status,
    /** Why the browser does not keep the conversations; empty if it does. */
    problem: all.problem,
    /** Opens a stored conversation; an unknown id opens a new one. */
    async open(id: string | undefined): Promise<void> {
      asked += 1;
      const turn = asked;
      if (id === conversation.value.id) return;
      const found = id === undefined ? undefined : await all.follow(id);
      if (turn !== asked) return;
      // Its answers may have gone on, or begun, while it was looked for.
      const held = id === undefined ? undefined : all.find(id);
      all.show(held ?? found ?? makeConversation(conversation.value));
      status.value = '';
    },
    async rename(id: string, title: string): Promise<void> {
      const found = await all.load(id);
      if (found === undefined) return;
      const current = all.find(id);
      if (current) all.replace({ ...current, title });
      await all.save({ ...(current ?? found), title });
    },
    remove: all.remove,
    /** Changes the open conversation's settings. */
    choose(choices: Partial<Choices>): void {
      change({ choices: { ...conversation.value.choices, ...choices } });
    },
    setLane,
    /** Shows a second model beside the first. */
    compare(model: string): void {
      const [first] = conversation.value.lanes;
      if (first === undefined) return;
      const format = fitFormat(models.value, model, first.format);
      change({ lanes: [first, { ...first, model, format }] });
    },
    /** Goes on with one lane alone. */
    keepLane(index: number): void {
      const lane = conversation.value.lanes[index];
      if (lane !== undefined) change({ lanes: [lane] });
    },
    send(text: string, attachments: readonly Attachment[]): void {
      const { lanes } = conversation.value;
      const shared = new Map<string | null, string>();
      // Two models that answer the same dialogue answer the same message.
      for (const [index, { leaf }] of lanes.entries())
        addShared(index, shared, { kind: 'user', parent: leaf, text, attachments });
      for (const index of lanes.keys()) void answer(index);
    },
    /** Sends another text in place of a message, as a new branch. */
    edit(lane: number, node: Node, text: string): void {
      const asked = conversation.value;
      const depth = pathTo(asked, asked.lanes[lane]?.leaf ?? null).indexOf(node);
      const made = new Map<string | null, string>();
      for (const [index, { leaf }] of asked.lanes.entries()) {
        // Two models that were sent the same message are both sent the new one.
        const same = pathTo(asked, leaf)[depth];
        if (node.kind !== 'user' || same?.kind !== 'user' || same.text !== node.text) continue;
        addShared(index, made, { ...same, text });
        void answer(index);
      }
    },
    /** Another answer in place of one, by the lane's model or by another. */
    regenerate(lane: number, node: AnswerNode, model?: string): void {
      if (model !== undefined) setLane(lane, { model });
      changeLane(lane, { leaf: node.parent });
      void answer(lane);
    },
    /** Answers the calls of an answer. */
    giveResults(lane: number, node: AnswerNode, results: readonly string[]): void {
      add(lane, { kind: 'results', id: makeId(), parent: node.id, results });
      void answer(lane);
    },
    /** What lies behind an answer of the open conversation; undefined if it is not kept. */
    readTrace: async (node: AnswerNode): Promise<Trace | undefined> =>
      node.trace ?? (await store).readTrace(conversation.value.id, node.id),
    /** Shows the branch of a node. */
    showBranch(lane: number, node: Node): void {
      changeLane(lane, { leaf: leafBelow(conversation.value, node.id) });
    },
    stop(): void {
      all.stop(conversation.value.id);
    },
  };
}

/** An empty conversation, with the models and the settings of the one before. */
function makeConversation(before?: Conversation): Conversation {
  const lane: Lane = { model: '', format: 'chat-completions', leaf: null };
  return {
    id: makeId(),
    title: '',
    updated: Date.now(),
    nodes: {},
    lanes: before === undefined ? [lane] : before.lanes.map((each) => ({ ...each, leaf: null })),
    choices: before?.choices ?? FIRST_CHOICES,
  };
}

/** The format, or another one if it does not reach the model. */
function fitFormat(models: readonly Model[], model: string, format: FormatName): FormatName {
  return isReached(models, model, format) ? format : 'chat-completions';
}

function makeTitle(text: string, attachments: readonly Attachment[]): string {
  const line = text.trim().split('\n')[0] || (attachments[0]?.name ?? 'Untitled');
  return line.length > TITLE ? `${line.slice(0, TITLE - 1)}…` : line;
}
