/** A gateway whose memory is what it holds: its garbage is collected often, however busy the machine is. */

import { preload } from './preload.ts';

export const FREQUENT_GC = preload('setInterval(gc, 200).unref();', ['--expose-gc']);
