/**
 * Ids of tool calls. Gemini before 3 gives none, and later ones not always; every other format needs one. Ids are made
 * from what stands in the answer or the request, so that the same call has the same id each time it is read.
 */

/** An id for a call that has none: the `position`-th of the answer or request that `stem` names. */
export function madeUpId(stem: string, position: number | string): string {
  return `call_${stem.replaceAll(/[^A-Za-z0-9_-]/g, '') || 'made'}_${position}`;
}

/** Ids we make up, and those of other vendors: neither is anything to Gemini. */
const NOT_GEMINIS = /^(?:call|toolu|srvtoolu|fc|chatcmpl-tool|tooluse)_/;

/** Whether Gemini may have given this id itself: then, and only then, it wants it back. */
export function isGeminiId(id: string): boolean {
  return id !== '' && !NOT_GEMINIS.test(id);
}

/** Gives ids to calls without one, and finds them again for responses without one: the oldest of that name. */
export interface CallIds {
  /** @param id the caller's own, where there is one. */
  ofCall(name: string, id: string | undefined): string;
  ofResult(name: string, id: string | undefined): string;
}

export function callIds(): CallIds {
  const unanswered: { readonly name: string; readonly id: string }[] = [];
  let calls = 0;
  let strays = 0;
  return {
    ofCall(name, given) {
      const id = given || madeUpId('turn', calls);
      calls++;
      unanswered.push({ name, id });
      return id;
    },
    ofResult(name, given) {
      const at = unanswered.findIndex((call) => (given ? call.id === given : call.name === name));
      const found = at < 0 ? undefined : unanswered.splice(at, 1)[0];
      return given || (found?.id ?? madeUpId('stray', strays++));
    },
  };
}
