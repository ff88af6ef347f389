/** Changes that a form sends. */

import { useState } from 'preact/hooks';
import { errorMessage } from '../session/reach.ts';

export interface Change {
  /** Why the last one failed; empty if none has. */
  readonly problem: string;
  /** Whether one is on its way. The form's button is disabled as long: pressed twice, it would send it twice. */
  readonly isSending: boolean;
  /** Sends one. Whatever `work` throws is the problem. */
  send(work: () => Promise<void>): Promise<void>;
}

export function useChange(): Change {
  const [problem, setProblem] = useState('');
  const [isSending, setSending] = useState(false);
  return {
    problem,
    isSending,
    async send(work) {
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
