/** The chat: models and settings above, the conversation, and the box to write in. */

import { useCallback, useEffect, useState } from 'preact/hooks';
import type { FormatName } from '../formats/dialogue.ts';
import { FORMATS } from '../formats/formats.ts';
import { getTraits, isReached } from '../models/model.ts';
import { ModelPicker } from '../models/model-picker.tsx';
import type { Catalog } from '../models/models.ts';
import type { Session } from '../session/session.ts';
import { Dialog } from '../shell/dialog.tsx';
import { Problem } from '../shell/fields.tsx';
import { Icon } from '../shell/icons.tsx';
import type { Chat } from './chat.ts';
import { Composer } from './composer.tsx';
import type { AnswerNode, Node } from './conversation.ts';
import { Log } from './log.tsx';
import { SettingsPanel } from './settings-panel.tsx';
import { Welcome } from './welcome.tsx';

export function ChatView({ chat, catalog, session }: { chat: Chat; catalog: Catalog; session: Session }) {
  const models = catalog.models.value;
  const { id, lanes, choices, nodes } = chat.conversation.value;
  const [isOpen, setOpen] = useState(false);
  const [again, setAgain] = useState<{ lane: number; node: AnswerNode } | undefined>();
  const chooseAgain = useCallback((lane: number, node: Node): void => {
    if (node.kind === 'answer') setAgain({ lane, node });
  }, []);
  const traits = getTraits(models, lanes[0]?.model ?? '');
  const isElsewhere = lanes.some(({ leaf }) => {
    const node = nodes[leaf ?? ''];
    return node?.kind === 'answer' && node.state === 'elsewhere';
  });
  const canSend = session.key.value !== '' && !isElsewhere && lanes.every(({ model }) => model !== '');

  // Escape closes a dialog or a list first; otherwise it stops the answer.
  useEffect(() => {
    const stop = (event: KeyboardEvent): void => {
      if (
        event.key === 'Escape' &&
        !event.defaultPrevented &&
        document.querySelector('dialog[open]') === null
      )
        chat.stop();
    };
    addEventListener('keydown', stop);
    return () => removeEventListener('keydown', stop);
  }, [chat]);
  useEffect(() => {
    const [first] = models;
    for (const [index, { model }] of lanes.entries())
      if (!model && first) chat.setLane(index, { model: first.id });
  }, [models, lanes, chat]);

  return (
    <div class="chat">
      <div class="chat-bar">
        {lanes.map(({ model, format }, index) => (
          <div class="lane-head" key={index}>
            <ModelPicker
              label={lanes.length > 1 ? `Model ${index + 1}` : 'Model'}
              models={models}
              value={model}
              onChoose={(chosen) => chat.setLane(index, { model: chosen })}
            />
            <label>
              <span class="visually-hidden">{lanes.length > 1 ? `Format ${index + 1}` : 'Format'}</span>
              <select
                value={format}
                onChange={({ currentTarget: { value } }) => {
                  const chosen = FORMATS.find(({ name }) => name === value)?.name;
                  if (chosen) chat.setLane(index, { format: chosen });
                }}
              >
                {formatsFor(models, model).map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
            {lanes.length > 1 && (
              <button
                type="button"
                class="quiet"
                aria-label={`Keep only ${model}`}
                disabled={chat.isBusy.value}
                onClick={() => chat.keepLane(index)}
              >
                Keep
              </button>
            )}
          </div>
        ))}
        {lanes.length === 1 && (
          <button
            type="button"
            class="quiet"
            disabled={chat.isBusy.value}
            onClick={() => chat.compare(otherModel(models, lanes[0]?.model ?? ''))}
          >
            <Icon name="compare" /> Compare
          </button>
        )}
        <button
          type="button"
          class="quiet"
          aria-expanded={isOpen}
          aria-controls="settings"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="config" /> Settings
        </button>
      </div>
      {isOpen && (
        <SettingsPanel
          choices={choices}
          thinking={traits.thinking}
          sampling={traits.sampling}
          onChoose={chat.choose}
        />
      )}
      <Log
        key={id}
        chat={chat}
        welcome={
          <Welcome
            session={session}
            problem={catalog.problem.value}
            onExample={(text) => chat.send(text, [])}
          />
        }
        onRegenerateWith={chooseAgain}
      />
      <p role="status" class="visually-hidden">
        {chat.status.value}
      </p>
      <Problem text={chat.problem.value} />
      <Composer isBusy={chat.isBusy.value} canSend={canSend} onSend={chat.send} onStop={chat.stop} />
      {again && (
        <Dialog title="Answer again with" onClose={() => setAgain(undefined)}>
          <ModelPicker
            label="Another model"
            models={models}
            value={again.node.model}
            onChoose={(model) => {
              setAgain(undefined);
              chat.regenerate(again.lane, again.node, model);
            }}
          />
        </Dialog>
      )}
    </div>
  );
}

function formatsFor(models: Catalog['models']['value'], model: string): readonly FormatName[] {
  return FORMATS.map(({ name }) => name).filter((name) => isReached(models, model, name));
}

/** A model to compare with: the first of another vendor. */
function otherModel(models: Catalog['models']['value'], model: string): string {
  const [vendor = ''] = model.split('/');
  return models.find(({ id }) => !id.startsWith(`${vendor}/`))?.id ?? model;
}
