/** The settings of a conversation: what the chosen models accept of them, tools, and a schema of the answer. */

import type { Thinking } from '../formats/dialogue.ts';
import { isObject, parseJson } from '../formats/json.ts';
import { listEfforts } from '../formats/thinking.ts';
import { Check, Select } from '../shell/fields.tsx';
import type { Choices } from './conversation.ts';
import { readTools } from './settings.ts';

export function SettingsPanel({
  choices,
  thinking,
  sampling,
  onChoose,
}: {
  choices: Choices;
  /** How the first model accepts its reasoning setting. */
  thinking: Thinking | undefined;
  /** Whether it takes a temperature. */
  sampling: boolean;
  onChoose: (choices: Partial<Choices>) => void;
}) {
  const efforts = listEfforts(thinking);
  const tools = readTools(choices.tools);
  const isSchema = isObject(parseJson(choices.schema));
  return (
    <section id="settings" class="settings" aria-label="Settings">
      <label class="field wide">
        <span>System prompt</span>
        <textarea
          dir="auto"
          rows={3}
          placeholder="none"
          value={choices.system}
          onInput={(event) => onChoose({ system: event.currentTarget.value })}
        />
      </label>
      <div class="fields">
        <Select
          label="Thinking"
          value={efforts.includes(choices.effort) ? choices.effort : ''}
          options={[['', 'model default'], ...efforts.map((effort) => [effort, effort] as const)]}
          disabled={efforts.length === 0}
          onChoose={(effort) => onChoose({ effort })}
        />
        <label class="field">
          <span>Max output tokens</span>
          <input
            type="number"
            min="1"
            step="1"
            value={choices.maxTokens}
            onChange={(event) => onChoose({ maxTokens: event.currentTarget.valueAsNumber || 4096 })}
          />
        </label>
        <label class="field">
          <span>Temperature</span>
          <input
            type="number"
            min="0"
            max="2"
            step="0.1"
            disabled={!sampling}
            placeholder={sampling ? 'model default' : 'not taken'}
            value={choices.temperature ?? ''}
            onChange={({ currentTarget: { valueAsNumber } }) =>
              onChoose({ temperature: Number.isNaN(valueAsNumber) ? null : valueAsNumber })
            }
          />
        </label>
      </div>
      <Check
        label="Offer the model tools, whose calls you answer"
        checked={choices.hasTools}
        onCheck={(hasTools) => onChoose({ hasTools })}
      />
      {choices.hasTools && (
        <Editor
          label="Tools: a JSON list of name, description and parameters (JSON Schema)"
          text={choices.tools}
          problem={tools === undefined ? 'This is not a JSON list of tools, each with a name.' : ''}
          onInput={(text) => onChoose({ tools: text })}
        />
      )}
      <Check
        label="Answer as JSON by a schema"
        checked={choices.hasSchema}
        onCheck={(hasSchema) => onChoose({ hasSchema })}
      />
      {choices.hasSchema && (
        <Editor
          label="JSON Schema of the answer"
          text={choices.schema}
          problem={isSchema ? '' : 'This is not a JSON object.'}
          onInput={(text) => onChoose({ schema: text })}
        />
      )}
    </section>
  );
}

function Editor({
  label,
  text,
  problem,
  onInput,
}: {
  label: string;
  text: string;
  problem: string;
  onInput: (text: string) => void;
}) {
  return (
    <label class="field wide">
      <span>{label}</span>
      <textarea
        class="code"
        rows={8}
        spellcheck={false}
        value={text}
        aria-invalid={problem !== ''}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {problem && (
        <span class="error" role="alert">
          {problem}
        </span>
      )}
    </label>
  );
}
