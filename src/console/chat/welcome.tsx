/** What an empty conversation shows: a short introduction, and example prompts to click. */

import { askKeys, type Session } from '../session/session.ts';
import { Problem } from '../shell/fields.tsx';

const EXAMPLES = [
  'Explain server-sent events in three sentences.',
  'Write a haiku about gateways, then a table of four fruits and their colours.',
  'What is the weather in Lisbon?',
];

export function Welcome({
  session,
  problem,
  onExample,
}: {
  session: Session;
  /** Why no model can be asked; empty if one can. */
  problem: string;
  onExample: (text: string) => void;
}) {
  const hasKey = session.key.value !== '';
  return (
    <section class="welcome">
      <h1>Ask any model, in any format</h1>
      <Problem text={problem} />
      {!problem && hasKey && <p>Change the model or the format at any time: the conversation goes on.</p>}
      {hasKey && !problem ? (
        <ul>
          {EXAMPLES.map((example) => (
            <li key={example}>
              <button type="button" onClick={() => onExample(example)}>
                {example}
              </button>
            </li>
          ))}
        </ul>
      ) : (
        <>
          <p>
            The gateway creates a key on its first start and says where it is;{' '}
            <code>gateway keys create NAME</code> creates another.
          </p>
          <button type="button" class="primary" onClick={() => askKeys(session)}>
            Enter an API key
          </button>
        </>
      )}
    </section>
  );
}
