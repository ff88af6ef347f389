/**
 * A field that finds a model by words of its name, and shows what the catalog says of it: vendor, context, prices and
 * abilities. A model that is not in the catalog can be written too. It is a combobox with a list, by the pattern of the
 * W3C's ARIA Authoring Practices: the focus stays in the field, which says what option is active.
 */

import { useSignal } from '@preact/signals';
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { type Model, modelVendor } from './model.ts';

/** The keys that go through the list. */
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

export function ModelPicker({
  label,
  models,
  value,
  onChoose,
}: {
  label: string;
  models: readonly Model[];
  value: string;
  onChoose: (model: string) => void;
}) {
  const id = useId();
  /** What is typed; undefined while the list is closed. The field is empty when the list opens, so that all are found. */
  const field = useSignal<string | undefined>(undefined);
  const typed = field.value;
  const setTyped = (text: string | undefined): void => {
    field.value = text;
  };
  const [active, setActive] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const found = useMemo(() => search(models, typed), [models, typed]);
  const isOpen = typed !== undefined && found.length > 0;
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active, isOpen]);

  const open = (): void => {
    if (typed !== undefined) return;
    setTyped('');
    setActive(
      Math.max(
        0,
        models.findIndex((model) => model.id === value),
      ),
    );
  };
  const choose = (model: string): void => {
    setTyped(undefined);
    onChoose(model);
  };
  const leave = (): void => {
    // The list may have closed since the last rendering.
    const written = field.value?.trim() ?? '';
    setTyped(undefined);
    if (/^[^\s/]+\/\S+$/.test(written)) onChoose(written);
  };
  const press = (event: KeyboardEvent): void => {
    const isClosed = typed === undefined;
    const step = STEPS[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (isClosed) open();
      else setActive((active + step + found.length) % Math.max(1, found.length));
      return;
    }
    if (isClosed) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      // If nothing is found, nothing is active.
      const model = found[active];
      if (model) choose(model.id);
      else leave();
    } else if (event.key === 'Escape') {
      // Escape that closes the list closes no dialog, and stops no answer.
      event.preventDefault();
      event.stopPropagation();
      setTyped(undefined);
    }
  };

  return (
    <div class="picker">
      <input
        type="text"
        list={undefined}
        role="combobox"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        {...(isOpen && { 'aria-activedescendant': `${id}-${active}` })}
        placeholder={value || 'vendor/model'}
        spellcheck={false}
        autocomplete="off"
        value={typed ?? value}
        onClick={open}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={press}
        onBlur={leave}
      />
      <div
        class="picker-list"
        id={`${id}-list`}
        role="listbox"
        aria-label={label}
        ref={list}
        hidden={!isOpen}
      >
        {isOpen &&
          found.map((model, at) => (
            <div
              key={model.id}
              id={`${id}-${at}`}
              role="option"
              aria-selected={model.id === value}
              class={at === active ? 'active' : ''}
              // The field keeps the focus.
              onMouseDown={(event) => event.preventDefault()}
              onMouseMove={() => setActive(at)}
              onClick={() => choose(model.id)}
            >
              <ModelRow model={model} />
            </div>
          ))}
      </div>
    </div>
  );
}

function ModelRow({ model }: { model: Model }) {
  const { prices, contextWindow, id, name, simulated } = model;
  return (
    <>
      <span class="model-name">
        {name} <small>{modelVendor(id)}</small>
      </span>
      <span class="model-id">{id}</span>
      <span class="model-facts">
        <span>{tokens(contextWindow)} context</span>
        <span>{simulated ? 'simulated' : `$${price(prices.input)} in, $${price(prices.output)} out`}</span>
        {listAbilities(model).map((ability) => (
          <span class="ability" key={ability}>
            {ability}
          </span>
        ))}
      </span>
    </>
  );
}

/** What a model can do besides text, in a word each. */
function listAbilities({ input = [], thinking, structuredOutput }: Model): readonly string[] {
  return [
    ...(thinking ? ['thinking'] : []),
    ...input.filter((kind) => kind !== 'text').map((kind) => (kind === 'document' ? 'PDF' : `${kind}s`)),
    ...(structuredOutput ? ['schema'] : []),
  ];
}

/** The models whose names contain every word. */
function search(models: readonly Model[], text: string | undefined): readonly Model[] {
  const words = (text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return models;
  return models.filter(({ id, name, aliases }) => {
    const names = [id, name, ...aliases].join(' ').toLowerCase();
    return words.every((word) => names.includes(word));
  });
}

function tokens(count: number): string {
  if (count >= 1_000_000) return `${Number((count / 1_000_000).toPrecision(2))}M`;
  return `${Math.round(count / 1_000)}K`;
}

function price(dollars: number): string {
  return String(Number(dollars.toPrecision(3)));
}
