/** One choice of a stream, as chunks. A piece of text is one JSON string between two texts that are ready. */

import type { Citation, FormatSpecific, Signature } from '../../../conversation/prompt.ts';
import {
  type ChoiceEnd,
  endOf,
  type OpenPart,
  type PartDetail,
  type PartStart,
  type TokenLogprob,
} from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { isEmpty } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import { foreign } from '../../foreign.ts';
import { renderAnnotation } from '../wire/citations.ts';
import { renderLogprobs } from '../wire/logprobs.ts';
import { renderSignedDetails, type SignedCall } from '../wire/reasoning-details.ts';
import { renderExtraContent } from '../wire/signatures.ts';
import { separatorBetween } from '../wire/text-separator.ts';
import { renderThinkingBlocks, type Thought } from '../wire/thinking-blocks.ts';
import { renderEnd } from './response-fields.ts';

export interface ChunkFrame {
  readonly index: number;
  /** A chunk's text before its choice, and after it. */
  readonly before: string;
  readonly after: string;
  /** Whether the first call is told as a `function_call`. */
  readonly isOld: boolean;
}

export interface ChoiceRenderer {
  open(event: PartStart, out: Sink<Sse>): void;
  say(text: string, out: Sink<Sse>): void;
  note(event: PartDetail): void;
  close(out: Sink<Sse>): void;
  sayLogprobs(tokens: readonly TokenLogprob[], out: Sink<Sse>): void;
  end(event: ChoiceEnd, out: Sink<Sse>): void;
}

/** A part that is being told. */
interface Open {
  readonly part: OpenPart;
  /** What stands before and after a piece of its text. */
  readonly before: string;
  readonly after: string;
  /** Of thoughts: all of them so far. */
  text: string;
  /** How much of its text has been told. */
  length: number;
  signature: Signature | undefined;
  redacted: Signature | undefined;
  formatSpecific: FormatSpecific | undefined;
  readonly citations: Citation[];
  /** Of a call: its place in `tool_calls`, or -1 where it is a `function_call`. */
  readonly place: number;
}

type OpenCall = Extract<OpenPart, { kind: 'tool-call' }>;

export function choiceRenderer({ index, before, after, isOld }: ChunkFrame): ChoiceRenderer {
  const prefix = `${before}{"index":${index},"delta":`;
  const suffix = `,"logprobs":null,"finish_reason":null}${after}`;
  const thoughts: Thought[] = [];
  const signedCalls: SignedCall[] = [];
  const others = foreign();
  const annotations: JsonObject[] = [];
  /** Citations that are no annotations: they stand after all blocks among the others. */
  const unlinked: Citation[] = [];
  let open: Open | undefined;
  let calls = 0;
  let oldCall = false;
  let refusal = false;
  let textLength = 0;
  /** The ends of what was said last: of thoughts, and of texts. */
  let lastThought = '';
  let lastText = '';
  /** Whether something came after that text that is none. */
  let isInterrupted = false;

  const sayDelta = (delta: JsonObject, out: Sink<Sse>): void =>
    out.enqueue({ data: prefix + JSON.stringify(delta) + suffix });

  /** @param pieceBefore a delta's text before a piece of the part, and so with `pieceAfter`. */
  const openPart = (part: OpenPart, pieceBefore: string, pieceAfter: string, place = -1): Open => ({
    part,
    before: prefix + pieceBefore,
    after: pieceAfter + suffix,
    text: '',
    length: 0,
    signature: undefined,
    redacted: undefined,
    formatSpecific: undefined,
    citations: [],
    place,
  });

  const openCall = (part: OpenCall, signature: Signature | undefined, out: Sink<Sse>): Open => {
    const { id, name, custom } = part;
    const signed = renderExtraContent(signature);
    if (signature) signedCalls.push({ id, signature });
    if (isOld && !oldCall && !custom) {
      oldCall = true;
      sayDelta({ function_call: { name, arguments: '', ...signed } }, out);
      return openPart(part, '{"function_call":{"arguments":', '}}');
    }
    const at = calls;
    calls += 1;
    const body = custom
      ? { type: 'custom', custom: { name, input: '' } }
      : { type: 'function', function: { name, arguments: '' } };
    sayDelta({ tool_calls: [{ index: at, id, ...body, ...signed }] }, out);
    const field = custom ? '"custom":{"input":' : '"function":{"arguments":';
    return openPart(part, `{"tool_calls":[{"index":${at},${field}`, '}}]}', at);
  };

  const closeCall = (call: Open, out: Sink<Sse>): void => {
    const { part, place, signature } = call;
    if (part.kind !== 'tool-call') return;
    if (call.length === 0 && !part.custom) out.enqueue({ data: `${call.before}"{}"${call.after}` });
    if (signature === undefined) return;
    const signed = renderExtraContent(signature);
    signedCalls.push({ id: part.id, signature });
    const body = part.custom ? { custom: { input: '' } } : { function: { arguments: '' } };
    if (place < 0) sayDelta({ function_call: { arguments: '', ...signed } }, out);
    else sayDelta({ tool_calls: [{ index: place, ...body, ...signed }] }, out);
  };

  const closeText = ({ citations, length, signature }: Open, out: Sink<Sse>): void => {
    for (const citation of citations) {
      const annotation = renderAnnotation(citation, textLength, length);
      if (annotation) annotations.push(annotation);
      else unlinked.push(citation);
    }
    textLength += length;
    if (signature) sayDelta(renderExtraContent(signature), out);
  };

  /** What stands before the first piece of a part. */
  const gapBefore = ({ kind }: OpenPart, text: string): string => {
    if (kind === 'thinking') return separatorBetween(lastThought, text);
    if (kind !== 'text' || !isInterrupted || text === '') return '';
    isInterrupted = false;
    const gap = separatorBetween(lastText, text);
    textLength += gap.length;
    return gap;
  };

  return {
    open({ part, signature, formatSpecific }, out) {
      if (part.kind !== 'text') isInterrupted = true;
      switch (part.kind) {
        case 'text':
          open = openPart(part, '{"content":', '}');
          open.signature = signature;
          return;
        case 'thinking':
          open = openPart(part, '{"reasoning_content":', '}');
          open.signature = signature;
          open.formatSpecific = formatSpecific;
          return;
        case 'refusal':
          refusal = true;
          open = openPart(part, '{"refusal":', '}');
          return;
        case 'tool-call':
          open = openCall(part, signature, out);
          return;
        case 'opaque':
          others.block(part.format, part.value);
          open = undefined;
          return;
      }
    },
    say(text, out) {
      if (open === undefined) return;
      const gap = open.length === 0 ? gapBefore(open.part, text) : '';
      open.length += text.length;
      if (open.part.kind === 'thinking') open.text += text;
      else if (open.part.kind === 'text' && text !== '') lastText = text;
      out.enqueue({ data: open.before + JSON.stringify(gap + text) + open.after });
    },
    note({ signature, redacted, citation }) {
      if (open === undefined) return;
      open.signature = signature ?? open.signature;
      open.redacted = redacted ?? open.redacted;
      if (citation) open.citations.push(citation);
    },
    close(out) {
      if (open === undefined) return;
      const { kind } = open.part;
      if (kind === 'tool-call') closeCall(open, out);
      else if (kind === 'text') closeText(open, out);
      else if (kind === 'thinking') {
        thoughts.push(open);
        lastThought = open.text || lastThought;
      }
      open = undefined;
    },
    sayLogprobs(tokens, out) {
      const logprobs = renderLogprobs(tokens, open?.part.kind === 'refusal');
      const choice = JSON.stringify({ index, delta: {}, logprobs, finish_reason: null });
      out.enqueue({ data: before + choice + after });
    },
    end(event, out) {
      const blocks = renderThinkingBlocks(thoughts);
      const details = renderSignedDetails(thoughts, signedCalls);
      for (const citation of unlinked) others.cite(citation);
      const told = {
        ...(annotations.length > 0 && { annotations }),
        ...(blocks && { thinking_blocks: blocks }),
        ...(details && { reasoning_details: details }),
        ...others.fields(),
      };
      // Once, and whole: a client that joins deltas would make one block of several, and OpenAI's for Python ends at the
      // second list whose entries have no index.
      if (!isEmpty(told)) sayDelta(told, out);
      const around = { index, delta: {}, logprobs: null };
      const choice = renderEnd(endOf(event), around, { calls, oldCall, refusal });
      out.enqueue({ data: before + JSON.stringify(choice) + after });
    },
  };
}
