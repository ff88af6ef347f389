/** A message of the user, which can be edited: the new text is another branch of the conversation. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { isImage } from '../formats/render-turns.ts';
import { Icon } from '../shell/icons.tsx';
import { useOpener } from '../shell/use-opener.ts';
import type { UserNode } from './conversation.ts';
import { Picture } from './picture.tsx';

export function UserView({
  node,
  branches,
  onEdit,
}: {
  node: UserNode;
  branches: ComponentChildren;
  /** Absent while an answer is running. */
  onEdit: ((text: string) => void) | undefined;
}) {
  const [draft, setDraft] = useState<string | undefined>();
  const { opener, focusOpener } = useOpener<HTMLButtonElement>();
  const cancel = (): void => {
    focusOpener();
    setDraft(undefined);
  };
  return (
    <div class="user-turn">
      <article class="user" aria-label="You" dir="auto">
        {/* Pasted images all have the same name. */}
        {node.attachments.map((file, at) =>
          isImage(file) ? (
            <Picture key={at} type={file.type} data={file.data} label={file.name} />
          ) : (
            <span class="file" key={at}>
              {file.name}
            </span>
          ),
        )}
        {draft === undefined ? (
          node.text
        ) : (
          <form
            class="edit"
            onSubmit={(event) => {
              event.preventDefault();
              setDraft(undefined);
              onEdit?.(draft);
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return;
              // Otherwise it would stop an answer.
              event.preventDefault();
              cancel();
            }}
          >
            <textarea
              aria-label="Edit the message"
              rows={Math.min(10, draft.split('\n').length + 1)}
              value={draft}
              onInput={(event) => setDraft(event.currentTarget.value)}
              ref={(element) => element?.focus()}
            />
            <div class="row">
              <button type="submit" class="primary" disabled={!onEdit || !draft.trim()}>
                Send as a new branch
              </button>
              <button type="button" onClick={cancel}>
                Cancel
              </button>
            </div>
          </form>
        )}
      </article>
      <div class="after">
        {branches}
        {onEdit && draft === undefined && (
          <button
            type="button"
            class="quiet"
            aria-label="Edit the message"
            ref={opener}
            onClick={() => setDraft(node.text)}
          >
            <Icon name="edit" /> Edit
          </button>
        )}
      </div>
    </div>
  );
}
