/** Names of fields in the JSON of protobuf (proto3 JSON mapping). */

/** A field's name in camelCase, whichever of the two spellings it has. An underscore at its start stays. */
export function camelCase(name: string): string {
  return name.includes('_')
    ? name.replaceAll(/(?<!^)_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    : name;
}

/** A name in snake_case, of one in camelCase. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
