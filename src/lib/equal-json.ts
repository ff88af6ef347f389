/** Whether two values are the same JSON. */

/**
 * Compares two values as JSON: the order of an object's members does not matter, and an undefined member counts as
 * absent. The recursion is as deep as the values, which the bound on a request's nesting limits.
 */
export function equalJson(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (!isStructured(one) || !isStructured(other) || Array.isArray(one) !== Array.isArray(other)) return false;
  // An exact number is an object that contains only its text.
  if (JSON.isRawJSON(one) || JSON.isRawJSON(other)) return JSON.stringify(one) === JSON.stringify(other);
  const members = definedMembers(one);
  const others = definedMembers(other);
  if (members.size !== others.size) return false;
  return [...members].every(([key, value]) => others.has(key) && equalJson(value, others.get(key)));
}

function isStructured(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The items of a list by index, or the members of an object by name. */
function definedMembers(value: object): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(value).filter(([, member]) => member !== undefined));
}
