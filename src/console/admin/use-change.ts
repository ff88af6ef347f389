/** Changes that a form sends. */

import { useState } from 'preact/hooks';
import { errorMessage } from '../session/reach.ts';

export function useChange() {
  const [problem, setProblem] = useState('');
  const [isSending, setSending] = useState(false);
  return {
    /** Why the last one failed; empty if none has. */
    problem,
    /** Whether one is on its way. The form's button is disabled as long: pressed twice, it would send it twice. */
    isSending,
    /** Sends one. Whatever `work` throws is the problem. */
    async send(work: () => Promise<void>): Promise<void> {
      setSending(true);
      try {
        await work();
        setProblem('');
      } catch (error) {
        setProblem(errorMessage(error));
      } finally {
        setSending(false);
      }
    },
  };
}
