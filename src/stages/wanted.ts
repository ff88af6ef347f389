/**
 * What a vendor has lately refused in the caller's format since it wants it in another: the next request of the kind is
 * asked so at once, where each would be refused first. For a while only: vendors change. And what it would not refuse, but
 * pass over: that is always asked so.
 */

import type { FormatName } from '../conversation/prompt.ts';
import type { GatewayError } from '../errors.ts';
import { formats } from '../formats/all.ts';
import type { Routed } from './exchange.ts';
import { targetOf } from './translate-request.ts';

export interface Wanted {
  /** The request as the vendor wants it; itself where nothing else is known. */
  asWanted(routed: Routed): Routed;
  /** The vendor wants such a request in `format`, as it said when it refused this one. */
  remember(routed: Routed, format: FormatName, refusal: GatewayError): void;
  /** The service is to have a request that holds what it does not read (`holdsOwn`) in `format`. */
  rememberOwn(routed: Routed, format: FormatName): void;
}

/** How long it is taken to hold, in milliseconds, and of how many kinds. */
const WHILE = 600_000;
const MOST = 1_000;

/** No word for an effort is longer, in bytes of JSON. */
const LONGEST_EFFORT = 16;

/** @param clock milliseconds, from anywhere. */
export function openWanted(clock: () => number): Wanted {
  const known = new Map<string, { readonly format: FormatName; readonly until: number }>();
  const formatOf = (kind: string): FormatName | undefined => {
    const found = known.get(kind);
    return found !== undefined && clock() < found.until ? found.format : undefined;
  };
  const keep = (kind: string, format: FormatName): void => {
    if (known.size >= MOST) known.clear();
    known.set(kind, { format, until: clock() + WHILE });
  };
  return {
    asWanted(routed) {
      if (routed.anew || routed.spoken !== routed.route.format) return routed;
      const other = formatReadWhole(routed);
      if (other !== undefined) return { ...routed, anew: true, spoken: other };
      if (known.size === 0) return routed;
      for (const kind of Object.values(kindsOf(routed))) {
        const format = formatOf(kind);
        if (format !== undefined) return { ...routed, anew: true, spoken: format };
      }
      const format = formatOf(ownKind(routed));
      return format !== undefined && holdsOwn(routed) ? { ...routed, anew: true, spoken: format } : routed;
    },
    remember(routed, format, { param }) {
      const { model, reasoning, tools } = kindsOf(routed);
      const kind = param === 'model' ? model : param === 'reasoning' ? reasoning : tools;
      if (kind !== undefined) keep(kind, format);
    },
    rememberOwn: (routed, format) => keep(ownKind(routed), format),
  };
}

/** Whether a body holds what few services read besides the vendor whose format it is in. */
export function holdsOwn({ route, spoken, vendor, model, body }: Routed): boolean {
  if (route.operation !== 'generate') return false;
  const { dialect } = targetOf(vendor, model);
  return formats[spoken].outbound.isVendorsOwn?.(body.toString('latin1'), dialect) === true;
}

/** The service's other format, where it would pass over a part of the body in this one. */
function formatReadWhole({ route, spoken, vendor, model, body }: Routed): FormatName | undefined {
  const other = vendor.formats.find((each) => each !== spoken);
  if (other === undefined || route.operation !== 'generate') return undefined;
  const part = formats[spoken].outbound.passedOver?.(targetOf(vendor, model).dialect);
  return part?.test(body.toString('latin1')) === true ? other : undefined;
}

function ownKind({ model }: Routed): string {
  return `${model.id} own`;
}

/** What a refusal may be of: a model, a field of it, or its functions with an effort, which each model has its own of. */
function kindsOf({ model: { id }, fields, body }: Routed) {
  const span = fields.get('reasoning_effort');
  const isWord = span === undefined || span.end - span.start <= LONGEST_EFFORT;
  const effort = span === undefined ? '' : body.toString('latin1', span.start, span.end);
  return {
    model: id,
    ...(fields.has('reasoning') && { reasoning: `${id} reasoning` }),
    ...(fields.has('tools') && isWord && { tools: `${id} tools ${effort}` }),
  };
}
