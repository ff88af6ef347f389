/** Follows whether Redis refuses what limits need. */

/** How long a refusal counts, in milliseconds. */
const REFUSING = 60_000;

/**
 * Reports the first refusal, and that there are none any more.
 * @param probe resolves with whether Redis takes a write at the moment.
 */
export function openRefusals(
  onTrouble: (message: string) => void,
  onRecovered: (message: string) => void,
  probe: () => Promise<boolean>,
) {
  let last = Number.NEGATIVE_INFINITY;
  let isReported = false;
  let isProbing = false;
  const commands = new Set<string>();
  const isRecent = (): boolean => performance.now() - last < REFUSING;
  return {
    isRecent,
    /** From now on each process counts on its own, for a while. */
    add(trouble: string, command?: string): void {
      last = performance.now();
      if (command !== undefined) commands.add(command);
      if (!isReported) onTrouble(`${trouble}, so each process counts limits on its own.`);
      isReported = true;
    },
    /**
     * A full Redis still answers reads, and carries out scripts that only give back. So a command that it has refused, and
     * a write after that, show that it is well.
     */
    async addSuccess(command: string): Promise<void> {
      const isWell = isReported && !isRecent() && (commands.size === 0 || commands.has(command));
      if (!isWell || isProbing) return;
      isProbing = true;
      const takesWrites = await probe();
      isProbing = false;
      // A write that is refused has been added.
      if (!takesWrites || isRecent()) return;
      isReported = false;
      commands.clear();
      onRecovered('Redis refuses nothing any more that limits need, so limits are shared again.');
    },
  };
}
