/** Asks for the keys. */

import { useState } from 'preact/hooks';
import type { Session } from '../session/session.ts';
import { Dialog } from './dialog.tsx';
import { Check } from './fields.tsx';

/** @param needs the key that the view behind the dialog needs: the cursor stands in its field. */
export function KeysDialog({
  session,
  needs,
  onClose,
}: {
  session: Session;
  needs: 'key' | 'admin key';
  onClose: () => void;
}) {
  const [key, setKey] = useState(session.key.value);
  const [adminKey, setAdminKey] = useState(session.adminKey.value);
  return (
    <Dialog title="Access" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          session.key.value = key.trim();
          session.refused.value = '';
          session.adminKey.value = adminKey.trim();
          onClose();
        }}
      >
        <label class="field">
          <span>API key, for models</span>
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            placeholder="gw_…"
            autofocus={needs === 'key'}
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </label>
        <label class="field">
          <span>Admin key, for keys, usage and the rest</span>
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            placeholder="GATEWAY_ADMIN_KEY"
            autofocus={needs === 'admin key'}
            value={adminKey}
            onInput={(event) => setAdminKey(event.currentTarget.value)}
          />
        </label>
        <Check
          label="Remember them on this device"
          checked={session.remembered.value}
          onCheck={(checked) => {
            session.remembered.value = checked;
          }}
        />
        <p class="hint">
          Keys stay in this tab unless you let this device remember them, and are only sent to this gateway.
        </p>
        <div class="row">
          <button type="submit" class="primary">
            Use these keys
          </button>
        </div>
      </form>
    </Dialog>
  );
}
