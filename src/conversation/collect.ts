/** Folds reply events into a whole reply. There is no other fold. */

import type { Part } from './prompt.ts';
import type {
  Choice,
  OpenPart,
  PartDetail,
  Reply,
  ReplyEvent,
  ReplyPart,
  TokenLogprob,
  Usage,
} from './reply.ts';
import { getChoiceEnd, mergeStart, mergeUsage, UNNAMED } from './reply.ts';

interface Building {
  readonly open: OpenPart;
  readonly signature: Part['signature'];
  readonly formatSpecific: Part['formatSpecific'];
  text: string;
  details: PartDetail[];
}

interface BuildingChoice {
  readonly parts: Building[];
  readonly logprobs: TokenLogprob[];
  end: Choice['end'];
}

/** Folds events as they come: pass each to `add`, then call `reply`. */
export interface Collector {
  /** Takes in an event. */
  add(event: ReplyEvent): void;
  /** The reply so far. It is whole once `reply-end` was added. */
  reply(): Reply;
}

/** A collector with nothing in it. The cost of an event is constant. */
export function collector(): Collector {
  const choices: BuildingChoice[] = [];
  let start = UNNAMED;
  let usage: Usage | undefined;

  const choiceAt = (index: number): BuildingChoice => {
    let choice = choices[index];
    while (choice === undefined) {
      choices.push({ parts: [], logprobs: [], end: { finish: 'other' } });
      choice = choices[index];
    }
    return choice;
  };

  return {
    add(event) {
      switch (event.type) {
        case 'part-delta': {
          const part = choiceAt(event.choice).parts[event.index];
          if (part) part.text += event.text;
          return;
        }
        case 'part-start':
          choiceAt(event.choice).parts[event.index] = {
            open: event.part,
            signature: event.signature,
            formatSpecific: event.formatSpecific,
            text: '',
            details: [],
          };
          return;
        case 'part-detail':
          choiceAt(event.choice).parts[event.index]?.details.push(event);
          return;
        case 'logprobs':
          // One by one, since a function takes some hundred thousand arguments at most.
          for (const token of event.tokens) choiceAt(event.choice).logprobs.push(token);
          return;
        case 'choice-end':
          choiceAt(event.choice).end = getChoiceEnd(event);
          return;
        case 'usage':
          usage = usage === undefined ? event.usage : mergeUsage(usage, event.usage);
          return;
        case 'reply-start':
          start = event;
          return;
        case 'reply-end':
          start = mergeStart(event, start);
          return;
        case 'part-end':
          return;
      }
    },
    reply: () => ({
      start,
      choices: choices.map(({ parts, end, logprobs }) => ({
        parts: parts.map(closePart),
        end,
        ...(logprobs.length > 0 && { logprobs }),
      })),
      usage: usage ?? {},
    }),
  };
}

/** The reply that a list of events makes. */
export function collect(events: Iterable<ReplyEvent>): Reply {
  const folded = collector();
  for (const event of events) folded.add(event);
  return folded.reply();
}

function closePart(building: Building): ReplyPart {
  const { open, signature: known, formatSpecific, text, details } = building;
  if (open.kind === 'text' && details.length === 0 && known === undefined && formatSpecific === undefined)
    return { kind: 'text', text };
  const signature = details.findLast((detail) => detail.signature)?.signature ?? known;
  const redacted = details.findLast((detail) => detail.redacted)?.redacted;
  const citations = details.flatMap((detail) => detail.citation ?? []);
  const common = { ...(signature && { signature }), ...(formatSpecific && { formatSpecific }) };
  switch (open.kind) {
    case 'text':
      return { kind: 'text', text, ...(citations.length > 0 && { citations }), ...common };
    case 'refusal':
      return { kind: 'refusal', text, ...common };
    case 'thinking':
      return { kind: 'thinking', text, ...(redacted && { redacted }), ...common };
    case 'tool-call':
      return {
        kind: 'tool-call',
        id: open.id,
        name: open.name,
        arguments: text,
        ...(open.custom && { custom: true }),
        ...common,
      };
    case 'opaque':
      return { ...open, ...common };
  }
}
