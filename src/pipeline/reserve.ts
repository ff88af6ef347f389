/** Holds what a request may cost of the budgets of its key and its group, until its cost has been charged. */

import { holdsLongest, isBudgeted } from '../access/limits/limited.ts';
import type { Limits } from '../access/limits/limits.ts';
import type { Release } from '../access/limits/reservations.ts';
import { estimateCost } from '../accounting/usage/cost-estimate.ts';
import { type Catalog, vendorName } from '../catalog/catalog.ts';
import type { Stage } from '../streams/chain.ts';
import type { Routed } from './exchange.ts';
import { admitFallbacks } from './model/admit-fallbacks.ts';
import { longestAnswer } from './request/longest-answer.ts';
import { requireUniqueKeys } from './restrictions/unique-keys.ts';

/** Fields by which a request continues what is stored at the vendor. */
const CONTINUING = ['previous_response_id', 'conversation', 'prompt', 'cachedContent', 'cached_content'];

/**
 * Makes the stage that refuses a request for which budgets have no room. A request passes at once if no budget applies.
 * @throws GatewayError `rate-limited` or `quota-exceeded`.
 */
export function reserve(limits: Limits | undefined, catalog: Catalog): Stage<Routed, Routed> {
  function hold(limited: Limits, routed: Routed): Release | Promise<Release> {
    const { model, otherModels = [], ledger } = routed;
    const asked = { model: model.id, otherModels, otherNames: catalog.otherNames, tag: ledger.tag };
    return limited.reserve(routed, asked, estimateAll(routed, catalog));
  }

  /** The fallbacks of a request. Each holds what it may cost itself, and gives back what the one before it held. */
  function withFallbacks(limited: Limits, routed: Routed): Routed {
    return admitFallbacks(routed, async (fallback) => {
      release(fallback);
      keep(fallback, await hold(limited, fallback));
      return withFallbacks(limited, fallback);
    });
  }

  return (routed) => {
    const { principal, route, vendor } = routed;
    if (limits === undefined || !isBudgeted(principal)) return routed;
    // A count costs nothing, and neither does what the sandbox answers.
    if (route.operation === 'count-tokens' || vendor.simulated) return routed;
    // A key that is written twice could hide how long the answer may be.
    if (holdsLongest(principal)) requireUniqueKeys(routed, route.format);
    const held = hold(limits, routed);
    if (held instanceof Promise)
      return held.then((later) => {
        keep(routed, later);
        return withFallbacks(limits, routed);
      });
    keep(routed, held);
    return withFallbacks(limits, routed);
  };
}

/** The vendor may ask any of the models that the body names, and tell what the dearest one has cost. */
function estimateAll(routed: Routed, catalog: Catalog): ReturnType<typeof estimateCost> {
  const { model, otherModels = [] } = routed;
  const own = estimate(routed);
  const others = otherModels.flatMap((id) => {
    const other = catalog.resolve(id, vendorName(model.id));
    return other === undefined ? [] : [estimate({ ...routed, model: other }).longest];
  });
  return { ...own, longest: Math.max(own.longest, ...others) };
}

function estimate(routed: Routed): ReturnType<typeof estimateCost> {
  const { body, scan, model, ledger } = routed;
  return estimateCost(
    {
      body,
      model,
      output: longestAnswer(routed),
      continues: CONTINUING.some((field) => scan.fields.has(field)),
      tiered: ledger.tiered,
    },
    ledger.time,
  );
}

/**
 * The longest answer is held until the exchange has been charged, some 50 ms after its end. A typical one is given back
 * at its end: it is an estimate anyway, and a caller who sends one request after the other must not wait.
 */
function keep(routed: Routed, held: Release): void {
  const { ledger, response, principal } = routed;
  // The caller may have left in the meantime: then the exchange has been recorded already.
  if (response.closed) {
    held();
    return;
  }
  ledger.release = held;
  if (!ledger.isRecorded || !holdsLongest(principal)) response.on('close', held);
}

function release({ ledger }: Routed): void {
  ledger.release?.();
  ledger.release = undefined;
}
