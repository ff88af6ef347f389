/** Asks for the limits that come on top of those for all requests: for some models, and for each tag. */

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type ModelLimit, NUMBERS, TAG_NUMBERS, type TagLimits } from './limits.ts';
import { NumberFields } from './number-fields.tsx';

/** Limits for some models, as many as are added. */
export function ModelLimits({ before }: { before: readonly ModelLimit[] | null | undefined }) {
  const [limits, setLimits] = useState<readonly (ModelLimit | undefined)[]>(before ?? []);
  // A limit that is removed leaves its place empty, so that the fields of the others stay theirs.
  const [removed, setRemoved] = useState<ReadonlySet<number>>(new Set());
  const add = useRef<HTMLButtonElement>(null);
  const newest = useRef<HTMLTextAreaElement>(null);
  // Before the next key is pressed: an effect after the frame would come too late on a busy machine.
  useLayoutEffect(() => {
    if (limits.length > (before?.length ?? 0)) newest.current?.focus();
  }, [limits.length]);
  const places = [...limits.keys()].filter((place) => !removed.has(place));
  return (
    <>
      {places.map((place, at) => {
        const prefix = `model_limits.${place}.`;
        return (
          <LimitSet
            key={place}
            title={`Limits for some models, ${at + 1}`}
            onRemove={() => {
              setRemoved(new Set([...removed, place]));
              add.current?.focus();
            }}
          >
            <input type="hidden" name="model_limits" value={prefix} />
            <label class="field">
              <span>These models together: full ids or vendor/*, one a line</span>
              <textarea
                name={`${prefix}models`}
                rows={2}
                required
                spellcheck={false}
                defaultValue={limits[place]?.models.join('\n') ?? ''}
                {...(place === limits.length - 1 && { ref: newest })}
              />
            </label>
            <div class="fields">
              <NumberFields prefix={prefix} numbers={NUMBERS} before={limits[place]} />
            </div>
          </LimitSet>
        );
      })}
      <div class="row">
        <button type="button" ref={add} onClick={() => setLimits([...limits, undefined])}>
          Add limits for some models
        </button>
      </div>
    </>
  );
}

/** The limits of each tag, if there are to be any. */
export function TagLimitFields({ before }: { before: TagLimits | null | undefined }) {
  const [isLimited, setLimited] = useState(before !== null && before !== undefined);
  if (!isLimited)
    return (
      <div class="row">
        <button type="button" onClick={() => setLimited(true)}>
          Add limits for each tag or end user
        </button>
      </div>
    );
  return (
    <LimitSet title="Limits for each tag or end user" onRemove={() => setLimited(false)}>
      <div class="fields">
        <NumberFields prefix="tag_limits." numbers={TAG_NUMBERS} before={before} />
      </div>
    </LimitSet>
  );
}

function LimitSet({
  title,
  onRemove,
  children,
}: {
  title: string;
  onRemove: () => void;
  children: ComponentChildren;
}) {
  return (
    <fieldset class="limit-set">
      <legend>{title}</legend>
      {children}
      <div class="row">
        <button type="button" class="quiet" aria-label={`Remove: ${title}`} onClick={onRemove}>
          Remove
        </button>
      </div>
    </fieldset>
  );
}
