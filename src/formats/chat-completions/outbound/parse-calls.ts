/**
 * The tool calls of a stream: which call does a piece belong to? OpenAI sends `index` in every piece, and `id` and `name`
 * only in the first. Others send all three in every piece, leave out `index`, give every call the index 0 or the id '',
 * make a new id for every piece, or send the name in pieces, too (NVIDIA-NeMo/Switchyard#785).
 */

import type { Signature } from '../../../conversation/prompt.ts';
import { ArgumentPieces } from '../../../conversation/rules/argument-pieces.ts';
import { argumentsText } from '../../../conversation/rules/arguments.ts';
import { asNumber, asObject, asText, type JsonObject } from '../../../lib/json.ts';
import { brokenAnswer } from '../../event-data.ts';
import type { ThinkTags } from '../../model-traits.ts';
import type { CallSignature } from '../wire/reasoning-details.ts';
import { parseExtraContent } from '../wire/signatures.ts';
import type { Out, PartSequence, SequencePart } from './part-sequence.ts';

/** What the readers of one answer's choices and calls need to know of the request and of the whole answer. */
export interface CallContext {
  /** The beginning of the ids that calls without an id get; '' if they get none here (`unique-call-ids.ts`). */
  readonly stem: string;
  /** The caller's names of the tools that were renamed for the service, by their new names. */
  readonly names: ReadonlyMap<string, string>;
  /** The names of all tools, as the service knows them. */
  readonly toolNames: () => readonly string[];
  /** The caller's stop sequences. */
  readonly stops: readonly string[];
  /** The model, as the service calls it. */
  readonly model: string;
  /** Whether the text may begin with thoughts in tags. */
  readonly thinkTags: ThinkTags;
  /** Whether the model signs its texts, at their end, and the service passes that on. */
  readonly signsTexts: boolean;
}

interface Call {
  /** The vendor's id; '' for none. */
  id: string;
  name: string;
  readonly custom: boolean;
  /** Only of a function: the text of a custom call may repeat itself. */
  readonly pieces: ArgumentPieces | undefined;
  /** Undefined until its name is complete. */
  part: SequencePart | undefined;
  /** The arguments that came before its name was complete. */
  text: string;
  /** Whether any of its arguments have come. */
  begun: boolean;
}

/** The key of the one call that has no index: the older `function_call`. */
const FUNCTION_CALL = -1;

export class CallReader {
  readonly #choice: number;
  readonly #parts: PartSequence;
  readonly #context: CallContext;
  readonly #byIndex = new Map<number, Call>();
  readonly #byId = new Map<string, Call>();
  readonly #unopened = new Set<Call>();
  readonly #unclaimed: CallSignature[] = [];
  #toolNames: readonly string[] | undefined;
  #last: Call | undefined;
  #count = 0;

  /**
   * @param choice the index of the choice.
   * @param parts the parts of the message, to which the calls are added.
   */
  constructor(choice: number, parts: PartSequence, context: CallContext) {
    this.#choice = choice;
    this.#parts = parts;
    this.#context = context;
  }

  /**
   * A piece of `tool_calls`.
   * @param whole whether it is a complete call.
   */
  read(piece: JsonObject, whole: boolean, out: Out): void {
    const { function: fn, custom: free, extra_content: signed } = piece;
    const id = asText(piece['id']) ?? '';
    const index = asNumber(piece['index']);
    const isCustom = isOfCustomTool(piece);
    const fields = asObject(isCustom ? free : fn) ?? {};
    const name = asText(fields['name']) ?? '';
    const text = argumentsText(isCustom ? fields['input'] : fields['arguments']);
    let call = whole ? undefined : this.#find(index, id, name);
    if (call === undefined) {
      if (id === '' && name === '' && text === '') return;
      call = this.#begin(id, isCustom, index, out);
    } else this.#last = call;
    if (id !== '' && !this.#byId.has(id)) this.#byId.set(id, call);
    if (call.part === undefined) call.id ||= id;
    this.#add(call, name, text, out);
    const signature = parseExtraContent(signed);
    if (signature) this.#signWith(signature, call, id, out);
  }

  /** Adds the signature that came in a piece. @param id the id in that piece; '' for none. */
  #signWith(signature: Signature, { part }: Call, id: string, out: Out): void {
    if (part) this.#parts.addDetail(part, { signature }, out);
    else this.#unclaimed.push({ signature, ...(id !== '' && { id }) });
  }

  /** A piece of the older `function_call`. */
  readFunctionCall(piece: JsonObject, out: Out): void {
    const name = asText(piece['name']) ?? '';
    const text = argumentsText(piece['arguments']);
    let call = this.#byIndex.get(FUNCTION_CALL);
    if (call === undefined) {
      // Snowflake sends an empty one with every answer.
      if (name === '' && text === '') return;
      call = this.#begin('', false, FUNCTION_CALL, out);
    }
    this.#add(call, name, text, out);
  }

  /** A signature of a call that stands elsewhere in the message. */
  sign(found: CallSignature, out: Out): void {
    const part = found.id === undefined ? undefined : this.#byId.get(found.id)?.part;
    if (part && part.state !== 'ended') this.#parts.addDetail(part, { signature: found.signature }, out);
    else this.#unclaimed.push(found);
  }

  hasAny(): boolean {
    return this.#count > 0;
  }

  /** Whether a call has a name that may not be complete yet. */
  isNaming(): boolean {
    return [...this.#unopened].some(({ name }) => name !== '');
  }

  /**
   * Nothing more comes.
   * @returns the signatures that no call took.
   * @throws GatewayError for a call without a name. One that has only an id is none if there are others.
   */
  end(out: Out): readonly CallSignature[] {
    this.#openNamed(out);
    const isOnly = this.#count === 0;
    if ([...this.#unopened].some((call) => call.text !== '' || (isOnly && call.id !== ''))) {
      throw brokenAnswer('a tool call without a name');
    }
    return this.#unclaimed;
  }

  #begin(id: string, custom: boolean, index: number | undefined, out: Out): Call {
    this.#openNamed(out);
    const pieces = custom ? undefined : new ArgumentPieces();
    const call: Call = { id, name: '', custom, pieces, part: undefined, text: '', begun: false };
    if (index !== undefined) this.#byIndex.set(index, call);
    this.#unopened.add(call);
    this.#last = call;
    return call;
  }

  /** The call that a piece continues; undefined if it begins one. */
  #find(index: number | undefined, id: string, name: string): Call | undefined {
    const known = index === undefined ? this.#last : this.#byIndex.get(index);
    const same = id === '' ? undefined : this.#byId.get(id);
    if (same !== undefined && (index === undefined || known === same)) return same;
    // A new index with the id of another call: more of that call, or a service that gives all calls the same id.
    if (known === undefined) return name === '' ? same : undefined;
    // A new id for every piece comes without a name. A new call has a name.
    if (name === '' || known.name === '') return known;
    if (repeatsHead(known, id, name)) return known;
    // Its name may not be complete, and go on like this.
    return known.part === undefined && this.#beginsTool(known.name + name) ? known : undefined;
  }

  /** Whether a tool has this name or, if it is to be longer, another one that begins so. */
  #beginsTool(name: string, isLonger = false): boolean {
    this.#toolNames ??= this.#context.toolNames();
    return this.#toolNames.some((tool) => tool.startsWith(name) && !(isLonger && tool === name));
  }

  /** Opens the calls whose names are complete now, because nothing more can come of them. */
  #openNamed(out: Out): void {
    for (const call of this.#unopened) if (call.name !== '') this.#open(call, out);
  }

  #open(call: Call, out: Out): void {
    this.#unopened.delete(call);
    const { stem, names } = this.#context;
    this.#count += 1;
    const isOnly = call.id !== '' && this.#byId.get(call.id) === call;
    const id = isOnly ? call.id : stem && `${stem}_${this.#choice}_${this.#count}`;
    const name = names.get(call.name) ?? call.name;
    const part = this.#parts.begin(
      { kind: 'tool-call', id, name, ...(call.custom && { custom: true }) },
      out,
    );
    call.part = part;
    const signature = this.#takeSignature(call.id);
    if (signature) this.#parts.addDetail(part, { signature }, out);
    this.#parts.write(part, call.text, out);
  }

  /** The signature that came before the call with this id. */
  #takeSignature(id: string): Signature | undefined {
    const at = this.#unclaimed.findIndex((found) => found.id === undefined || found.id === id);
    return at < 0 ? undefined : this.#unclaimed.splice(at, 1)[0]?.signature;
  }

  #add(call: Call, name: string, given: string, out: Out): void {
    // Some services send null for no arguments. No object begins with `null`.
    const isNull = given === 'null' && !call.custom && !call.begun;
    const text = isNull ? '' : (call.pieces?.add(given) ?? given);
    call.begun ||= text !== '';
    if (call.part === undefined) {
      call.text += text;
      if (name !== call.name) call.name += name;
      // The name is complete when arguments come, or no tool has a longer one.
      const isComplete = call.name !== '' && (call.text !== '' || !this.#beginsTool(call.name, true));
      if (isComplete) this.#open(call, out);
    } else this.#parts.write(call.part, text, out);
  }
}

function isOfCustomTool({ type, function: fn, custom }: JsonObject): boolean {
  return type === 'custom' || (fn === undefined && custom !== undefined);
}

function repeatsHead(call: Call, id: string, name: string): boolean {
  if (id !== '' && call.id !== '') return call.id === id;
  // The name again: the same call repeats it, or a service without indexes begins the next call.
  return call.name === name && !call.part?.scan?.isWhole();
}
