/** The space on both sides of the charts over time, in CSS pixels. It is the same for all, so that they line up. */

/** Room for the labels of the vertical axis. */
export const LEFT = 64;

/** Half of the last day’s label, which is centred below its day. */
export const RIGHT = 20;
