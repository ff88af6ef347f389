/** Which of the vendors that have a key is meant. */

import type { Vendor } from '../upstream/vendor.ts';
import { Refusal } from './refusal.ts';

/** @throws Refusal where nobody can be asked. */
export function refuseNobody(all: readonly Vendor[]): void {
  if (all.length === 0)
    throw new Refusal('No vendor has a key, so there is none to ask: set one, such as OPENAI_API_KEY.');
}

/** The one of a name. @throws Refusal */
export function vendorNamed(name: string, all: readonly Vendor[]): Vendor {
  const vendor = all.find((one) => one.name === name);
  if (vendor !== undefined) return vendor;
  throw new Refusal(`There is no vendor ${name} with a key. Vendors with a key: ${namesOf(all)}.`);
}

export function namesOf(vendors: readonly Vendor[]): string {
  return vendors.map(({ name }) => name).join(', ');
}
