/** The box that the user writes a message in, with its files. */

import { useRef, useState } from 'preact/hooks';
import type { Attachment } from '../formats/dialogue.ts';
import { Problem } from '../shell/fields.tsx';
import { Icon } from '../shell/icons.tsx';
import { readFiles } from './read-files.ts';

/** The box grows with its text up to this number of lines. */
const MAX_ROWS = 10;

export function Composer({
  isBusy,
  canSend,
  onSend,
  onStop,
}: {
  isBusy: boolean;
  canSend: boolean;
  onSend: (text: string, attachments: readonly Attachment[]) => void;
  onStop: () => void;
}) {
  const [text, setText] = useState('');
  const [files, setFiles] = useState<readonly Attachment[]>([]);
  const [problem, setProblem] = useState('');
  const box = useRef<HTMLTextAreaElement>(null);
  const chooser = useRef<HTMLInputElement>(null);

  const send = (): void => {
    if (isBusy || !canSend || (!text.trim() && files.length === 0)) return;
    onSend(text, files);
    setText('');
    setFiles([]);
    setProblem('');
    box.current?.focus();
  };
  const add = async (list: Iterable<File>): Promise<void> => {
    const { attachments, refused } = await readFiles(list);
    setFiles((before) => [...before, ...attachments]);
    setProblem(refused);
  };

  return (
    <form
      class="composer"
      aria-label="Message"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void add(event.dataTransfer?.files ?? []);
      }}
    >
      {files.length > 0 && (
        <ul class="files" aria-label="Files">
          {files.map((file, at) => (
            <li key={`${file.name}-${at}`}>
              {file.name}
              <button
                type="button"
                class="quiet"
                aria-label={`Remove ${file.name}`}
                onClick={() => setFiles(files.filter((other) => other !== file))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <Problem text={problem} />
      <textarea
        ref={box}
        id="prompt"
        dir="auto"
        rows={Math.min(MAX_ROWS, text.split('\n').length)}
        value={text}
        placeholder="Ask anything"
        aria-label="Message"
        aria-describedby="composer-keys"
        onInput={(event) => setText(event.currentTarget.value)}
        onPaste={(event) => {
          const pasted = [...(event.clipboardData?.files ?? [])];
          if (pasted.length > 0) {
            event.preventDefault();
            void add(pasted);
          }
        }}
        onKeyDown={(event) => {
          // Safari ends a composition before it reports the Enter that ended it. Only keyCode tells that Enter apart
          // (UI Events, 6.3.4).
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
          event.preventDefault();
          send();
        }}
      />
      <div class="composer-row">
        <input
          ref={chooser}
          class="visually-hidden"
          type="file"
          multiple
          tabIndex={-1}
          aria-label="Choose files"
          onChange={(event) => {
            void add(event.currentTarget.files ?? []);
            event.currentTarget.value = '';
          }}
        />
        <button
          type="button"
          class="quiet"
          aria-label="Add images or files"
          onClick={() => chooser.current?.click()}
        >
          <Icon name="attach" />
        </button>
        <span id="composer-keys" class="hint">
          Enter sends, Shift+Enter adds a line, Escape stops
        </span>
        {isBusy ? (
          <button type="button" class="primary" onClick={onStop}>
            <Icon name="stop" /> Stop
          </button>
        ) : (
          <button type="submit" class="primary" disabled={!canSend}>
            Send <Icon name="send" />
          </button>
        )}
      </div>
    </form>
  );
}
