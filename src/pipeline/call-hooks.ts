/** Calls the operator's hooks: `onRequest` here, and `onReplyEvent` as a step over the events of a translated answer. */

import type { Catalog } from '../catalog/catalog.ts';
import type { HookContext, Hooks, RequestChange } from '../conversation/hooks.ts';
import type { ReplyEvent } from '../conversation/reply.ts';
import { GatewayError, invalid } from '../lib/errors.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import type { Stage } from '../streams/chain.ts';
import type { Step } from '../streams/step.ts';
import type { Vendors } from '../upstream/vendor.ts';
import type { Hooked, Routed } from './exchange.ts';
import type { ReachOptions } from './reach.ts';
import { routeTo } from './resolve-model.ts';
import { withLargeStrings } from './scanned.ts';
import { parsePrompt } from './translate-request.ts';

/** What routing to another model needs. */
interface Routing {
  readonly catalog: Catalog;
  readonly vendors: Vendors;
  readonly reach: ReachOptions;
}

/**
 * Makes the stage that calls the hooks; without hooks it returns what it takes.
 * @throws GatewayError `permission-denied` if a hook refuses the request, `internal` if it fails.
 */
export function callHooks(hooks: Hooks | undefined, routing: Routing): Stage<Routed, Routed> {
  if (hooks === undefined) return (routed) => routed;
  return async (asked) => {
    // A hook sees images and files whole.
    const routed = { ...asked, ...withLargeStrings(asked) };
    const context = hookContext(routed);
    const change = await callOnRequest(hooks, routed, context);
    const target = change?.model === undefined ? routed : rerouted(routed, change.model, routing);
    const { onReplyEvent } = hooks;
    const watches = onReplyEvent !== undefined && routed.route.operation === 'generate';
    if (change?.prompt === undefined && !watches) return target;
    if (change?.prompt !== undefined && routed.route.operation === 'compact')
      throw invalid('This gateway changes requests, and a compaction can only be passed on as it is.');
    return withHooked(target, {
      ...(change?.prompt !== undefined && { prompt: change.prompt }),
      ...(watches && { replyStep: () => replyStep(hooks, onReplyEvent, context) }),
    });
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
      throw new GatewayError('permission-denied', sentence, { code: 'refused_by_hook' });
    },
  };
}

async function callOnRequest(
  { onRequest, timeout, failure, report }: Hooks,
  routed: Routed,
  context: HookContext,
): Promise<RequestChange | undefined> {
  if (onRequest === undefined) return undefined;
  const { prompt } = parsePrompt(routed);
  try {
    const asked = (async () => (await onRequest(prompt, context)) ?? {})();
    const change = await withTimeout<RequestChange>(asked, timeout);
    if (change === undefined) throw new Error(`It took longer than ${timeout} ms.`);
    return change;
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    report?.('The hook onRequest failed.', error);
    if (failure === 'ignore') return undefined;
    throw hookFailed('onRequest', error);
  }
}

function hookFailed(name: string, cause: unknown): GatewayError {
  return new GatewayError('internal', `The hook ${name} of this gateway failed.`, { cause });
}

/** @throws GatewayError for a model that does not exist, is not served, or that the key may not use. */
function rerouted(routed: Routed, id: string, { catalog, vendors, reach }: Routing): Routed {
  const { principal, model: asked } = routed;
  const model = catalog.resolve(id, '');
  const isAllowed = model !== undefined && principal.allows(model.id, catalog.otherNames);
  if (model !== undefined && !isAllowed)
    throw new GatewayError('model-not-allowed', `This API key may not use the model ${model.id}.`);
  const target = model && routeTo(routed, model, catalog, vendors, reach);
  if (target === undefined) throw hookFailed('onRequest', new Error(`There is no model ${id} to route to.`));
  if (target.model !== asked) routed.ledger.model = target.model;
  return target;
}

/** A request, and all its fallbacks, with what the hooks have decided, or the cache wants to see. */
export function withHooked(routed: Routed, hooked: Hooked): Routed {
  const { nextFallback } = routed;
  return {
    ...routed,
    hooked,
    mustTranslate: true,
    ...(nextFallback !== undefined && {
      nextFallback: async () => {
        const next = await nextFallback();
        return next && withHooked(next, hooked);
      },
    }),
  };
}

/** The step that calls `onReplyEvent`. */
function replyStep(
  { failure, report }: Hooks,
  onReplyEvent: NonNullable<Hooks['onReplyEvent']>,
  context: HookContext,
): Step<ReplyEvent, ReplyEvent> {
  return {
    transform(event, out) {
      try {
        onReplyEvent(event, out, context);
      } catch (error) {
        if (error instanceof GatewayError) throw error;
        report?.('The hook onReplyEvent failed.', error);
        if (failure === 'refuse') throw hookFailed('onReplyEvent', error);
        out.enqueue(event);
      }
    },
  };
}
