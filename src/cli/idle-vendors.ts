/** Vendors that have a key and serve nothing: as a rule, they are called something else than their models are. */

import { vendorName } from '../catalog/catalog.ts';
import type { Config } from '../config/schema.ts';
import { configuredVendors } from '../config/vendors.ts';
import { catalogModels } from '../server/open-gateway.ts';

/** A sentence for each of them, which says what to do. */
export function idleVendors(config: Config): readonly string[] {
  const vendors = configuredVendors(config);
  const models = catalogModels(config);
  const busy = new Set(models.map((model) => vendors.serving(model)?.name));
  const configured = new Set(vendors.all.map(({ name }) => name));
  const free = [...new Set(models.map(({ id }) => vendorName(id)))].filter((name) => !configured.has(name));
  return vendors.all.flatMap(({ name }) => (busy.has(name) ? [] : [advice(name, free)]));
}

/** @param free what else a vendor can be called, to serve models of the catalog. */
function advice(name: string, free: readonly string[]): string {
  const meant = free.find((other) => isAlike(name, other));
  if (meant === undefined) {
    return `The vendor ${name} serves no model, because no model id begins with ${name}/: list its models under "models" in the configuration.`;
  }
  return `The vendor ${name} serves no model: the ids in the catalog begin with ${meant}/, so rename the vendor to ${meant}.`;
}

/** `xai` and `x-ai`, `mistral` and `mistralai`. */
function isAlike(one: string, other: string): boolean {
  const [a, b] = [plain(one), plain(other)];
  return a !== '' && b !== '' && (a.startsWith(b) || b.startsWith(a));
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
