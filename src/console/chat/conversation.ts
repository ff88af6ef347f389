/**
 * A conversation as a tree: each node continues its parent, and a parent with several children has several branches. An
 * edited message, another answer and changed tool results are new branches, so that nothing is lost. What is shown is
 * the way to one leaf, or to two leaves side by side.
 */

import type {
  AssistantTurn,
  Attachment,
  Citation,
  FormatName,
  Image,
  Kept,
  Turn,
  Usage,
} from '../formats/dialogue.ts';

export interface UserNode {
  readonly kind: 'user';
  readonly id: string;
  readonly parent: string | null;
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** The results of the calls of the answer that it continues, in their order. */
export interface ResultsNode {
  readonly kind: 'results';
  readonly id: string;
  readonly parent: string | null;
  readonly results: readonly string[];
}

/** A piece of an answer, in the order in which it arrived. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly arguments: string }
  | { readonly kind: 'image'; readonly image: Image };

/** A request as it was sent, without the key. */
export interface SentRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** An event of the answer's stream, as it came. */
export interface StreamEvent {
  /** Milliseconds since the request was sent. */
  readonly time: number;
  readonly name: string;
  readonly data: string;
}

/** What lies behind an answer. It is many times as long as the answer. */
export interface Trace {
  readonly request: SentRequest;
  readonly events: readonly StreamEvent[];
}

export interface AnswerNode {
  readonly kind: 'answer';
  readonly id: string;
  readonly parent: string | null;
  readonly model: string;
  readonly format: FormatName;
  /** `elsewhere`: another tab of the browser is receiving it. */
  readonly state: 'streaming' | 'elsewhere' | 'complete' | 'stopped' | 'failed';
  readonly error?: string;
  readonly blocks: readonly Block[];
  readonly citations: readonly Citation[];
  /** Absent from an answer of an earlier visit, whose trace the browser keeps apart. */
  readonly trace?: Trace;
  /** The status and the headers of the response. */
  readonly response?: { readonly status: number; readonly headers: readonly (readonly [string, string])[] };
  /** Milliseconds from the request to the first piece of the answer, and to its end. */
  readonly firstAfter?: number;
  readonly endedAfter?: number;
  readonly usage?: Usage;
  /** The stop reason, in the format's own words. */
  readonly finish?: string;
  /** US dollars; absent if they are not known. */
  readonly cost?: number;
  readonly simulated: boolean;
  readonly kept?: Kept;
}

export type Node = UserNode | ResultsNode | AnswerNode;

/** A column of the conversation: the model that answers in it, and the leaf that it shows. */
export interface Lane {
  readonly model: string;
  readonly format: FormatName;
  readonly leaf: string | null;
}

/** What the user has set for the conversation. */
export interface Choices {
  /** Tokens of an answer. */
  readonly maxTokens: number;
  readonly temperature: number | null;
  readonly effort: string;
  readonly system: string;
  readonly hasTools: boolean;
  /** The tools as JSON text. */
  readonly tools: string;
  readonly hasSchema: boolean;
  /** The JSON Schema of the answer as text. */
  readonly schema: string;
}

export interface Conversation {
  readonly id: string;
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly updated: number;
  readonly nodes: Readonly<Record<string, Node>>;
  /** One lane, or two side by side. */
  readonly lanes: readonly Lane[];
  readonly choices: Choices;
}

/** The nodes from the first one to a leaf. */
export function pathTo({ nodes }: Pick<Conversation, 'nodes'>, leaf: string | null): readonly Node[] {
  const path: Node[] = [];
  for (let at = leaf; at !== null; ) {
    const node = nodes[at];
    if (node === undefined) break;
    path.unshift(node);
    at = node.parent;
  }
  return path;
}

/** The nodes that continue the same parent in the same role: the branches that the user can choose between. */
export function findBranches({ nodes }: Pick<Conversation, 'nodes'>, node: Node): readonly Node[] {
  return Object.values(nodes).filter((other) => other.parent === node.parent && other.kind === node.kind);
}

/** The newest leaf below a node. */
export function leafBelow({ nodes }: Pick<Conversation, 'nodes'>, id: string): string {
  const newest = new Map<string, string>();
  // Nodes are kept in the order in which they were made.
  for (const node of Object.values(nodes)) if (node.parent !== null) newest.set(node.parent, node.id);
  let at = id;
  for (let next = newest.get(at); next !== undefined; next = newest.get(at)) at = next;
  return at;
}

/** The text of an answer. */
export function writtenText(node: AnswerNode): string {
  return node.blocks.map((block) => (block.kind === 'text' ? block.text : '')).join('');
}

/** The calls of an answer, none of an answer that failed: they may be cut off. */
export function answerCalls(node: AnswerNode): readonly Extract<Block, { kind: 'call' }>[] {
  return node.state === 'complete' ? node.blocks.filter((block) => block.kind === 'call') : [];
}

/** The dialogue of a path, as a format renders it. An answer that failed before it said anything is left out. */
export function toTurns(path: readonly Node[]): readonly Turn[] {
  return path.flatMap((node, index): readonly Turn[] => {
    if (node.kind === 'user') return [{ role: 'user', text: node.text, attachments: node.attachments }];
    if (node.kind === 'results') return [];
    const next = path[index + 1];
    const results = next?.kind === 'results' ? next.results : [];
    const turn: AssistantTurn = {
      role: 'assistant',
      text: writtenText(node),
      calls: answerCalls(node).map((call, at) => ({ ...call, result: results[at] ?? '' })),
      ...(node.state === 'complete' && node.kept && { kept: node.kept }),
    };
    return turn.text || turn.calls.length > 0 ? [turn] : [];
  });
}

/** A new id. The page may be served over plain HTTP, where `crypto.randomUUID` does not exist. */
export function makeId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
