/** Repairs that leave out, or say otherwise, what a refusal is about. */

import type { Avoidance } from '../../conversation/rules/avoidance.ts';
import type { Routed } from '../exchange.ts';
import { isNative } from '../request/request-kind.ts';
import { hasAnswers, isReference, type Refused } from './refusal.ts';
import {
  findSubjects,
  isAboutSettings,
  isOfDialogue,
  isOfThisDialogue,
  isOfThisSchema,
} from './refused-words.ts';
import type { Repaired } from './repair.ts';

/** What the format knows this refusal to be about. */
export function avoidRecognized(refused: Refused): Repaired | undefined {
  const { recognized } = refused;
  return recognized?.kind === 'avoid' ? avoid(refused, [recognized.avoidance]) : undefined;
}

/** The thoughts that a vendor demands before calls. What is foreign in a dialogue may be the only ones that there are. */
export function supplyThoughts(refused: Refused): Repaired | undefined {
  const { named } = findSubjects(refused.error);
  return named.includes('calls-without-thoughts') ? avoid(refused, ['calls-without-thoughts']) : undefined;
}

/** What the refusal names, or else touches on. */
export function avoidNamed(refused: Refused): Repaired | undefined {
  const { named, touched } = findSubjects(refused.error);
  if (isAboutSettings(refused.error))
    return named.includes('limit-name') ? avoid(refused, ['limit-name']) : undefined;
  return avoid(refused, named) ?? avoid(refused, touched);
}

/**
 * Avoids what would change the request. A native request is translated for it if it is a dialogue and the refusal is about
 * that. Its settings are the caller's own: the format's own vendor has the last word on them, but at other services
 * clients send what they send to that vendor.
 */
function avoid(refused: Refused, avoidances: readonly Avoidance[]): Repaired | undefined {
  const { routed, error, recognized, changes } = refused;
  const native = isNative(routed);
  const known = routed.avoids ?? new Set<Avoidance>();
  const withAll = (names: readonly Avoidance[]): Routed => ({
    ...routed,
    avoids: new Set([...known, ...names]),
    ...(native && names.some((name) => name !== 'stream-options') && { mustTranslate: true }),
  });
  const isAllowed = (name: Avoidance): boolean => {
    if (!native || name === 'stream-options') return true;
    return isOfDialogue(name) ? hasAnswers(refused) : !isReference(routed) && name === 'thinking-setting';
  };
  const fits = (name: Avoidance): boolean => !known.has(name) && isAllowed(name) && changes(withAll([name]));
  const fitting = avoidances.filter(fits);
  if (fitting.length === 0) return undefined;
  // A native dialogue is translated now, and no vendor takes calls without results: that would be the next refusal.
  const isLoose =
    native && fitting.some(isOfDialogue) && !fitting.includes('loose-turns') && fits('loose-turns');
  const changing: readonly Avoidance[] = isLoose ? [...fitting, 'loose-turns'] : fitting;
  const isUnread = recognized !== undefined || isOfThisDialogue(error);
  const learned = changing.filter(
    (name) =>
      !(native && isOfDialogue(name)) && !(isUnread && name === 'thoughts') && !isOfThisSchema(error, name),
  );
  return {
    routed: withAll(changing),
    names: changing.map((name) => `without-${name}`),
    ...(learned.length > 0 && { lesson: { avoids: new Set(learned) } }),
  };
}
