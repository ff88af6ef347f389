/**
 * OpenAI's models make several calls at once through an internal tool that takes a list of calls. OpenAI does not
 * always undo that: callers then get a call of a tool that they do not have (`multi_tool_use.parallel`, and `parallel`
 * from Azure's gpt-5.4: vercel/ai#19098), and nothing runs. Here the calls in the list become calls of their own.
 */

import { flat } from '../../lib/flat-text.ts';
import { asObject, asObjects, asText, isObject } from '../../lib/json.ts';
import { lastAt } from '../../lib/last-at.ts';
import { fuse, type Sink, type Step } from '../../streams/step.ts';
import type { Prompt } from '../prompt.ts';
import type { OpenPart, PartDelta, PartDetail, PartEnd, PartStart, ReplyEvent } from '../reply.ts';
import { tryParseExact } from './arguments.ts';

const WRAPPERS: ReadonlySet<string> = new Set(['multi_tool_use.parallel', 'parallel']);
const PREFIX = 'functions.';

type Call = Extract<OpenPart, { kind: 'tool-call' }>;

/** A call of the internal tool, as far as it has come. */
interface Held {
  readonly call: Call;
  readonly events: (PartStart | PartDelta | PartDetail)[];
  text: string;
}

/** The parts from the index `start` on, and by how much the indexes that they are emitted with are greater. */
interface Moved {
  readonly start: number;
  readonly by: number;
}

/** A parser that emits the calls in such a list one by one; the parser itself if `prompt` has no function. */
export function withParallelCalls<I>(
  parser: Step<I, ReplyEvent>,
  prompt: Pick<Prompt, 'tools'>,
): Step<I, ReplyEvent> {
  const names = new Set(prompt.tools?.flatMap((tool) => (tool.kind === 'function' ? [tool.name] : [])));
  return names.size === 0 ? parser : fuse(parser, new CallSplitter(names));
}

class CallSplitter implements Step<ReplyEvent, ReplyEvent> {
  readonly #names: ReadonlySet<string>;
  /** By choice. Nothing is made before the first such call. */
  #held: Map<number, Held> | undefined;
  /** By choice, from which part on the emitted parts have moved, and how far. */
  #moved: Map<number, Moved[]> | undefined;

  /** @param names the functions that may be called. */
  constructor(names: ReadonlySet<string>) {
    this.#names = names;
  }

  transform(event: ReplyEvent, out: Sink<ReplyEvent>): void {
    if (event.type === 'part-start' && this.#hold(event)) return;
    const one = this.#held !== undefined && 'index' in event ? this.#held.get(event.choice) : undefined;
    if (one === undefined || !('index' in event)) this.#pass(event, out);
    else if (event.type === 'part-end') {
      this.#held?.delete(event.choice);
      this.#emit(one, event, out);
    } else {
      one.events.push(event);
      if (event.type === 'part-delta') one.text += event.text;
    }
  }

  #hold(event: PartStart): boolean {
    const { part, choice } = event;
    if (part.kind !== 'tool-call' || !WRAPPERS.has(part.name) || this.#names.has(part.name)) return false;
    this.#held ??= new Map();
    this.#held.set(choice, { call: part, events: [event], text: '' });
    return true;
  }

  #pass(event: ReplyEvent, out: Sink<ReplyEvent>): void {
    const moved = this.#moved !== undefined && 'index' in event ? this.#moved.get(event.choice) : undefined;
    out.enqueue(moved && 'index' in event ? { ...event, index: newIndex(moved, event.index) } : event);
  }

  /** Emits the calls in a held list; the list as it came if a call in it is not of the caller's tools. */
  #emit({ call, events, text }: Held, end: PartEnd, out: Sink<ReplyEvent>): void {
    const { choice, index } = end;
    const calls = callsIn(call, text, this.#names);
    if (calls === undefined) {
      for (const event of events) this.#pass(event, out);
      this.#pass(end, out);
      return;
    }
    this.#moved ??= new Map();
    const moved = this.#moved.get(choice) ?? [];
    this.#moved.set(choice, moved);
    const first = newIndex(moved, index);
    for (const [place, { part, input }] of calls.entries()) {
      const at = { choice, index: first + place };
      out.enqueue({ type: 'part-start', ...at, part });
      out.enqueue({ type: 'part-delta', ...at, text: input });
      out.enqueue({ ...end, ...at });
    }
    moved.push({ start: index + 1, by: first - index + calls.length - 1 });
  }
}

function newIndex(moved: readonly Moved[], index: number): number {
  return index + (lastAt(moved, index)?.by ?? 0);
}

/** The calls in a list of calls; undefined if one of them is not of `names`. */
function callsIn(
  { id, ...call }: Call,
  text: string,
  names: ReadonlySet<string>,
): readonly { readonly part: Call; readonly input: string }[] | undefined {
  const uses = asObjects(asObject(tryParseExact(text))?.['tool_uses']);
  const calls = uses.flatMap(({ recipient_name, parameters }, at) => {
    const recipient = asText(recipient_name) ?? '';
    const name = recipient.startsWith(PREFIX) ? recipient.slice(PREFIX.length) : recipient;
    if (!names.has(name) || !isObject(parameters)) return [];
    return [
      { part: { ...call, id: id && flat(`${id}_${at + 1}`), name }, input: JSON.stringify(parameters) },
    ];
  });
  return calls.length > 0 && calls.length === uses.length ? calls : undefined;
}
