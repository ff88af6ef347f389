/** Which names may be meant by somebody who misspells one. */

/** Whether one name begins like the other, or differs from it by a slip. Both are in lower case. */
export function isAlike(one: string, other: string): boolean {
  if (one === '' || other === '') return false;
  return one.startsWith(other) || other.startsWith(one) || isSlip(one, other);
}

/** Whether two names differ in one place by at most two letters. Another digit is no slip: it names another model. */
export function isSlip(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const left = [one, other].map((text) => text.slice(start, text.length - end));
  return left.every((text) => /^[a-z]{0,2}$/.test(text));
}
