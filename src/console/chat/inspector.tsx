/** What lies behind an answer: the request that was sent, also as code, and the answer's stream, event by event. */

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { parseJson } from '../formats/json.ts';
import { CodeBlock } from '../markdown/code-block.tsx';
import { errorMessage } from '../session/reach.ts';
import { ROOT } from '../session/root.ts';
import { Dialog } from '../shell/dialog.tsx';
import { Select } from '../shell/fields.tsx';
import { Tabs } from '../shell/tabs.tsx';
import { type CodeKind, toCode } from './code.ts';
import type { AnswerNode, Trace } from './conversation.ts';

const CODE = [
  { kind: 'curl', name: 'curl', language: 'bash' },
  { kind: 'javascript', name: 'JavaScript', language: 'javascript' },
  { kind: 'python', name: 'Python', language: 'python' },
] as const satisfies readonly { readonly kind: CodeKind; readonly name: string; readonly language: string }[];

export function Inspector({
  node,
  readTrace,
  onClose,
}: {
  node: AnswerNode;
  readTrace: () => Promise<Trace | undefined>;
  onClose: () => void;
}) {
  const [trace, setTrace] = useState<Trace | 'sought' | undefined>(node.trace ?? 'sought');
  useEffect(() => {
    readTrace().then(setTrace, () => setTrace(undefined));
  }, [node]);
  if (trace === 'sought') return null;
  const behind = (show: (found: Trace) => ComponentChildren) => () =>
    trace === undefined ? <NotKept /> : show(trace);
  return (
    <Dialog title={`${node.model} · ${node.format}`} onClose={onClose} wide>
      <Tabs
        label="What lies behind the answer"
        tabs={[
          { name: 'Request', content: behind((found) => <Request trace={found} />) },
          { name: 'Code', content: behind((found) => <Code node={node} trace={found} />) },
          { name: 'Translation', content: behind((found) => <Translation node={node} trace={found} />) },
          {
            name: trace === undefined ? 'Stream' : `Stream (${trace.events.length})`,
            content: behind((found) => <Stream trace={found} />),
          },
          { name: 'Response', content: () => <Response node={node} /> },
        ]}
      />
    </Dialog>
  );
}

function NotKept() {
  return (
    <p class="none">
      This browser has not kept what was sent and received: the page was closed before the end of the answer,
      or it is longer than a million letters.
    </p>
  );
}

function Request({ trace: { request } }: { trace: Trace }) {
  return (
    <>
      <p>
        <code>POST {request.path}</code>
      </p>
      <CodeBlock code={JSON.stringify(request.body, null, 2)} language="json" isFinished />
    </>
  );
}

function Code({ node, trace }: { node: AnswerNode; trace: Trace }) {
  const [{ kind, language }, setChosen] = useState<(typeof CODE)[number]>(CODE[0]);
  return (
    <>
      <p class="row">
        <Select
          label="Language"
          value={kind}
          options={CODE.map((each) => [each.kind, each.name])}
          isInline
          onChoose={(chosen) => setChosen(CODE.find((each) => each.kind === chosen) ?? CODE[0])}
        />
        <span class="hint">
          It sends this request again, with your key from <code>KEY</code>.
        </span>
      </p>
      <CodeBlock
        code={toCode(kind, { ...trace.request, format: node.format, model: node.model }, ROOT)}
        language={language}
        isFinished
      />
    </>
  );
}

/** What became of each field of the request, if the model's vendor speaks another format. */
function Translation({ node, trace }: { node: AnswerNode; trace: Trace }) {
  const [content, setContent] = useState<ComponentChildren>(null);
  useEffect(() => {
    Promise.all([
      import('../translation/explain.ts'),
      import('../translation/fields-table.tsx'),
      import('../translation/format-of-vendor.ts'),
    ]).then(
      ([{ explain }, { FieldsTable }, { formatOfVendor }]) => {
        const text = JSON.stringify(trace.request.body);
        const to = formatOfVendor(text, node.format, node.model);
        const explained = explain(text, node.format, to, node.model);
        setContent(
          to === node.format ? (
            <p>
              The vendor speaks <code>{to}</code> too: the request is passed on byte for byte, but for the
              name of the model.
            </p>
          ) : 'problem' in explained ? (
            <p class="error">{explained.problem}</p>
          ) : (
            <>
              <p>
                From <code>{node.format}</code> to <code>{to}</code>, which the vendor itself speaks. A
                service that is configured in its place may speak another format.
              </p>
              <FieldsTable fields={explained.fields} />
              <CodeBlock code={JSON.stringify(explained.request.body, null, 2)} language="json" isFinished />
            </>
          ),
        );
      },
      (error: unknown) => setContent(<p class="error">{errorMessage(error)}</p>),
    );
  }, [node, trace]);
  return <>{content}</>;
}

/** Events of a stream that are shown at once. */
const MAX_EVENTS = 500;

function Stream({ trace: { events } }: { trace: Trace }) {
  const [most, setMost] = useState(MAX_EVENTS);
  if (events.length === 0) return <p class="none">No event arrived.</p>;
  return (
    <>
      <ol class="events">
        {events.slice(0, most).map(({ time, name, data }, at) => (
          <li key={at}>
            <span class="time">{(time / 1000).toFixed(3)} s</span>
            {name && <strong>{name}</strong>}
            <details>
              <summary>{data}</summary>
              <pre>{pretty(data)}</pre>
            </details>
          </li>
        ))}
      </ol>
      {events.length > most && (
        <button type="button" onClick={() => setMost(events.length)}>
          Show all {events.length} events
        </button>
      )}
    </>
  );
}

function Response({ node: { response, error } }: { node: AnswerNode }) {
  if (response === undefined) return <p class="none">{error ?? 'There is no response yet.'}</p>;
  return (
    <>
      <p>
        Status <strong>{response.status}</strong>
      </p>
      <dl class="headers">
        {response.headers.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {error && <p class="error">{error}</p>}
    </>
  );
}

function pretty(data: string): string {
  const value = parseJson(data);
  return value === undefined ? data : JSON.stringify(value, null, 2);
}
