/** The time, the tokens and the cost of one answer. */

/** @import { Usage } from './dialogue.js' */
/** @import { Model } from './ask.js' */

/** The stop reasons of complete answers, in all formats. */
const COMPLETE = ['stop', 'tool_calls', 'completed', 'end_turn', 'tool_use', 'STOP'];

/** @typedef {ReturnType<typeof startMeter>} Meter */

/**
 * Starts to measure an answer.
 * @param {() => number} now milliseconds
 */
export function startMeter(now = () => performance.now()) {
  const began = now();
  let first = 0;
  let ended = 0;
  let finish = '';
  /** @type {Usage | undefined} */
  let usage;
  return {
    /** A piece of the answer has arrived. */
    token() {
      first ||= now();
    },
    /** @param {Usage} reported replaces what was reported before */
    usage(reported) {
      usage = reported;
    },
    /** @param {string} reason in the format's own words */
    finish(reason) {
      finish = reason;
    },
    /** The answer has ended. */
    end() {
      ended = now();
    },
    /**
     * What is known so far.
     * @param {Model | undefined} model gives the prices; undefined if the catalog does not have it
     * @returns {string[]} lines to show
     */
    lines(model) {
      const lines = finish && !COMPLETE.includes(finish) ? [`stop reason: ${finish}`] : [];
      if (first) lines.push(`first token ${seconds(first - began)}`);
      if (ended) lines.push(`total ${seconds(ended - began)}`);
      if (!usage) return lines;
      if (first && ended > first)
        lines.push(`${Math.round(usage.output / ((ended - first) / 1000))} tokens/s`);
      lines.push(
        `${usage.input} in${usage.cacheRead ? ` (${usage.cacheRead} cached)` : ''}, ${usage.output} out`,
      );
      if (model?.simulated) lines.push('simulated: $0');
      else if (model) lines.push(`$${getCost(usage, model.prices).toFixed(6)}`);
      return lines;
    },
  };
}

/** @param {number} milliseconds */
function seconds(milliseconds) {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(2)} s`;
}

/**
 * @param {Usage} usage
 * @param {Model['prices']} prices per million tokens
 * @returns {number} US dollars
 */
function getCost({ input, cacheRead, cacheWrite, output }, { long, ...usual }) {
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
