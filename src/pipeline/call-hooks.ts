/** Calls the operator's hooks: `onRequest` here, and `onReplyEvent` as a step over the events of a translated answer. */

import { REFUSED_BY_HOOK } from '../accounting/usage/find-cause.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { HookContext, Hooks, RequestChange } from '../conversation/hooks.ts';
import type { Prompt } from '../conversation/prompt.ts';
import type { ReplyEvent } from '../conversation/reply.ts';
import { GatewayError, invalid } from '../lib/errors.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import type { Stage } from '../streams/chain.ts';
import type { Sink, Step } from '../streams/step.ts';
import type { Vendors } from '../upstream/vendor.ts';
import { withLargeStrings } from './body/scanned.ts';
import type { Hooked, Routed, Stored } from './exchange.ts';
import { withAllFallbacks } from './model/admit-fallbacks.ts';
import { routeTo } from './model/fallback.ts';
import type { ReachOptions } from './model/reach.ts';
import { readPrompt } from './request/parse-prompt.ts';
import { parseRequestChange } from './request/parse-request-change.ts';
import { isNative } from './request/request-kind.ts';
import { requireUniqueKeys } from './restrictions/unique-keys.ts';

/** The caller gets this sentence if a hook refuses the request without one. */
const WITHOUT_REASON = 'This gateway refuses the request.';

interface Routing {
  readonly catalog: Catalog;
  readonly vendors: Vendors;
  readonly reach: ReachOptions;
}

/**
 * Makes the stage that calls the hooks; without hooks it returns the request as it is.
 * @throws GatewayError `permission-denied` if a hook refuses the request, `internal` if it fails.
 */
export function callHooks(hooks: Hooks | undefined, routing: Routing): Stage<Routed, Routed> {
  if (hooks === undefined) return (routed) => routed;
  return async (asked) => {
    // A hook sees images and files whole.
    const routed = withLargeStrings(asked);
    const context = hookContext(routed);
    const { target, prompt } = await callOnRequest(hooks, routed, context, routing);
    const { onReplyEvent } = hooks;
    const watches = onReplyEvent !== undefined && routed.route.operation === 'generate';
    if (prompt === undefined && !watches) return target;
    if (prompt !== undefined && routed.route.operation === 'compact')
      throw invalid('This gateway changes requests, and a compaction can only be passed on as it is.');
    return withHooked(target, {
      ...(prompt !== undefined && { prompt }),
      ...(watches && { replyStep: () => replyStep(hooks, onReplyEvent, context) }),
    });
  };
}

/**
 * Makes the stage that refuses to pass on a stored response if a hook watches answers: the vendor has it as it was
 * before the hook, and the whole of it is passed on as it is. Its deletion tells nothing of it.
 * @throws GatewayError `invalid-request`
 */
export function refuseUnwatched(hooks: Hooks | undefined): (stored: Stored) => Stored {
  return (stored) => {
    if (hooks?.onReplyEvent === undefined || stored.route.operation === 'delete') return stored;
    throw invalid('This gateway watches answers, and a stored response can only be passed on as it is.');
  };
}

function hookContext({ id, principal, ledger, model, route }: Routed): HookContext {
  return {
    id,
    key: principal.name,
    ...(principal.group !== undefined && { group: principal.group.name }),
    ...(ledger.tag !== undefined && { tag: ledger.tag }),
    model: model.id,
    format: route.format,
    operation: route.operation,
    state: {},
    refuse(sentence) {
      // A hook in JavaScript may give none.
      const message = typeof sentence === 'string' && sentence !== '' ? sentence : WITHOUT_REASON;
      const cause = Object.assign(new Error(message), { code: REFUSED_BY_HOOK });
      throw new GatewayError('permission-denied', message, { code: 'refused_by_hook', cause });
    },
  };
}

/** Where a request goes, and its prompt if the hook has changed it. */
interface HookRequest {
  readonly target: Routed;
  readonly prompt?: Prompt;
}

async function callOnRequest(
  { onRequest, timeout, failure, report }: Hooks,
  routed: Routed,
  context: HookContext,
  routing: Routing,
): Promise<HookRequest> {
  if (onRequest === undefined) return { target: routed };
  // The vendor must read what the hook sees.
  if (isNative(routed)) requireUniqueKeys(routed, routed.route.format);
  const { prompt } = readPrompt(routed);
  try {
    const asked = (async () => parseRequestChange(await onRequest(prompt, context)))();
    const change = await withTimeout<RequestChange>(asked, timeout);
    if (change === undefined) throw new Error(`It took longer than ${timeout} ms.`);
    const target = change.model === undefined ? routed : rerouted(routed, change.model, routing);
    return { target, ...(change.prompt !== undefined && { prompt: change.prompt }) };
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    report?.('The hook onRequest failed.', error);
    if (failure === 'ignore') return { target: routed };
    throw hookFailed('onRequest', error);
  }
}

function hookFailed(name: string, cause: unknown): GatewayError {
  return new GatewayError('internal', `The hook ${name} of this gateway failed.`, { cause });
}

/** @throws GatewayError for a model that the key may not use; Error for one that does not exist or is not served. */
function rerouted(routed: Routed, id: string, { catalog, vendors, reach }: Routing): Routed {
  const { principal, model: asked } = routed;
  const model = catalog.resolve(id, '');
  const isAllowed = model !== undefined && principal.allows(model.id, catalog.otherNames);
  if (model !== undefined && !isAllowed)
    throw new GatewayError('model-not-allowed', `This API key may not use the model ${model.id}.`);
  const target = model && routeTo(routed, model, catalog, vendors, reach);
  if (target === undefined) throw new Error(`There is no model ${id} to route to.`);
  if (target.model !== asked) routed.ledger.model = target.model;
  return target;
}

/** A request and all its fallbacks, with what the hooks have decided or the cache watches. */
export function withHooked(routed: Routed, hooked: Hooked): Routed {
  return withAllFallbacks(routed, { hooked, mustTranslate: true });
}

function replyStep(
  { failure, report }: Hooks,
  onReplyEvent: NonNullable<Hooks['onReplyEvent']>,
  context: HookContext,
): Step<ReplyEvent, ReplyEvent> {
  /** Whether the hook has passed on the beginning and the end. Without them an answer is empty, and looks complete. */
  const ends = new Set<ReplyEvent['type']>();
  /** What it has passed on for the present event: nothing of it, if it fails after that. */
  let passed: ReplyEvent[] = [];
  const holding: Sink<ReplyEvent> = { enqueue: (event) => void passed.push(event) };
  const call = (event: ReplyEvent): void => {
    const returned: unknown = onReplyEvent(event, holding, context);
    if (isThenable(returned)) {
      returned.then(undefined, (error) => report?.('The hook onReplyEvent failed.', error));
      throw new Error('It is asynchronous, so what it passes on comes too late.');
    }
    for (const { type } of passed) if (type === 'reply-start' || type === 'reply-end') ends.add(type);
    if (event.type === 'reply-end' && ends.size < 2)
      throw new Error('It has left out the beginning or the end of an answer.');
  };
  return {
    transform(event, out) {
      passed = [];
      try {
        call(event);
      } catch (error) {
        if (error instanceof GatewayError) throw error;
        report?.('The hook onReplyEvent failed.', error);
        if (failure === 'refuse') throw hookFailed('onReplyEvent', error);
        passed = [event];
      }
      for (const each of passed) out.enqueue(each);
    },
  };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
