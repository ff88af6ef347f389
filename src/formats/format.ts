/** The contract of a wire format: two halves around the neutral prompt and reply, which know nothing of each other. */

import type { FormatName, Operation, Prompt } from '../conversation/prompt.ts';
import type { Reply, ReplyEvent } from '../conversation/reply.ts';
import type { EffortTraits } from '../conversation/rules/effort.ts';
import type { GatewayError } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Span } from '../lib/json-scan.ts';
import type { Sse } from '../streams/sse.ts';
import type { Step } from '../streams/step.ts';

/** Something of the caller's request that does not reach the vendor as it was. */
export interface Note {
  /** The caller's field, in the caller's words where a parser says it, in the prompt's where a renderer does. */
  readonly field: string;
  readonly outcome: 'approximated' | 'dropped' | 'passed-on';
  /** Why, or into what. */
  readonly detail: string;
}

/** Where in a prompt: a field of it, something within its turns or tools, or a field that only its caller's format has. */
export type PromptPath = keyof Prompt | `${'turns[]' | 'tools[]' | `tools[${string}]` | 'own'}.${string}`;

/** Told of each note of a renderer; the request path has nobody listening. */
export type Report = (path: PromptPath, outcome: Note['outcome'], detail: Note['detail']) => void;

/** Told of each note of a parser: the path is the caller's. */
export type ParseReport = (path: string, outcome: Note['outcome'], detail: Note['detail']) => void;

/** Whether a field of a prompt asks for something. Services that have a top_k take 0 or -1 for none; others refuse it. */
export function asksFor(prompt: Prompt, field: keyof Prompt): boolean {
  if (field === 'topK') return (prompt.topK ?? 0) >= 1;
  return prompt[field] !== undefined && prompt[field] !== false;
}

/** Says that those of a prompt's fields that ask for something are left out. */
export function reportDropped(
  prompt: Prompt,
  fields: readonly (keyof Prompt)[],
  detail: string,
  report: Report,
): void {
  for (const field of fields) {
    if (asksFor(prompt, field)) report(field, 'dropped', detail);
  }
}

/** What is said of stop sequences that a vendor cannot be told: the gateway looks for them itself (`stages/stop-at.ts`). */
export const CUT_HERE = 'the vendor takes none such; the gateway ends the answer there';

/** What a model can do, as far as a renderer must know. From the catalog. */
export interface ModelTraits {
  /** The model as the vendor calls it. */
  readonly model: string;
  readonly maxOutputTokens: number;
  /** How the model is told to think; absent: it cannot, or nobody knows. */
  readonly thinking?: ThinkingTraits;
  /** False where the model refuses temperature, top_p, top_k and the like (OpenAI's reasoning models, newest Claude). */
  readonly sampling: boolean;
  /** False where the model refuses a conversation that ends with the assistant (Gemini 3.6 and later). */
  readonly prefill?: boolean;
  /** False where the model refuses to be made to call a tool (Claude Fable 5.1, Opus 5.5, Sonnet 5.5 and later). */
  readonly forcedTools?: boolean;
  /** Whether it takes a system message in the midst of a dialogue (Claude Opus 4.8 and later, but for Sonnet 5). */
  readonly laterSystem?: boolean;
  /** Which requests are to be cached by a vendor that has to be asked for it: all, or those of agents. */
  readonly caches?: 'always' | 'agents';
  /** Whether the vendor enforces a JSON schema on the answer of this model. */
  readonly structuredOutput: boolean;
  /** The vendor's small deviation within its format, e.g. `openai`, `mistral`, `vertex`; '' is the plain format. */
  readonly dialect: string;
}

export interface ThinkingTraits extends EffortTraits {
  /** `effort`: a word (OpenAI, Gemini 3+, Claude 4.6+); `budget`: tokens (Claude 4.5, Gemini 2.5). */
  readonly kinds: readonly ('effort' | 'budget')[];
  /** Whether it can be told not to think before it answers, but only between calls of tools (Claude Sonnet 5.5). */
  readonly betweenTools?: boolean;
}

/** That a model thinks always, that it takes no word on it, or that its thoughts are not shown (to this account). */
export type ThinkingObserved = 'always' | 'untold' | 'hidden';

/** What a caller asked, for whoever renders the answer. */
export interface RequestContext {
  readonly prompt: Prompt;
  /** The caller's body as parsed: some formats echo parts of it. */
  readonly body: JsonObject;
  /** Unique to this exchange, letters and digits only: the stem of every id that has to be made up. */
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
}

/** Renders events for a caller; `fail` says a late error in the caller's format, as the last thing of the stream. */
export interface EventRenderer extends Step<ReplyEvent, Sse> {
  fail(error: GatewayError, out: { enqueue(event: Sse): void }): void;
  /** Says nothing more of what is being told, as a better sign of life than `Inbound.ping`; or nothing at all, where no event can. */
  ping?(out: { enqueue(event: Sse): void }): void;
}

/** The half that faces callers. */
export interface Inbound {
  /** @throws GatewayError `invalid-request` naming the field that is missing or wrong. */
  parseRequest(body: JsonObject, report: ParseReport): Prompt;
  renderEvents(asked: RequestContext): EventRenderer;
  renderReply(reply: Reply, asked: RequestContext): JsonObject;
  /**
   * A late error as the last event of a stream that was rendered by somebody else (native path).
   * @param said the end of what that stream has said.
   */
  renderLateError(error: GatewayError, said: string): Sse;
  /** What keeps a silent stream open: nothing to read, for the SDKs of every language. */
  readonly ping: string;
  /** Absent where callers cannot ask what a prompt comes to, or not of another vendor. */
  readonly counting?: InboundCounting;
}

/** How callers ask how many tokens a prompt has. */
export interface InboundCounting {
  /** @throws GatewayError `invalid-request`, as `Inbound.parseRequest`. */
  parseRequest(body: JsonObject, report: ParseReport): Prompt;
  renderCount(tokens: number): JsonObject;
}

/** How a vendor is asked how many tokens a prompt has. */
export interface OutboundCounting {
  /** @param request as `Outbound.renderRequest` makes it of the prompt, for `target`. */
  countedRequest(request: JsonObject, target: ModelTraits): JsonObject;
  /** undefined where the vendor's answer does not tell. */
  parseCount(answer: JsonObject): number | undefined;
}

/** How a stream of a format is known by its bytes, read as latin1. */
export interface StreamMarks {
  /** It has begun, and is one of this format. */
  readonly opening: RegExp;
  /** It may end after this: the answer is finished, or an error has been told. */
  readonly ending: RegExp;
  /** Nothing comes after this. Absent where no stream says so. */
  readonly closing?: RegExp;
  /** Without this, none of its events says that the answer has failed. */
  readonly failing: RegExp;
  /** An event that says nothing of whether there will be an answer. Absent where none comes before one. */
  readonly preamble?: RegExp;
}

/** How a stream is made to tell its usage where the caller has not asked for that. */
export interface UsageOnRequest {
  /**
   * The request as one that asks, and otherwise byte for byte what it was; undefined where it does so by itself, asks
   * for no stream, or the service does not know the question.
   * @param request an object that `scanObject` lets through.
   * @param fields where that has found its top-level values.
   * @throws GatewayError `invalid-request` where two readers may disagree on what it asks.
   */
  inject(request: Uint8Array, fields: ReadonlyMap<string, Span>, dialect: string): Uint8Array | undefined;
  /** The stream's bytes without what is there because of it. Throws nothing. */
  strip(): Step<Uint8Array, Uint8Array>;
}

/** What reads a vendor's events. */
export interface EventParser extends Step<Sse, ReplyEvent> {
  /** Whether nothing has to come any more, though it may. Absent where the last event always says that it is the last. */
  mayBeOver?(): boolean;
}

/** What is asked of a vendor beside the answer, which services that have its models may refuse. */
export interface OptionalFields {
  /** What of it a refusal is of: names of fields, and of the values (`betas`) that the caller's header has. */
  refusedIn(refusal: GatewayError, betas: readonly string[]): readonly string[];
  /** A request without the fields of these names; itself where it has none of them. */
  without(request: JsonObject, names: ReadonlySet<string>): JsonObject;
}

/** Where a service is. */
export interface ServiceAddress {
  /** Scheme, host and port. */
  readonly origin: string;
  /** What precedes every path at this address: '' or `/v1`, without a slash at its end. */
  readonly basePath: string;
}

/** How a service requires requests whose path names the model. */
export interface ModelInPath {
  /** Makes the path of a request, from the service's base path on. @param model as the service calls it. */
  path(request: { readonly model: string; readonly operation: Operation; readonly stream: boolean }): string;
  /** The field that the body has in place of the model. */
  readonly field: string;
  /** Makes the value of that field. @param headers those of a caller of this format, otherwise none. */
  value(
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  ): string | readonly string[];
  /** Tells whether the body keeps the model, too. */
  keepsModel(operation: Operation): boolean;
}

/** How one service differs from others that speak the same format, as far as its address tells. */
export interface ServiceTraits {
  /** Whether its models that can take a system message during a conversation do take one here. */
  readonly laterSystem: boolean;
  /** Which translated requests are cached, unless the configuration says otherwise. */
  readonly caches: 'agents' | 'asked';
  /** Whether the service belongs to the format's vendor, and so knows all of its fields. */
  readonly isReference: boolean;
  /** Absent if the path does not name the model. */
  readonly modelInPath?: ModelInPath;
}

/** The half that faces vendors. */
export interface Outbound {
  /** Finds how the service at an address differs. Absent if this format's services do not differ by address. */
  serviceTraits?(address: ServiceAddress): ServiceTraits;
  /**
   * @throws GatewayError `invalid-request` where the vendor has no way to take what was asked: its param is the field of
   * the prompt, for only the caller's side knows what that is called there.
   */
  renderRequest(prompt: Prompt, target: ModelTraits, report: Report): JsonObject;
  /** What the vendor is told in headers instead, their names in lower case. Absent where none is. */
  renderHeaders?(prompt: Prompt, target: ModelTraits): Readonly<Record<string, string>>;
  /**
   * A request of a native path that was refused, in words that mean the same: without what models of other vendors have
   * left in its dialogue, or what the gateway has put there for them; undefined where there is nothing of the kind.
   * Absent where no caller comes from another vendor.
   * @param refusal what the vendor said, as far as that was understood.
   */
  stripForeignContent?(
    request: JsonObject,
    dialect: string,
    refusal: GatewayError | undefined,
  ): JsonObject | undefined;
  /**
   * Whether a service that speaks this format beside its own knows all that a request has in it. Absent where none does so.
   * @param request the body, or as much of it as holds tools, the choice among them, the form of the answer and the dialogue.
   */
  isKnownElsewhere?(request: JsonObject, dialect: string): boolean;
  /** The format in which the vendor wants what it has refused in this one. Absent where it never says so. */
  formatDemanded?(refusal: GatewayError): FormatName | undefined;
  /** Absent where nothing of the kind is asked. */
  readonly optionalFields?: OptionalFields;
  /** The format by which alone a service of a dialect lets its models go on thinking; undefined where this one does. */
  thinkingFormat?(dialect: string): FormatName | undefined;
  /** Whether a refusal is of what was thought in earlier turns, and of nothing else. Absent where none ever is. */
  refusesThoughts?(error: GatewayError): boolean;
  /** Whether a refusal is of a stream, and would not be of the same answer whole. Absent where none ever is. */
  refusesStreams?(refusal: GatewayError): boolean;
  /** What a refusal says of a model's thinking. Absent where none ever does. */
  thinkingObserved?(refusal: GatewayError): ThinkingObserved | undefined;
  /**
   * Reads a stream's events, and a whole answer as the one event `{ data: body }`.
   * @throws GatewayError for an error event, for JSON that is none, and at `flush` for a missing terminal event.
   */
  parseEvents(prompt: Prompt, target: ModelTraits): EventParser;
  /** What went wrong, where an event of a stream says that the answer has failed; undefined of any other event. */
  parseFailure(event: Sse): GatewayError | undefined;
  /** By which a stream's bytes are known. */
  readonly marks: StreamMarks;
  /** Absent where streams tell it unasked. */
  readonly usageOnRequest?: UsageOnRequest;
  /** Absent where a vendor of this format does not count. */
  readonly counting?: OutboundCounting;
  /** An error answer of the vendor (status 400 and above, or an error body in a 200) by its meaning. */
  parseError(status: number, body: string): GatewayError;
}

export interface Format {
  readonly name: FormatName;
  readonly inbound: Inbound;
  readonly outbound: Outbound;
  /** An error before the answer's head, as the body of the error response. */
  renderError(error: GatewayError, requestId: string): JsonObject;
}

/** For callers who listen to no notes. */
export const unreported: ParseReport = () => {};

/** Puts what is reported into `notes`. */
export function reportInto(notes: Note[]): ParseReport {
  return (field, outcome, detail) => void notes.push({ field, outcome, detail });
}
