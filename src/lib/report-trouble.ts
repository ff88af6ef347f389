/** Reports that something fails, and that it works again, once each. */

export interface TroubleReports {
  /** Called with a sentence when it begins to fail. */
  readonly onTrouble?: (sentence: string) => void;
  /** Called with a sentence when it works again. */
  readonly onRecovered?: (sentence: string) => void;
}

/** Follows one thing that is tried again and again. */
export function reportTrouble({ onTrouble = () => {}, onRecovered = () => {} }: TroubleReports) {
  let isTroubled = false;
  return {
    /** It has failed. @param sentence is reported unless the time before failed too. */
    failed(sentence: string): void {
      if (!isTroubled) onTrouble(sentence);
      isTroubled = true;
    },
    /** It has worked. @param sentence is reported if the time before failed. */
    worked(sentence: string): void {
      if (isTroubled) onRecovered(sentence);
      isTroubled = false;
    },
  };
}
