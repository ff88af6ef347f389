/**
 * Content blocks of an answer as parts. A block of a whole answer is one that starts with all its content. Blocks that are
 * not known here, and calls of tools that Anthropic runs, are opaque: they are collected and emitted at their end.
 */

import type { PromptOutline } from '../../../conversation/prompt-outline.ts';
import type { ReplyEvent } from '../../../conversation/reply.ts';
import { argumentsText } from '../../../conversation/rules/arguments.ts';
import { withSearches } from '../../../conversation/searches.ts';
import { unseal } from '../../../conversation/signature.ts';
import {
  asObject,
  asObjects,
  asText,
  isObject,
  type Json,
  type JsonObject,
  otherFields,
} from '../../../lib/json.ts';
import type { Sink } from '../../../streams/step.ts';
import { renameReserved } from '../../avoid-names.ts';
import { brokenAnswer } from '../../event-data.ts';
import { unreported } from '../../format.ts';
import { changedNames } from '../../safe-names.ts';
import { parseCitation } from '../wire/citations.ts';
import { addCall, type Calls, NO_CALLS } from '../wire/finish-reasons.ts';
import { isCarrier } from '../wire/signature-carriers.ts';
import { PartNumbers } from './number-parts.ts';
import {
  addSignature,
  completeBlock,
  createBlock,
  growBlock,
  type OpenBlock,
  remainingText,
  TEXT_FIELDS,
} from './open-block.ts';
import { getJsonToolName } from './output-format.ts';
import { type ChangedKeys, findChangedKeys, findChangedKeysByTool } from './property-keys.ts';
import { findHostedNames } from './render-hosted-tool.ts';
import { safeName } from './tool-names.ts';

type Out = Sink<ReplyEvent>;

/** The fields of each block that are read here. All others are passed on. */
const TEXT_READ: ReadonlySet<string> = new Set(['type', 'text', 'citations']);
const THINKING_READ: ReadonlySet<string> = new Set(['type', 'thinking', 'signature']);
const REDACTED_READ: ReadonlySet<string> = new Set(['type', 'data']);
const CALL_READ: ReadonlySet<string> = new Set(['type', 'id', 'name', 'input']);

/**
 * The blocks that begin with their first delta, if nothing else has begun them: gateways write thoughts into a block of
 * text (BerriAI/litellm#33224), or into one that never started (maximhq/bifrost#5169).
 */
const IMPLIED: ReadonlyMap<Json | undefined, string> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
]);

/** Parses the blocks of one answer, in their order. */
export class BlockParser {
  readonly #avoided: ReadonlyMap<string, string>;
  readonly #names: ReadonlyMap<string, string>;
  readonly #keys: ReadonlyMap<string, ChangedKeys>;
  /** The tool that stands for a JSON answer. */
  readonly #jsonTool: { readonly name: string; readonly keys: ChangedKeys | undefined } | undefined;
  readonly #parts = new PartNumbers();
  #calls = NO_CALLS;
  #open: OpenBlock | undefined;

  /**
   * @param prompt the request. Names that were changed for Anthropic are restored, and a JSON answer is unwrapped from the
   *   tool that stood for it.
   */
  constructor(prompt: PromptOutline) {
    const { tools, names } = renameReserved(prompt.tools, findHostedNames(prompt), unreported);
    const schema = prompt.output?.kind === 'json-schema' ? prompt.output.schema : undefined;
    this.#avoided = changedNames(prompt.tools, (name) => names.get(name) ?? name);
    this.#names = changedNames(tools, safeName);
    this.#keys = findChangedKeysByTool(prompt.tools);
    this.#jsonTool = schema && {
      name: getJsonToolName(prompt.tools, prompt.calls),
      keys: findChangedKeys(schema),
    };
  }

  /** The calls so far of tools that the caller knows. */
  get calls(): Calls {
    return this.#calls;
  }

  /** Whether a thought or a call is still open, which nothing but its end completes. */
  get isCut(): boolean {
    const kind = this.#open?.part.kind;
    return kind === 'thinking' || kind === 'tool-call';
  }

  /** Starts a block. One that is still open ends here. */
  start(block: JsonObject, at: Json | undefined, out: Out): void {
    this.stop(out);
    this.#open = this.#startBlock(block, at, out);
  }

  /**
   * A text or a thought that does not fit the open block begins one of its own.
   * @returns the text that it brought, if that passed on at once.
   * @throws GatewayError `upstream-broken` for any other delta of a block that is not open, or of another type.
   */
  delta(delta: JsonObject, at: Json | undefined, out: Out): string | undefined {
    const { type } = delta;
    const open = this.#fitting(type, at) ?? this.#startImplied(type, at, out);
    if (open.textDelta !== undefined && type === open.textDelta) {
      const text = delta[TEXT_FIELDS[open.textDelta]];
      if (typeof text !== 'string') return undefined;
      if (open.keys === undefined) {
        this.#emitText(open, text, out);
        return text;
      }
      open.json += text;
    } else if (typeof type === 'string') {
      addOther(open, type, delta, out);
    }
    return undefined;
  }

  /** The last delta once more, with another text. */
  again(text: string, out: Out): void {
    if (this.#open !== undefined) this.#emitText(this.#open, text, out);
  }

  stop(out: Out): void {
    if (this.#open === undefined) return;
    const block = this.#open;
    this.#open = undefined;
    this.#emitText(block, remainingText(block), out);
    const { part, signature } = block;
    if (part.kind === 'opaque') {
      const value = completeBlock(block);
      this.#parts.begin({ ...part, value, ...withSearches(findQueries(value)) }, undefined, out);
    } else if (block.index < 0) {
      if (signature && isCarrier(signature)) {
        this.#parts.carry(signature, out);
        return;
      }
      this.#begin(block, out);
    }
    if (signature) out.enqueue({ type: 'part-detail', choice: 0, index: block.index, signature });
    this.#parts.end(out);
  }

  /** Ends the content: no block follows. */
  end(out: Out): void {
    this.stop(out);
    this.#parts.close(out);
  }

  /** The open block, if a delta of this type may stand in it. */
  #fitting(type: Json | undefined, at: Json | undefined): OpenBlock | undefined {
    const open = this.#open;
    if (open === undefined || open.at !== at) return undefined;
    const isOther = type !== open.textDelta && open.part.kind !== 'opaque' && IMPLIED.has(type);
    return isOther ? undefined : open;
  }

  #startImplied(type: Json | undefined, at: Json | undefined, out: Out): OpenBlock {
    const block = IMPLIED.get(type);
    if (block === undefined) throw brokenAnswer('a delta of a block that is not open');
    this.stop(out);
    this.#open = this.#startBlock({ type: block }, at, out);
    return this.#open;
  }

  #begin(block: OpenBlock, out: Out): void {
    block.index = this.#parts.begin(block.part, block.formatSpecific, out);
  }

  #emitText(block: OpenBlock, text: string, out: Out): void {
    if (text === '') return;
    if (block.index < 0) this.#begin(block, out);
    block.fallbackText = '';
    out.enqueue({ type: 'part-delta', choice: 0, index: block.index, text });
  }

  #startBlock(block: JsonObject, at: Json | undefined, out: Out): OpenBlock {
    switch (block['type']) {
      case 'text':
        return this.#startText(block, at, out);
      case 'thinking':
        return this.#startThinking(block, at, out);
      case 'redacted_thinking':
        return this.#startRedacted(block, at, out);
      case 'tool_use':
        return this.#startCall(block, at, out);
      default:
        return startOpaque(block, at);
    }
  }

  #startText(block: JsonObject, at: Json | undefined, out: Out): OpenBlock {
    const { text, citations } = block;
    const started = createBlock('text_delta', { kind: 'text' }, otherFields(block, TEXT_READ), at);
    this.#begin(started, out);
    this.#emitText(started, asText(text) ?? '', out);
    for (const citation of asObjects(citations)) emitCitation(started, citation, out);
    return started;
  }

  /** The part begins with its first text. Until then the block may be a carrier. */
  #startThinking(block: JsonObject, at: Json | undefined, out: Out): OpenBlock {
    const { thinking, signature } = block;
    const fields = otherFields(block, THINKING_READ);
    const started = createBlock('thinking_delta', { kind: 'thinking' }, fields, at);
    this.#parts.noCall(out);
    this.#emitText(started, asText(thinking) ?? '', out);
    addSignature(started, signature);
    return started;
  }

  #startRedacted(block: JsonObject, at: Json | undefined, out: Out): OpenBlock {
    const started = createBlock(undefined, { kind: 'thinking' }, otherFields(block, REDACTED_READ), at);
    this.#begin(started, out);
    const redacted = unseal(asText(block['data']) ?? '', 'anthropic');
    out.enqueue({ type: 'part-detail', choice: 0, index: started.index, redacted });
    return started;
  }

  /** @throws GatewayError `upstream-broken` for a call without a name. */
  #startCall(block: JsonObject, at: Json | undefined, out: Out): OpenBlock {
    const { id, name: sent, input } = block;
    const sentName = asText(sent) ?? '';
    if (sentName === '') throw brokenAnswer('a tool call without a name');
    if (sentName === this.#jsonTool?.name) {
      const started = createBlock('input_json_delta', { kind: 'text' }, {}, at);
      this.#begin(started, out);
      started.fallbackText = argumentsText(input) || '{}';
      started.keys = this.#jsonTool.keys;
      return started;
    }
    const rest = otherFields(block, CALL_READ);
    this.#calls = addCall(this.#calls, rest);
    const name = this.#names.get(sentName) ?? sentName;
    const call = { id: asText(id) ?? '', name: this.#avoided.get(name) ?? name };
    const started = createBlock('input_json_delta', { kind: 'tool-call', ...call }, rest, at);
    this.#begin(started, out);
    started.fallbackText = argumentsText(input);
    started.keys = this.#keys.get(call.name);
    return started;
  }
}

function startOpaque(block: JsonObject, at: Json | undefined): OpenBlock {
  return { ...createBlock(undefined, { kind: 'opaque', format: 'messages', value: block }, {}, at), block };
}

/** What Anthropic's own search looks for; empty for any other block. */
function findQueries({ type, name, input }: JsonObject): readonly string[] {
  const query = type === 'server_tool_use' && name === 'web_search' ? asText(asObject(input)?.['query']) : '';
  return query ? [query] : [];
}

/** Adds a delta that is not text of a part. The documentation asks clients to ignore deltas of unknown types. */
function addOther(open: OpenBlock, type: string, delta: JsonObject, out: Out): void {
  if (open.part.kind === 'opaque') {
    if (type === 'input_json_delta') open.json += asText(delta['partial_json']) ?? '';
    else open.block = growBlock(open.block, delta);
  } else if (type === 'signature_delta') {
    addSignature(open, delta['signature']);
  } else if (type === 'citations_delta' && open.part.kind === 'text') {
    if (isObject(delta['citation'])) emitCitation(open, delta['citation'], out);
  } else if (Object.hasOwn(TEXT_FIELDS, type)) {
    throw brokenAnswer(`a ${type} in a block of another kind`);
  }
}

function emitCitation({ index }: OpenBlock, citation: JsonObject, out: Out): void {
  out.enqueue({ type: 'part-detail', choice: 0, index, citation: parseCitation(citation) });
}
