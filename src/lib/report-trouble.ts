/** Reports that something fails, and that it works again, once each. */

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
     * It has failed. @param sentence is reported unless the time before failed and was reported.
     * @param mayPass whether the next time may well work, or fail for a reason that says more: this time is not reported
     * then unless the time before failed too.
     */
    failed(sentence: string, mayPass = false): void {
      if (!isTroubled && (isFailing || !mayPass)) {
        onTrouble(sentence);
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
