/** The model that the user chooses, and what the catalog says about it. */

import { listModels } from './ask.js';
import { page } from './page.js';
import { UNKNOWN } from './thinking.js';

/** @import { Model } from './ask.js' */
/** @import { Thinking } from './dialogue.js' */

const PLACEHOLDER = 'vendor/model';

/**
 * The traits of a model that decide which settings it accepts.
 * @typedef {{ thinking?: Thinking, sampling: boolean, maxOutputTokens: number }} Traits
 */

/** The traits that the page assumes for a model that is not in the catalog. @type {Traits} */
const UNLISTED = { thinking: UNKNOWN, sampling: true, maxOutputTokens: Number.POSITIVE_INFINITY };

/** @typedef {ReturnType<typeof createModelChoice>} ModelChoice */

/** Takes over the model field and its list of suggestions. */
export function createModelChoice() {
  /** @type {readonly Model[]} */
  let catalog = [];
  /** The model that was chosen when its field last received the focus. */
  let previous = '';

  const getId = () => page.model.value.trim() || previous;

  /**
   * @param {string} model an id or an alias, in any case
   * @returns {Model | undefined}
   */
  const findModel = (model) => {
    const wanted = model.toLowerCase();
    return catalog.find(
      ({ id, aliases }) => id === wanted || aliases.some((alias) => alias.toLowerCase() === wanted),
    );
  };

  // Browsers suggest only the entries of a list that contain the text in the field. If the field holds a model, that
  // model is the only suggestion. So the field is empty while it has the focus. It shows the previous model again when
  // the user leaves it without a choice.
  page.model.addEventListener('focus', () => {
    previous = getId();
    page.model.placeholder = previous || PLACEHOLDER;
    page.model.value = '';
  });
  page.model.addEventListener('blur', () => {
    page.model.value = getId();
    page.model.placeholder = PLACEHOLDER;
  });

  return {
    /** The id of the chosen model, as the user wrote it. */
    getId,
    findModel,
    /**
     * @param {string} model an id or an alias
     * @returns {Traits}
     */
    getTraits: (model) => findModel(model) ?? UNLISTED,
    /**
     * Loads the catalog, suggests its models, and chooses the first one if no model is chosen.
     * @param {string} key the API key
     * @returns {Promise<number>} the number of models
     * @throws Error if the gateway cannot be reached or rejects the key
     */
    async load(key) {
      catalog = await listModels(key);
      page.models.replaceChildren(
        ...catalog.map(({ id, name }) =>
          Object.assign(document.createElement('option'), { value: id, label: name }),
        ),
      );
      if (!getId()) page.model.value = catalog[0]?.id ?? '';
      return catalog.length;
    },
  };
}
