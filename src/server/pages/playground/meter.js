/** Time, tokens and money of one answer. */

/** @import { Usage } from './dialogue.js' */
/** @import { Model } from './ask.js' */

/** How answers end that are whole, in each format's words. */
const WHOLE = ['stop', 'tool_calls', 'completed', 'end_turn', 'tool_use', 'STOP'];

/** @param {() => number} now milliseconds */
export function startMeter(now = () => performance.now()) {
  const began = now();
  let first = 0;
  let ended = 0;
  let finish = '';
  /** @type {Usage | undefined} */
  let usage;
  return {
    token() {
      first ||= now();
    },
    /** @param {Usage} told */
    usage(told) {
      usage = told;
    },
    /** @param {string} told */
    finish(told) {
      finish = told;
    },
    end() {
      ended = now();
    },
    /**
     * What there is to show, a line each.
     * @param {Model | undefined} model
     * @returns {string[]}
     */
    lines(model) {
      const lines = finish && !WHOLE.includes(finish) ? [`stop reason: ${finish}`] : [];
      if (first) lines.push(`first token ${seconds(first - began)}`);
      if (ended) lines.push(`total ${seconds(ended - began)}`);
      if (!usage) return lines;
      if (first && ended > first)
        lines.push(`${Math.round(usage.output / ((ended - first) / 1000))} tokens/s`);
      lines.push(
        `${usage.input} in${usage.cacheRead ? ` (${usage.cacheRead} cached)` : ''}, ${usage.output} out`,
      );
      if (model?.simulated) lines.push('simulated: $0');
      else if (model) lines.push(`$${costOf(usage, model.prices).toFixed(6)}`);
      return lines;
    },
  };
}

/** @param {number} milliseconds */
function seconds(milliseconds) {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(2)} s`;
}

/**
 * US dollars; prices are per million tokens.
 * @param {Usage} usage
 * @param {Model['prices']} prices
 */
function costOf({ input, cacheRead, cacheWrite, output }, { long, ...usual }) {
  const rates = long && input > long.above ? long : usual;
  const plain = Math.max(0, input - cacheRead - cacheWrite);
  return (
    (plain * rates.input +
      cacheRead * (rates.cacheRead ?? rates.input) +
      cacheWrite * (rates.cacheWrite ?? rates.input) +
      output * rates.output) /
    1e6
  );
}
