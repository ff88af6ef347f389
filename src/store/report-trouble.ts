/** Reports that something fails at the store, and that it works again, once each. */

import { adviceOnTables, getReason, isEndedConnection } from './store-errors.ts';

export interface TroubleReports {
  /** Called with a sentence when it begins to fail. */
  readonly onTrouble?: (sentence: string) => void;
  /** Called with a sentence when it works again. */
  readonly onRecovered?: (sentence: string) => void;
}

/** Follows one thing that is tried again and again. */
export function reportTrouble({ onTrouble = () => {}, onRecovered = () => {} }: TroubleReports) {
  let isFailing = false;
  let isTroubled = false;
  return {
    /**
     * It has failed. This is reported once, as `sentence` with the reason. A connection that has ended is reported only if
     * the time before failed too: the next one may well work, or fail for a reason that says more.
     */
    failed(sentence: string, error: unknown): void {
      if (!isTroubled && (isFailing || !isEndedConnection(error))) {
        onTrouble(`${sentence}: ${getReason(error)}${adviceOnTables(error)}`);
        isTroubled = true;
      }
      isFailing = true;
    },
    /** It has worked. @param sentence is reported if a failure was. */
    worked(sentence: string): void {
      if (isTroubled) onRecovered(sentence);
      isTroubled = false;
      isFailing = false;
    },
  };
}
