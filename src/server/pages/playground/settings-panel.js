/** The settings panel: what it offers for the chosen model, and the values that the user enters. */

import { page } from './page.js';
import { effortsOf } from './thinking.js';

/** @import { Settings } from './dialogue.js' */
/** @import { ModelChoice } from './model-choice.js' */

/** Tokens of an answer if the user enters no number. */
const DEFAULT_MAX_TOKENS = 4096;

/**
 * @param {ModelChoice} models
 * @returns {Settings} the values in the panel, limited to what the chosen model accepts
 */
export function readSettings(models) {
  const model = models.getId();
  const { valueAsNumber: temperature } = page.temperature;
  const { thinking, maxOutputTokens: mostTokens } = models.getTraits(model);
  return {
    model,
    ...(thinking && { thinking }),
    maxTokens: Math.min(page.maxTokens.valueAsNumber || DEFAULT_MAX_TOKENS, mostTokens),
    mostTokens,
    temperature: page.temperature.disabled || Number.isNaN(temperature) ? undefined : temperature,
    effort: page.effort.value,
    system: page.system.value.trim(),
    tools: page.tools.checked,
  };
}

/**
 * Offers the settings that the chosen model accepts: its own effort levels, and a temperature only if it takes one.
 * @param {ModelChoice} models
 */
export function offerSettings(models) {
  const { thinking, sampling } = models.getTraits(models.getId());
  const { value } = page.effort;
  const efforts = effortsOf(thinking);
  page.effort.replaceChildren(
    new Option('model default', ''),
    ...efforts.map((effort) => new Option(effort, effort)),
  );
  page.effort.value = efforts.includes(value) ? value : '';
  page.effort.disabled = efforts.length === 0;
  page.temperature.disabled = !sampling;
  page.temperature.placeholder = sampling ? 'model default' : 'not taken';
}

/** @param {boolean} open */
export function openSettings(open) {
  page.settings.hidden = !open;
  page.settingsToggle.setAttribute('aria-expanded', String(open));
}
