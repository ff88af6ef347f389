/** The computer tool: a screen, a mouse and a keyboard. */

import { flat } from '../../lib/flat-text.ts';
import type { JsonObject } from '../../lib/json.ts';
import { type ClientTool, enumSchema, integers, text } from './definition.ts';

/** The actions of 20241022. */
export const FIRST_ACTIONS = {
  screenshot: 'shows the screen',
  cursor_position: 'returns the position of the pointer',
  mouse_move: 'moves the pointer to `coordinate`',
  left_click: 'clicks where the pointer is',
  right_click: 'clicks with the right button',
  middle_click: 'clicks with the middle button',
  double_click: 'double-clicks where the pointer is',
  left_click_drag: 'drags from the pointer to `coordinate`',
  key: 'presses `text`, one or more keys by their xdotool names: `Return`, `ctrl+s`',
  type: 'types `text`',
};

/** The actions from 20250124 on. */
export const ACTIONS = {
  ...FIRST_ACTIONS,
  left_click:
    'clicks at `coordinate`, or where the pointer is (`text` may name keys to hold during the click)',
  right_click: 'as `left_click`, with the right button',
  middle_click: 'as `left_click`, with the middle button',
  double_click: 'as `left_click`, twice',
  triple_click: 'as `left_click`, three times',
  left_click_drag: 'drags from `start_coordinate` to `coordinate`',
  left_mouse_down: 'presses the left button where the pointer is',
  left_mouse_up: 'releases the left button',
  scroll: 'scrolls at `coordinate`, by `scroll_amount` clicks in `scroll_direction`',
  hold_key: 'holds the keys of `text` for `duration` seconds',
  wait: 'waits for `duration` seconds',
};

/** The input of those actions. */
export const FIRST_ACTION_INPUT = {
  coordinate: { ...integers(2), description: '[x, y], in pixels.' },
  text: text('What to type, or the keys to press.'),
};

/** The input of those actions, for the versions from 20250124 on. */
export const ACTION_INPUT = {
  ...FIRST_ACTION_INPUT,
  start_coordinate: { ...integers(2), description: 'For `left_click_drag`: [x, y] of the start.' },
  scroll_direction: { ...enumSchema(['up', 'down', 'left', 'right']), description: 'For `scroll`.' },
  scroll_amount: { type: 'integer', minimum: 0, description: 'For `scroll`.' },
  duration: { type: 'number', minimum: 0, description: 'For `hold_key` and `wait`: seconds.' },
};

/**
 * Makes the computer tool of one version.
 * @param actions what each action does.
 * @param input schemas of the fields that the actions take.
 * @param zoom the settings that enable the action `zoom`, if the version has one.
 */
export function computer(
  actions: Readonly<Record<string, string>>,
  input: JsonObject,
  zoom: readonly string[] = [],
): ClientTool {
  return {
    settings: ['display_width_px', 'display_height_px', 'display_number', ...zoom],
    define: (settings) => {
      const { display_width_px: width, display_height_px: height, display_number: display } = settings;
      const size = typeof width === 'number' && typeof height === 'number';
      const screen =
        (size ? ` of ${width} x ${height} pixels` : '') +
        (typeof display === 'number' ? ` (X11 display :${display})` : '');
      const zooms = zoom.some((field) => settings[field] === true);
      const all = { ...actions, ...(zooms && { zoom: 'shows only `region`, in full resolution' }) };
      const meanings = Object.entries(all).map(([action, meaning]) => `\`${action}\` ${meaning}`);
      return {
        description: flat(
          `Controls a computer by its screen${screen}, mouse and keyboard. Coordinates are pixels of that screen, counted ` +
            'from its top left corner, not a scale from 0 to 1 or 1000. Take a screenshot to find things before you use ' +
            'them, and aim at their centre. Take another to see the result: programs may need a moment.',
        ),
        properties: {
          action: { ...enumSchema(Object.keys(all)), description: flat(`${meanings.join('; ')}.`) },
          ...input,
          ...(zooms && {
            region: { ...integers(4), description: 'For `zoom`: [x1, y1, x2, y2], in pixels.' },
          }),
        },
        required: ['action'],
      };
    },
  };
}
