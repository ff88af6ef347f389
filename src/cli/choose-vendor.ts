/** Which of the vendors that have a key a command line means. */

import type { Vendor } from '../upstream/vendor.ts';
import { CommandError } from './command-error.ts';

/** @throws CommandError if no vendor has a key. */
export function requireVendors(vendors: readonly Vendor[]): void {
  if (vendors.length === 0)
    throw new CommandError('No vendor API key is configured. Set one, such as OPENAI_API_KEY.');
}

/** The vendor of a name. @throws CommandError if no vendor of that name has a key. */
export function findVendor(name: string, vendors: readonly Vendor[]): Vendor {
  const vendor = vendors.find((one) => one.name === name);
  if (vendor !== undefined) return vendor;
  throw new CommandError(`There is no vendor ${name} with a key. Vendors with a key: ${listNames(vendors)}.`);
}

/** The names of the vendors, comma-separated. */
export function listNames(vendors: readonly Vendor[]): string {
  return vendors.map(({ name }) => name).join(', ');
}
