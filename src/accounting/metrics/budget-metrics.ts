/** Metrics of the budgets of keys and of groups. */

import { Gauge, type Registry } from 'prom-client';
import type { Budget } from '../../access/limits/budgets.ts';
import type { AccountKind } from '../../access/limits/limit-holder.ts';

/** Adds the metrics to a registry. @param read returns the budgets of the present scrape. */
export function addBudgetMetrics(registry: Registry, read: () => Iterable<Budget>): void {
  const registers = [registry];
  addBudgets('key');
  addBudgets('group');

  function addBudgets(kind: AccountKind): void {
    new Gauge({
      name: `gateway_${kind}_budget_dollars`,
      help: `Budget of a ${kind} in US dollars for the present day, week or month, or in total. Only of ${kind}s that were used lately.`,
      labelNames: [kind, 'period', 'models'],
      registers,
      aggregator: 'max',
      collect() {
        this.reset();
        for (const { of, name, period, models, budget } of read())
          if (of === kind) this.set({ [kind]: name, period, ...(models && { models }) }, budget);
      },
    });
    new Gauge({
      name: `gateway_${kind}_budget_remaining_dollars`,
      help: `What is left of a ${kind}'s budget in US dollars; below 0 if its last answers went beyond it.`,
      labelNames: [kind, 'period', 'models'],
      registers,
      // Of several processes, the one that knows of the most spending decides.
      aggregator: 'min',
      collect() {
        this.reset();
        for (const { of, name, period, models, left } of read())
          if (of === kind) this.set({ [kind]: name, period, ...(models && { models }) }, left);
      },
    });
    new Gauge({
      name: `gateway_${kind}_budget_reserved_dollars`,
      help: `What requests in progress hold of a ${kind}'s budget in US dollars until their cost is known.`,
      labelNames: [kind, 'period', 'models'],
      registers,
      collect() {
        this.reset();
        for (const { of, name, period, models, reserved } of read())
          if (of === kind) this.set({ [kind]: name, period, ...(models && { models }) }, reserved);
      },
    });
  }
}
