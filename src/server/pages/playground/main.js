/** The playground: a chat with any model in any of the four formats, through this gateway. */

import { copies } from './clipboard.js';
import { createConversation } from './conversation.js';
import { offerFormats } from './format-choice.js';
import { givenKey } from './given-key.js';
import { keptIn } from './kept.js';
import { createModelChoice } from './model-choice.js';
import { announce, page } from './page.js';
import { listenToPrompt } from './prompt-box.js';
import { ROOT } from './root.js';
import { offerSettings, openSettings } from './settings-panel.js';
import { snippet } from './snippet.js';
import { followTheme } from './theme.js';

const tab = keptIn(() => sessionStorage);
const models = createModelChoice();
const conversation = createConversation(models);

/** Offers the formats and the settings that fit the chosen model. */
function offerChoices() {
  offerFormats(models);
  offerSettings(models);
}

async function loadModels() {
  const key = page.key.value.trim();
  tab.set('key', key);
  if (!key) return openSettings(true);
  try {
    const count = await models.load(key);
    offerChoices();
    conversation.welcome();
    announce(`${count} models`);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    openSettings(true);
    announce(message);
    conversation.welcome(message);
  }
}

listenToPrompt(conversation.send);
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') conversation.stop();
});
page.stop.addEventListener('click', () => conversation.stop());
page.newChat.addEventListener('click', () => conversation.restart());
page.settingsToggle.addEventListener('click', () => openSettings(page.settings.hidden === true));
page.key.addEventListener('change', loadModels);
page.model.addEventListener('change', offerChoices);
copies(page.copy, () => {
  const { format, settings, body } = conversation.getRequest();
  announce('Copied.');
  return snippet(page.snippet.value, format, settings, body, ROOT);
});

followTheme(page.theme);
page.key.value = givenKey() ?? tab.get('key') ?? '';
offerChoices();
conversation.welcome();
void loadModels();
(page.key.value ? page.prompt : page.key).focus();
