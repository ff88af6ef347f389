/** The results of tool calls: asked for, shown, and changed, which begins another branch. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Block, ResultsNode } from './conversation.ts';

type CallBlock = Extract<Block, { kind: 'call' }>;

/** What the example tools might answer; any other tool gets an empty object. */
const EXAMPLES: Readonly<Record<string, string>> = {
  get_time: '{"time":"14:05"}',
  get_weather: '{"temperature":18,"sky":"clear"}',
};

/** Asks for the results of calls. */
export function ResultsForm({
  calls,
  before,
  button = 'Send results',
  onResults,
}: {
  calls: readonly CallBlock[];
  /** The results that are changed. */
  before?: readonly string[];
  button?: string;
  onResults: (results: readonly string[]) => void;
}) {
  const [results, setResults] = useState<readonly string[]>(
    () => before ?? calls.map(({ name }) => EXAMPLES[name] ?? '{}'),
  );
  return (
    <form
      class="call results"
      onSubmit={(event) => {
        event.preventDefault();
        onResults(results);
      }}
    >
      {calls.map(({ id, name }, at) => (
        <label class="field" key={id}>
          <span>Result of {name}</span>
          <textarea
            rows={2}
            value={results[at] ?? ''}
            onInput={({ currentTarget }) =>
              setResults(results.map((result, other) => (other === at ? currentTarget.value : result)))
            }
          />
        </label>
      ))}
      <button type="submit" class="primary">
        {button}
      </button>
    </form>
  );
}

/** Shows the results that were given. */
export function ResultsView({
  node,
  calls,
  branches,
  onChange,
}: {
  node: ResultsNode;
  calls: readonly CallBlock[];
  branches: ComponentChildren;
  /** Absent while an answer is running. */
  onChange: ((results: readonly string[]) => void) | undefined;
}) {
  const [isEdited, setEdited] = useState(false);
  if (isEdited && onChange)
    return (
      <ResultsForm
        calls={calls}
        before={node.results}
        button="Send as a new branch"
        onResults={(results) => {
          setEdited(false);
          onChange(results);
        }}
      />
    );
  return (
    <div class="call results">
      {calls.map(({ id, name }, at) => (
        <div key={id}>
          <h4>Result of {name}</h4>
          <pre>{node.results[at]}</pre>
        </div>
      ))}
      <div class="after">
        {branches}
        {onChange && (
          <button type="button" class="quiet" onClick={() => setEdited(true)}>
            Change results
          </button>
        )}
      </div>
    </div>
  );
}
