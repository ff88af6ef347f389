/** An answer's stream in all formats, side by side: each event of the vendor beside those that it becomes. */

import { useEffect, useState } from 'preact/hooks';
import type { TranslatedRequest } from '../../translate/index.ts';
import type { FormatName } from '../formats/dialogue.ts';
import { FORMATS } from '../formats/formats.ts';
import { parseJson } from '../formats/json.ts';
import type { ServerSentEvent } from '../formats/sse.ts';
import { errorMessage } from '../session/reach.ts';
import { Problem } from '../shell/fields.tsx';
import { type AlignedEvent, alignStreams, translateText } from './align-streams.ts';

/** Events that are shown. */
const MAX_EVENTS = 400;

export function StreamTable({
  from,
  caller,
  request,
  given,
  example,
  onGive,
}: {
  /** The vendor's format. */
  from: FormatName;
  /** The caller's format. */
  caller: FormatName;
  /** The request that is answered; undefined if there is none. */
  request: TranslatedRequest | undefined;
  /** The vendor's stream; empty for the example. */
  given: string;
  /** A stream in Anthropic's format. */
  example: string;
  onGive: (stream: string) => void;
}) {
  const [stream, setStream] = useState('');
  const [rows, setRows] = useState<readonly AlignedEvent[]>([]);
  const [problem, setProblem] = useState('');
  // The caller's own format first: it is the one that the answer has.
  const others = FORMATS.map(({ name }) => name)
    .filter((name) => name !== from)
    .sort((a, b) => Number(b === caller) - Number(a === caller));
  useEffect(() => {
    let isCurrent = true;
    const show = async (): Promise<void> => {
      const text = given || (await translateText(example, 'messages', from));
      const made = request && from !== caller ? { of: caller, made: request } : undefined;
      const aligned = await alignStreams(text, from, others, made);
      if (!isCurrent) return;
      setStream(text);
      setRows(aligned);
      setProblem('');
    };
    show().catch((error: unknown) => {
      if (isCurrent) setProblem(errorMessage(error));
    });
    return () => {
      isCurrent = false;
    };
  }, [given, example, from, caller, request]);
  return (
    <section class="card" aria-label="The answer's stream">
      <h2>
        The answer’s stream <small>event by event, in each format</small>
      </h2>
      <details>
        <summary>Paste a stream of the vendor ({from})</summary>
        <textarea
          class="code"
          rows={8}
          spellcheck={false}
          aria-label={`A stream of the vendor, in ${from}`}
          value={given || stream}
          onInput={(event) => onGive(event.currentTarget.value)}
        />
        {given && (
          <button type="button" onClick={() => onGive('')}>
            Show the example again
          </button>
        )}
      </details>
      <Problem text={problem} />
      <div class="table-scroll" role="region" aria-label="Events" tabIndex={0}>
        <table class="aligned">
          <thead>
            <tr>
              <th scope="col">{from} (the vendor)</th>
              {others.map((name) => (
                <th key={name} scope="col">
                  {name}
                  {name === caller && ' (the caller)'}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MAX_EVENTS).map(({ event, others: translated }, at) => (
              <tr key={at}>
                <td>{event ? <Event event={event} /> : <span class="hint">the end of the stream</span>}</td>
                {translated.map((events, column) => (
                  <td key={others[column]}>
                    {events.map((each, place) => (
                      <Event key={place} event={each} />
                    ))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length > MAX_EVENTS && <p class="none">and {rows.length - MAX_EVENTS} more events</p>}
      </div>
    </section>
  );
}

function Event({ event: { name, data } }: { event: ServerSentEvent }) {
  const value = parseJson(data);
  return (
    <details class="event">
      <summary>
        {name && <strong>{name}</strong>} {data}
      </summary>
      <pre>{value === undefined ? data : JSON.stringify(value, null, 2)}</pre>
    </details>
  );
}
