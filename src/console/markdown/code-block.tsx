/** A block of code, with the colours of its language once it is complete, and a button that copies it. */

import { useEffect, useState } from 'preact/hooks';
import { CopyButton } from '../shell/copy-button.tsx';
import type { ColouredLine } from './highlight.ts';

/** Letters of code that are coloured. */
const MAX_COLOURED = 50_000;

/** @param props `language`: the name after the fence; `isFinished`: whether no more code follows */
export function CodeBlock({
  code,
  language,
  isFinished,
}: {
  code: string;
  language: string;
  isFinished: boolean;
}) {
  const [lines, setLines] = useState<readonly ColouredLine[] | undefined>();
  useEffect(() => {
    setLines(undefined);
    if (!isFinished || !language || code.length > MAX_COLOURED) return;
    let isCurrent = true;
    import('./highlight.ts')
      .then(({ highlight }) => highlight(code, language))
      .then((coloured) => {
        if (isCurrent) setLines(coloured);
      })
      // Without its colours the code is as readable, and as complete.
      .catch((error: unknown) => console.warn('The code stays without colours.', error));
    return () => {
      isCurrent = false;
    };
  }, [code, language, isFinished]);
  return (
    <div class="fence">
      <div class="fence-head">
        <span>{language}</span>
        <CopyButton label="Copy the code" text={() => code} />
      </div>
      <pre dir="ltr" tabIndex={0}>
        <code>{lines === undefined ? code : <Lines lines={lines} />}</code>
      </pre>
    </div>
  );
}

function Lines({ lines }: { lines: readonly ColouredLine[] }) {
  return lines.map((line, at) => [
    at > 0 && '\n',
    line.map(({ text, style }) => (
      <span class="token" style={style}>
        {text}
      </span>
    )),
  ]);
}
