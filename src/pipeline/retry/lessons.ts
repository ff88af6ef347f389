/**
 * What vendors have recently refused, by tenant and model: the fields that a service does not take, that a model always
 * reasons or takes no such setting, that its answers are not streamed, or that it wants another of its formats. The next
 * request of the kind is adapted at once; otherwise each would be refused first. Only what was answered after a repair
 * is learned.
 *
 * A refusal may be about a value that its caller made up, and vendors quote what they refuse. So what one tenant is
 * refused changes no request of another.
 */

import type { FormatName } from '../../conversation/prompt.ts';
import type { Avoidance } from '../../conversation/rules/avoidance.ts';
import { NAMES_ELSEWHERE } from '../../formats/openai/fields-elsewhere.ts';
import { flat } from '../../lib/flat-text.ts';
import { openTtlCache } from '../../lib/ttl-cache.ts';
import type { Routed } from '../exchange.ts';
import { asksStream, isNative } from '../request/request-kind.ts';
import { findTenant } from './find-tenant.ts';
import { withoutFields } from './optional-fields.ts';
import type { Lesson } from './repair.ts';

export interface Lessons {
  /** Adapts a request to what its vendor has refused before; returns it unchanged if nothing is known. */
  adapt(routed: Routed): Routed;
  /** Remembers what a repair of this request has shown. */
  remember(routed: Routed, lesson: Lesson): void;
}

/** The longest value of an effort, in bytes of JSON. */
const MAX_EFFORT_LENGTH = 16;

/**
 * The most refused fields of a lesson, and the longest, in UTF-16 code units. Callers choose them, since betas are among
 * them; Claude Code sends about a dozen.
 */
const MAX_FIELDS = 64;
const MAX_FIELD_LENGTH = 64;

/** Makes an empty memory. @param clock milliseconds since any moment. */
export function openLessons(clock: () => number): Lessons {
  const formats = openTtlCache<FormatName>(clock);
  const lessons = openTtlCache<Lesson>(clock);
  return {
    adapt(given) {
      const routed = formats.isEmpty() ? given : inFormat(given, (kind) => formats.get(kind));
      const known = lessons.isEmpty() ? undefined : lessons.get(lessonKey(routed));
      return known === undefined ? routed : withLesson(routed, known);
    },
    remember(routed, lesson) {
      const { format, ...rest } = lesson;
      if (format !== undefined) {
        const keys = formatKeys(routed);
        const kind = keys.get(format.param ?? 'tools') ?? keys.get('tools');
        if (kind !== undefined) formats.set(kind, format.wanted);
      }
      if (Object.keys(rest).length === 0) return;
      const kind = lessonKey(routed);
      const before = lessons.get(kind);
      lessons.set(kind, {
        ...before,
        ...rest,
        avoids: union(before?.avoids, rest.avoids),
        refusedFields: bounded(union(before?.refusedFields, rest.refusedFields)),
      });
    },
  };
}

/** A request that its vendor wants in another format; any other unchanged. */
function inFormat(routed: Routed, formatOf: (kind: string) => FormatName | undefined): Routed {
  if (!isNative(routed)) return routed;
  for (const kind of formatKeys(routed).values()) {
    const format = formatOf(kind);
    if (format !== undefined) return { ...routed, mustTranslate: true, upstreamFormat: format };
  }
  return routed;
}

function withLesson(routed: Routed, { avoids, refusedFields, wantsWholeAnswer }: Lesson): Routed {
  const whole = wantsWholeAnswer && asksStream(routed) ? askWhole(routed) : routed;
  const avoiding = isEmpty(avoids) ? whole : withAvoidances(whole, avoids);
  return isEmpty(refusedFields) || !isNative(avoiding)
    ? avoiding
    : withoutFields(avoiding, union(avoiding.refusedFields, refusedFields));
}

/** Fields of a native body that a service has refused. A body with one of them is translated, which leaves them out. */
const THINKING_FIELDS = ['reasoning_effort', 'reasoning', 'thinking', 'enable_thinking', 'thinking_budget'];

/**
 * Avoids what was refused. A native body passes as it is, with no question for usage if that was refused, unless it has
 * one of the fields.
 */
function withAvoidances(routed: Routed, avoids: ReadonlySet<Avoidance>): Routed {
  const all = union(routed.avoids, avoids);
  if (!isNative(routed)) return { ...routed, avoids: all };
  const hasRefused = THINKING_FIELDS.some((field) => routed.scan.fields.has(field));
  if (hasRefused && avoids.has('thinking-setting')) return { ...routed, avoids: all, mustTranslate: true };
  if (!avoids.has('stream-options')) return routed;
  return { ...routed, avoids: union(routed.avoids, new Set<Avoidance>(['stream-options'])) };
}

function isEmpty<T>(set: ReadonlySet<T> | undefined): set is undefined {
  return set === undefined || set.size === 0;
}

function union<T>(one: ReadonlySet<T> = new Set(), other: ReadonlySet<T> = new Set()): ReadonlySet<T> {
  return new Set([...one, ...other]);
}

/** The fields that were refused last. */
function bounded(fields: ReadonlySet<string>): ReadonlySet<string> {
  // A field is a part of a header, which would be kept with it.
  const kept = [...fields].filter(({ length }) => length <= MAX_FIELD_LENGTH).map(flat);
  return new Set(kept.slice(-MAX_FIELDS));
}

/**
 * What a lesson holds for: a model at a service. Each model has its own betas, and token counts accept others than answers
 * do (anthropics/claude-code#11154). The name of the tenant, which may have any characters, is last.
 */
function lessonKey(routed: Routed): string {
  const { vendor, model, route } = routed;
  return `${vendor.origin}${vendor.basePath} ${model.id} ${route.operation} ${findTenant(routed.principal)}`;
}

/** The request for a non-streaming answer, from which the gateway makes the caller's stream. */
export function askWhole(routed: Routed): Routed {
  return { ...routed, wantsWholeAnswer: true, ...(isNative(routed) && { mustTranslate: true }) };
}

/**
 * What a demand for a format may apply to, by the field that made the difference: a model, one of its fields, or its
 * functions combined with an effort.
 */
function formatKeys(routed: Routed): ReadonlyMap<string, string> {
  const {
    model: { id },
    scan: { fields },
    body,
  } = routed;
  const tenant = findTenant(routed.principal);
  const keys = new Map([['model', `${id} ${tenant}`]]);
  for (const name of NAMES_ELSEWHERE) if (fields.has(name)) keys.set(name, `${id} ${name} ${tenant}`);
  const span = fields.get('reasoning_effort');
  const isWord = span === undefined || span.end - span.start <= MAX_EFFORT_LENGTH;
  const effort = span === undefined ? '' : body.toString('latin1', span.start, span.end);
  if (fields.has('tools') && isWord) keys.set('tools', `${id} tools ${effort} ${tenant}`);
  return keys;
}
