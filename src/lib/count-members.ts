/** How many members all objects in a value have, at whatever depth. Its text has more if an object has a key twice. */
export function countMembers(value: unknown): number {
  let members = 0;
  if (Array.isArray(value)) for (const item of value) members += countMembers(item);
  else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) members += 1 + countMembers(inner);
  }
  return members;
}
