/** A recorded stream as an editable list, to be broken on purpose. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { isList, isObject, type Json, parseJson } from '../../src/lib/json.ts';
import { decodeSse, type Sse } from '../../src/streams/sse.ts';
import { run } from '../../src/streams/step.ts';

export const FIXTURES = join(import.meta.dirname, '../../fixtures');

export function recordedEvents(format: FormatName, name: string): readonly Sse[] {
  const bytes = readFileSync(join(FIXTURES, 'replies', format, `${name}.sse`));
  return run(decodeSse(), [bytes]);
}

export function recordedWhole(format: FormatName, name: string): Json {
  return parseJson(readFileSync(join(FIXTURES, 'replies', format, `${name}.json`), 'utf8'));
}

/** JSON with another value at a dotted path; `undefined` removes the field. */
export function withValue(json: Json, path: string, value: Json | undefined): Json {
  const [head = '', ...rest] = path.split('.');
  const next = (held: Json | undefined): Json | undefined =>
    rest.length === 0 ? value : withValue(held ?? {}, rest.join('.'), value);
  if (isList(json)) return json.map((item, at) => (at === Number(head) ? (next(item) ?? null) : item));
  if (!isObject(json)) throw new Error(`There is nothing at ${path}.`);
  const { [head]: held, ...others } = json;
  const made = next(held);
  return made === undefined ? others : { ...others, [head]: made };
}

export type Edit = (events: readonly Sse[]) => readonly Sse[];

/** An index from the start, or from the end if it is negative. */
const place = (events: readonly Sse[], at: number): number => (at < 0 ? events.length + at : at);

/** Replaces the value at a path of an event's data. */
export function set(at: number, path: string, value?: Json): Edit {
  return (events) =>
    events.map((event, index) =>
      index === place(events, at)
        ? { ...event, data: JSON.stringify(withValue(parseJson(event.data), path, value)) }
        : event,
    );
}

/** Replaces an event. */
export function replace(at: number, event: Sse): Edit {
  return (events) => events.map((held, index) => (index === place(events, at) ? event : held));
}

export function remove(at: number, count = 1): Edit {
  return (events) => events.toSpliced(place(events, at), count);
}

/** Inserts new events before the one at `at`; `Infinity` adds them at the end. */
export function insert(at: number, ...added: readonly Sse[]): Edit {
  return (events) => events.toSpliced(Math.min(place(events, at), events.length), 0, ...added);
}

/** Repeats an event at another position. */
export function repeat(from: number, at: number): Edit {
  return (events) => {
    const event = events[place(events, from)];
    if (event === undefined) throw new Error(`There is no event ${from}.`);
    return insert(at, event)(events);
  };
}

export function swap(one: number, other: number): Edit {
  return (events) => {
    const a = events[place(events, one)];
    const b = events[place(events, other)];
    if (a === undefined || b === undefined) throw new Error(`There are no events ${one} and ${other}.`);
    return replace(place(events, other), a)(replace(place(events, one), b)(events));
  };
}

export function rename(at: number, event: string | undefined): Edit {
  return (events) => events.map((held, index) => (index === place(events, at) ? { ...held, event } : held));
}
