/**
 * Answers a repeated request with the answer that was kept, for keys and requests that want this. The answer is kept in
 * neutral words, so it is replayed in any format, streamed or not.
 */

import type { Config } from '../../config/schema.ts';
import { collector } from '../../conversation/collect.ts';
import type { ReplyEvent } from '../../conversation/reply.ts';
import type { Inbound } from '../../formats/format.ts';
import { bytesOfText } from '../../lib/bytes.ts';
import { invalid } from '../../lib/errors.ts';
import { tryParseJson } from '../../lib/json.ts';
import type { Stage } from '../../streams/chain.ts';
import { framedAsEvents, framedAsList } from '../../streams/framing.ts';
import { fuse, run, type Step } from '../../streams/step.ts';
import { requestContext } from '../../translate/write-request.ts';
import { eventStreamHeaders } from '../../upstream/headers.ts';
import { CACHE, recordedName } from '../../upstream/vendor.ts';
import { withLargeStrings } from '../body/scanned.ts';
import { withHooked } from '../call-hooks.ts';
import type { RenderedReply, Routed } from '../exchange.ts';
import { readPrompt } from '../request/parse-prompt.ts';
import { asksList, asksStream } from '../request/request-kind.ts';
import type { AnswerStore, AnswersInMemory, KeptAnswer } from './answer-store.ts';
import { cacheKey } from './cache-key.ts';

type CacheOptions = Pick<NonNullable<Config['cache']>, 'keys' | 'shared' | 'seconds'>;

export type AnswerCache = CacheOptions &
  (
    | { readonly kind: 'memory'; readonly store: AnswersInMemory }
    | { readonly kind: 'redis'; readonly store: AnswerStore }
  );

/** The header by which a request asks for the cache, and in which an answer says whether it came from there. */
export const CACHE_HEADER = 'x-gateway-cache';

/** The longest answer that is kept, in characters of JSON. */
const MAX_ANSWER_LENGTH = 1024 * 1024;

/**
 * Wraps the stages that get an answer from a vendor. Without a cache it returns them as they are.
 * @param inner the stages from `retry` to `translateReply`.
 */
export function cacheAnswers(
  cache: AnswerCache | undefined,
  inner: Stage<Routed, RenderedReply>,
): Stage<Routed, RenderedReply> {
  if (cache === undefined) return inner;
  return async (asking) => {
    const control = readControl(cache, asking);
    if (control === undefined) return inner(asking);
    // Images and files are part of what a request means.
    const routed = withLargeStrings(asking);
    const { prompt: parsed, body, inbound, isStateful } = readPrompt(routed);
    const prompt = routed.hooked?.prompt ?? parsed;
    // What the vendor keeps may have changed.
    if (prompt.cachedContent !== undefined || isStateful) return inner(routed);
    const key = cacheKey(routed, prompt, cache.shared);
    const kept = control.mayRead ? await find(cache.store, key, control.maxAge) : undefined;
    if (kept !== undefined) {
      const asked = requestContext(
        routed.id,
        { ...prompt, stream: prompt.stream || asksStream(routed) },
        body,
      );
      return replay(routed, kept, inbound, asked);
    }
    const record = (): Step<ReplyEvent, ReplyEvent> =>
      recorder((events) => {
        const text = JSON.stringify({ at: Date.now(), events } satisfies KeptAnswer);
        if (text.length <= MAX_ANSWER_LENGTH) cache.store.set(key, text, cache.seconds);
      });
    const { model } = routed;
    const replied = await inner(
      withHooked(routed, {
        ...routed.hooked,
        // The answer of a fallback is not the answer of this model.
        record: (attempt) => (attempt.model === model ? record() : undefined),
      }),
    );
    return { ...replied, headers: { ...replied.headers, [CACHE_HEADER]: 'miss' } };
  };
}

interface Control {
  readonly mayRead: boolean;
  /** Seconds that an answer may be old. */
  readonly maxAge: number;
}

/** What a request wants of the cache (RFC 9111, 5.2.1); undefined if nothing. @throws GatewayError `invalid-request` */
function readControl({ keys }: CacheOptions, { route, principal, message }: Routed): Control | undefined {
  if (route.operation !== 'generate') return undefined;
  const { [CACHE_HEADER]: said, 'cache-control': control = '' } = message.headers;
  const isAsked = readSwitch(said) ?? isListed(keys, principal);
  const directives = control
    .toLowerCase()
    .split(',')
    .map((part) => part.trim());
  if (!isAsked || directives.includes('no-store')) return undefined;
  const [, age] =
    /^max-age=(\d{1,9})$/.exec(directives.find((part) => part.startsWith('max-age')) ?? '') ?? [];
  const maxAge = age === undefined ? Number.POSITIVE_INFINITY : Number(age);
  return { mayRead: !directives.includes('no-cache') && maxAge > 0, maxAge };
}

/** What the header says; undefined if it is absent or empty. @throws GatewayError `invalid-request` */
function readSwitch(said: string | string[] | undefined): boolean | undefined {
  switch (said?.toString().toLowerCase()) {
    case undefined:
    case '':
      return undefined;
    case 'true':
    case 'on':
      return true;
    case 'false':
    case 'off':
      return false;
    default:
      throw invalid(`The header ${CACHE_HEADER} must be true or false.`);
  }
}

function isListed(keys: readonly string[], { name, group }: Routed['principal']): boolean {
  return keys.includes(name) || (group !== undefined && keys.includes(group.name));
}

async function find(store: AnswerStore, key: string, maxAge: number): Promise<KeptAnswer | undefined> {
  const text = await store.get(key);
  if (text === undefined) return undefined;
  const kept: unknown = tryParseJson(text);
  return isKept(kept) && Date.now() - kept.at <= maxAge * 1_000 ? kept : undefined;
}

/** Whether a value is an answer that this gateway has kept: nobody else writes under these names. */
function isKept(value: unknown): value is KeptAnswer {
  return typeof value === 'object' && value !== null && 'at' in value && 'events' in value;
}

/** The kept answer in the caller's format. */
function replay(
  routed: Routed,
  { at, events }: KeptAnswer,
  inbound: Inbound,
  asked: ReturnType<typeof requestContext>,
): RenderedReply {
  const { id, route, limitHeaders, ledger, hooked } = routed;
  ledger.vendor = recordedName({ ...routed.vendor, name: CACHE });
  const hook = hooked?.replyStep?.();
  const passed = hook === undefined ? events : run(hook, events);
  const age = String(Math.max(0, Math.round((Date.now() - at) / 1_000)));
  const reply = { id, format: route.format, status: 200, limitHeaders, ledger };
  const headers = { [CACHE_HEADER]: 'hit', age };
  if (!asked.prompt.stream) {
    const folded = collector();
    for (const event of passed) folded.add(event);
    const body = bytesOfText(JSON.stringify(inbound.renderReply(folded.reply(), asked)));
    return { ...reply, headers: { ...headers, 'content-type': 'application/json' }, body };
  }
  const framing = asksList(routed) ? framedAsList() : framedAsEvents(inbound.ping);
  const pieces = run(fuse(inbound.renderEvents(asked), framing), passed);
  return {
    ...reply,
    headers: { ...eventStreamHeaders(headers), 'content-type': framing.contentType },
    body: ReadableStream.from(pieces.map(bytesOfText)),
  };
}

/**
 * Ends that the same request would not always have. At Anthropic `refusal` is the word for an answer that its classifiers
 * have filtered ("Streaming refusals", Claude documentation).
 */
const UNCACHEABLE: ReadonlySet<string> = new Set([
  'content-filter',
  'refusal',
  'malformed-call',
  'pause',
  'other',
]);

/** Passes events on, and gives all of them to `keep` when the answer is complete. */
function recorder(keep: (events: readonly ReplyEvent[]) => void): Step<ReplyEvent, ReplyEvent> {
  const events: ReplyEvent[] = [];
  let isGood = true;
  return {
    transform(event, out) {
      events.push(event);
      if (event.type === 'choice-end' && UNCACHEABLE.has(event.finish)) isGood = false;
      out.enqueue(event);
      if (event.type === 'reply-end' && isGood) keep(events);
    },
  };
}
