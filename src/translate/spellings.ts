/** The two spellings of a field's name in Google's JSON (proto3 JSON mapping). */

import { snakeCase } from '../formats/generate-content/wire/camel-case.ts';

/**
 * A name in camelCase and in snake_case. An object may have one and the object inside it the other, so paths are spelled
 * name by name. The names of the other formats have no capital letters, and one spelling each.
 */
export function spellings(name: string): readonly string[] {
  const snake = snakeCase(name);
  return snake === name ? [name] : [name, snake];
}
