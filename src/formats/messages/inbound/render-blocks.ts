/**
 * Parts as the events of content blocks: one block after the other, numbered from 0, none of them empty, each stopped
 * before the next starts. The block of a text starts with the first it says.
 */

import { formatFields } from '../../../conversation/format-specific.ts';
import type { Citation, Signature } from '../../../conversation/prompt.ts';
import type { OpenPart, PartDetail, PartStart } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { isObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import { foreign } from '../../foreign.ts';
import { renderCitation } from '../wire/citations.ts';
import { type Calls, NO_CALLS, withCall } from '../wire/finish-reasons.ts';
import { carrierBlocks, type Place } from '../wire/signature-carriers.ts';
import { proofText, redactedBlock } from '../wire/thinking-blocks.ts';
import { searchBlocks } from '../wire/web-searches.ts';
import { FORMAT } from '../wire/wire.ts';
import { callBlocks } from './response-fields.ts';

type Out = Sink<Sse>;

/** The part that is being said. */
interface Open {
  readonly kind: OpenPart['kind'];
  readonly own: PartStart['formatSpecific'];
  /** Free text, which goes out inside a JSON string. */
  readonly isCustom: boolean;
  /** Its block as it starts. */
  readonly block: JsonObject;
  /** What stands before the text in the `delta` of its text. */
  readonly delta: string;
  /** The data of a delta up to its text; '' while its block is not open. */
  head: string;
  hasText: boolean;
  signature: Signature | undefined;
  /** Citations that came before any text. */
  readonly citations: JsonObject[];
}

interface BlockEvents {
  start(event: PartStart, out: Out): void;
  delta(text: string, out: Out): void;
  detail(event: PartDetail, out: Out): void;
  end(out: Out): void;
  /** What has been said so far. */
  said(): { readonly calls: Calls; readonly refusal: boolean };
  /** No part comes after this. */
  close(out: Out): void;
  /** What was told that no block can hold, as additional fields. */
  others(): JsonObject;
}

const TEXT = '{"type":"text_delta","text":';
const THINKING = '{"type":"thinking_delta","thinking":';
const ARGUMENTS = '{"type":"input_json_delta","partial_json":';

/**
 * What Claude itself says before a signature, and older clients take for the beginning of a thought: to a signature
 * without one the AI SDK 4 says "reasoning-signature without reasoning", and ends.
 */
const NO_THOUGHT = { type: 'thinking_delta', thinking: '' } as const;

/**
 * @param stem what ids that have to be made up are made of.
 * @param search the name of the web search that was asked for.
 */
export function blockEvents(stem: string, search: string | undefined): BlockEvents {
  const callBlock = callBlocks(stem);
  const others = foreign();
  let next = 0;
  let open: Open | undefined;
  /** Carriers that are said only where something comes after them: see `carriers.ts`. */
  let carriers: JsonObject[] = [];
  let calls = NO_CALLS;
  let refusal = false;
  const cited: Citation[] = [];

  const startBlock = (block: JsonObject, out: Out): void => {
    sayCarriers(out);
    enqueueStart(block, out);
  };

  const enqueueStart = (block: JsonObject, out: Out): void =>
    out.enqueue({
      event: 'content_block_start',
      data: `{"type":"content_block_start","index":${next},"content_block":${JSON.stringify(block)}}`,
    });

  const addDelta = (delta: JsonObject, out: Out): void =>
    out.enqueue({
      event: 'content_block_delta',
      data: `{"type":"content_block_delta","index":${next},"delta":${JSON.stringify(delta)}}`,
    });

  const stopBlock = (out: Out): void => {
    out.enqueue({ event: 'content_block_stop', data: `{"type":"content_block_stop","index":${next}}` });
    next += 1;
  };

  const sayCarriers = (out: Out): void => {
    for (const block of carriers) {
      enqueueStart({ ...block, signature: '' }, out);
      addDelta(NO_THOUGHT, out);
      addDelta({ type: 'signature_delta', signature: block['signature'] }, out);
      stopBlock(out);
    }
    carriers = [];
  };

  const carry = (signature: Signature | undefined, place: Place): void => {
    carriers.push(...carrierBlocks(signature, place));
  };

  /** A block of this format's own: the input of a tool comes as a delta, as from Anthropic, all else in the start. */
  const wholeBlock = (block: JsonObject, out: Out): void => {
    const { type, input } = block;
    const isCall = typeof type === 'string' && type.endsWith('tool_use') && isObject(input);
    startBlock(isCall ? { ...block, input: {} } : block, out);
    if (isCall) addDelta({ type: 'input_json_delta', partial_json: JSON.stringify(input) }, out);
    stopBlock(out);
  };

  const openBlock = (part: Open, out: Out): void => {
    if (part.head !== '') return;
    startBlock(part.block, out);
    part.head = `{"type":"content_block_delta","index":${next},"delta":${part.delta}`;
    for (const citation of part.citations) addDelta({ type: 'citations_delta', citation }, out);
  };

  const closeBlock = (part: Open, out: Out): void => {
    if (part.head === '') return;
    part.head = '';
    stopBlock(out);
  };

  const say = (part: Open, text: string, out: Out): void => {
    part.hasText = true;
    out.enqueue({ event: 'content_block_delta', data: `${part.head}${JSON.stringify(text)}}}` });
  };

  const startPart = (event: PartStart, out: Out): Open | undefined => {
    const { part, formatSpecific: own, signature } = event;
    switch (part.kind) {
      case 'text':
      case 'refusal':
        refusal ||= part.kind === 'refusal';
        return opened(event, { ...formatFields(own, FORMAT), type: 'text', text: '' }, TEXT);
      case 'thinking':
        return opened(
          event,
          { ...formatFields(own, FORMAT), type: 'thinking', thinking: '', signature: '' },
          THINKING,
        );
      case 'tool-call': {
        calls = withCall(calls, formatFields(own, FORMAT));
        carry(signature, 'next');
        const { signature: _, ...unsigned } = event;
        const call = opened(unsigned, callBlock(part, own, {}), ARGUMENTS);
        openBlock(call, out);
        if (call.isCustom) say(call, '{"input":"', out);
        return call;
      }
      case 'opaque':
        if (part.format === FORMAT) wholeBlock(part.value, out);
        else others.block(part.format, part.value);
        return undefined;
    }
  };

  const endThinking = (part: Open, out: Out): void => {
    if (part.signature) openBlock(part, out);
    if (part.head !== '') {
      if (!part.hasText) addDelta(NO_THOUGHT, out);
      addDelta({ type: 'signature_delta', signature: proofText(part.signature) }, out);
    }
    closeBlock(part, out);
  };

  return {
    start(event, out) {
      open = startPart(event, out);
    },
    delta(text, out) {
      if (open === undefined) return;
      if (open.head === '') openBlock(open, out);
      say(open, open.isCustom ? JSON.stringify(text).slice(1, -1) : text, out);
    },
    detail({ signature, redacted, citation }, out) {
      if (open === undefined) return;
      if (signature) open.signature = signature;
      if (redacted) {
        closeBlock(open, out);
        wholeBlock(redactedBlock(redacted, formatFields(open.own, FORMAT)), out);
      }
      if (citation === undefined) return;
      if (search !== undefined) cited.push(citation);
      const rendered = renderCitation(citation);
      if (rendered === undefined) others.cite(citation);
      else if (open.head === '') open.citations.push(rendered);
      else addDelta({ type: 'citations_delta', citation: rendered }, out);
    },
    end(out) {
      if (open === undefined) return;
      const part = open;
      open = undefined;
      if (part.kind === 'thinking') {
        endThinking(part, out);
        return;
      }
      if (part.isCustom) say(part, '"}', out);
      // Clients that never see a delta wait for one.
      else if (part.kind === 'tool-call' && !part.hasText) say(part, '{}', out);
      closeBlock(part, out);
      carry(part.signature, part.hasText ? 'previous' : 'next');
      if (part.kind === 'tool-call') sayCarriers(out);
    },
    close(out) {
      if (search === undefined || calls !== NO_CALLS) return;
      // As of a whole answer: no carrier of the text that it ends with.
      carriers = [];
      for (const block of searchBlocks(search, cited, stem)) wholeBlock(block, out);
    },
    said: () => ({ calls, refusal }),
    others: () => others.fields(),
  };
}

function opened({ part, formatSpecific: own, signature }: PartStart, block: JsonObject, delta: string): Open {
  const isCustom = part.kind === 'tool-call' && part.custom === true;
  return { kind: part.kind, own, isCustom, block, delta, head: '', hasText: false, signature, citations: [] };
}
