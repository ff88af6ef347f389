/**
 * The translation: as a request is typed or pasted, what a model's vendor would be sent, field by field, and an answer's
 * stream in each format, event by event. All of it happens in the page, by the library that the gateway itself uses.
 */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { guessFormat } from '../../translate/guess-format.ts';
import type { FormatName } from '../formats/dialogue.ts';
import { FORMATS } from '../formats/formats.ts';
import { parseObject } from '../formats/json.ts';
import { CodeBlock } from '../markdown/code-block.tsx';
import type { Model } from '../models/model.ts';
import { ModelPicker } from '../models/model-picker.tsx';
import { CopyButton } from '../shell/copy-button.tsx';
import { Select } from '../shell/fields.tsx';
import { EXAMPLE_MODEL, EXAMPLE_REQUEST, EXAMPLE_STREAM } from './examples.ts';
import { type Explained, explain } from './explain.ts';
import { FieldsTable } from './fields-table.tsx';
import { formatOfVendor } from './format-of-vendor.ts';
import { fromLink, type Shown, toLink } from './link-state.ts';
import { StreamTable } from './stream-table.tsx';

const NAMES = FORMATS.map(({ name }) => name);

const FIRST: Shown = { from: '', to: '', model: EXAMPLE_MODEL, request: EXAMPLE_REQUEST, stream: '' };

/** The part of an address that leads to `shown`, with its `#`. */
async function linkTo(shown: Shown): Promise<string> {
  return `#/translate/${await toLink(shown)}`;
}

export function TranslationView({ models, link }: { models: readonly Model[]; link: string }) {
  const [shown, setShown] = useState<Shown>(FIRST);
  const change = (changed: Partial<Shown>): void => setShown((before) => ({ ...before, ...changed }));
  useEffect(() => {
    if (link) void fromLink(link).then((found) => found && setShown(found));
  }, [link]);
  // The address always leads to what is seen. Browsers send that part of it to no server.
  useEffect(() => {
    if (shown === FIRST) return;
    const timer = setTimeout(async () => history.replaceState(null, '', await linkTo(shown)), 300);
    return () => clearTimeout(timer);
  }, [shown]);

  const guessed = useMemo(() => guessFormat(parseObject(shown.request)), [shown.request]);
  const from = NAMES.find((name) => name === shown.from) ?? guessed;
  const vendors = useMemo(
    () => formatOfVendor(shown.request, from, shown.model),
    [shown.request, from, shown.model],
  );
  const to = NAMES.find((name) => name === shown.to) ?? vendors;
  const explained = useMemo(
    () => explain(shown.request, from, to, shown.model),
    [shown.request, from, to, shown.model],
  );
  return (
    <div class="translation">
      <header class="view-head">
        <h1>Translate</h1>
        <div class="row">
          <span class="hint">Nothing that you write here leaves this page.</span>
          <CopyButton
            label="Copy a link to this"
            // The address follows what is typed with a delay.
            text={async () => new URL(await linkTo(shown), location.href).href}
          >
            Copy a link to this
          </CopyButton>
        </div>
      </header>
      <div class="translation-columns">
        <section class="card" aria-label="The caller's request">
          <div class="row">
            <FormatChoice
              label="Request in"
              value={shown.from}
              automatic={`guessed: ${guessed}`}
              onChoose={(name) => change({ from: name })}
            />
          </div>
          <textarea
            class="code"
            rows={24}
            spellcheck={false}
            aria-label="The caller's request"
            value={shown.request}
            onInput={(event) => change({ request: event.currentTarget.value })}
          />
        </section>
        <section class="card" aria-label="What the vendor is sent">
          <div class="row">
            <ModelPicker
              label="Model to ask"
              models={models}
              value={shown.model}
              onChoose={(model) => change({ model })}
            />
            <FormatChoice
              label="Vendor speaks"
              value={shown.to}
              automatic={vendors}
              onChoose={(name) => change({ to: name })}
            />
          </div>
          {'problem' in explained ? (
            <p class="error" role="alert">
              {explained.field && <code>{explained.field}</code>} {explained.problem}
            </p>
          ) : (
            <Sent explained={explained} isSame={from === to} />
          )}
        </section>
      </div>
      {'request' in explained && (
        <section class="card">
          <h2>Field by field</h2>
          <FieldsTable fields={explained.fields} />
        </section>
      )}
      <StreamTable
        from={to}
        caller={from}
        request={'request' in explained ? explained.request : undefined}
        given={shown.stream}
        example={EXAMPLE_STREAM}
        onGive={(stream) => change({ stream })}
      />
    </div>
  );
}

function FormatChoice({
  label,
  value,
  automatic,
  onChoose,
}: {
  label: string;
  value: string;
  /** What the empty choice means. */
  automatic: string;
  onChoose: (name: FormatName | '') => void;
}) {
  return (
    <Select
      label={label}
      value={value}
      options={[['', automatic], ...NAMES.map((name) => [name, name] as const)]}
      isInline
      onChoose={(chosen) => onChoose(NAMES.find((name) => name === chosen) ?? '')}
    />
  );
}

function Sent({ explained: { request }, isSame }: { explained: Explained; isSame: boolean }) {
  const headers = Object.entries(request.headers);
  return (
    <>
      <p class="hint">
        {isSame
          ? 'The vendor speaks the format of the request: it is passed on byte for byte, but for the name of the model.'
          : `Asked as ${request.model}${request.stream ? ', as a stream' : ''}.`}
        {headers.length > 0 &&
          ` Headers besides the usual ones: ${headers.map((pair) => pair.join(': ')).join('; ')}`}
      </p>
      <CodeBlock code={JSON.stringify(request.body, null, 2)} language="json" isFinished />
    </>
  );
}
