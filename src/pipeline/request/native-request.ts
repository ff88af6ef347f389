/** A native request: the caller's own bytes, but for the name of the model and what the gateway asks for itself. */

import { isMetered } from '../../access/limits/limited.ts';
import { isConfined } from '../../access/principal.ts';
import type { FormatName } from '../../conversation/prompt.ts';
import type { Route } from '../../conversation/route.ts';
import { usageOnRequest } from '../../formats/usage-on-request.ts';
import type { Edit } from '../../lib/edit.ts';
import type { Query } from '../../lib/query.ts';
import { wordSet } from '../../lib/words.ts';
import { requestHeaders } from '../../upstream/headers.ts';
import { edited } from '../../upstream/payload.ts';
import { pathAt, requestPath, upstreamName } from '../../upstream/vendor.ts';
import { namingModel } from '../body/scanned.ts';
import type { Prepared, Routed } from '../exchange.ts';
import { findDialect } from '../model/collect-traits.ts';
import { askingAll, refuseBackground, withoutParameters } from '../restrictions/metered.ts';
import { findModelInPath, withoutModel } from './model-in-path.ts';
import { asksStream } from './request-kind.ts';
import { sessionHeader } from './session.ts';

export interface RequestOptions {
  /**
   * For which keys the gateway requests usage in native streams if the caller did not: only those whose usage is
   * limited, or all.
   */
  readonly askUsage: 'limited' | 'always';
}

/**
 * Prepares a native request.
 * @throws GatewayError `invalid-request` for what would hide the usage of a key that is limited by it.
 */
export function nativeRequest(routed: Routed, askUsage: RequestOptions['askUsage']): Prepared {
  const service = findModelInPath(routed);
  const { vendor, upstreamFormat, route, message, named, body, model, principal } = routed;
  const counts = isMetered(principal);
  const asks = (counts || askUsage === 'always') && !routed.avoids?.has('stream-options');
  if (counts && upstreamFormat === 'responses') refuseBackground(routed);
  // No service whose path names the model has such an option.
  const asking = asks && service === undefined ? withUsage(routed) : undefined;
  const { query, headers } = callersParameters(routed, asks);
  const stream = message.headers.accept?.includes('text/event-stream') ?? false;
  const name = upstreamName(vendor, model);
  const path =
    service === undefined
      ? nativePath(upstreamFormat, route.operation, name, named?.method) + passedOn(query)
      : service.path({ model: name, operation: route.operation, stream: asksStream(routed) });
  const edits = service === undefined ? namingModel(routed) : withoutModel(routed, service);
  return {
    ...routed,
    method: 'POST',
    path: pathAt(vendor, path),
    headers: requestHeaders(vendor, upstreamFormat, {
      caller: headers,
      owner: principal.name,
      stream,
      more: sessionHeader(routed, findDialect(vendor, model)),
      without: routed.refusedFields,
    }),
    payload: edited(body, asking === undefined ? edits : [...edits, asking.edit], asksStream(routed)),
    ...(asking !== undefined && { stripInjectedUsage: asking.stripInjectedUsage }),
  };
}

/**
 * What adds the option that requests usage to the body, and the step that removes that usage again; undefined if the caller
 * requested it, or the format needs no such option.
 */
function withUsage({
  upstreamFormat,
  body,
  scan: { fields },
  vendor,
  model,
}: Routed):
  | { readonly edit: Edit; readonly stripInjectedUsage: NonNullable<Prepared['stripInjectedUsage']> }
  | undefined {
  const asking = usageOnRequest[upstreamFormat];
  const edit = asking?.inject(body, fields, findDialect(vendor, model));
  return edit && asking && { edit, stripInjectedUsage: asking.strip };
}

/** What is sent of the caller's query and headers. @param asks whether the gateway has to see the usage. */
function callersParameters(
  { principal, query, message: { headers }, upstreamFormat }: Routed,
  asks: boolean,
): ReturnType<typeof askingAll> {
  if (asks && upstreamFormat === 'generate-content') return askingAll(query, headers);
  return { query, headers: isConfined(principal) ? withoutParameters(headers) : headers };
}

/** The path of a native request. @param method the method of generate-content, which is part of its path. */
function nativePath(
  format: FormatName,
  operation: Route['operation'],
  model: string,
  method: string | undefined,
): string {
  if (format === 'generate-content') return `/v1beta/models/${encodeURIComponent(model)}:${method}`;
  return requestPath(format, operation, model, false);
}

/**
 * Parameters that are never sent: the gateway's own key; a model, since the one in the body or the path has decided on
 * access and price, and some services would take the query's instead (BerriAI/litellm#41810); and those that tell Google
 * whose account to use, or hold any headers, since the headers that do so are not sent either
 * (https://cloud.google.com/apis/docs/system-parameters).
 */
const NEVER_SENT = wordSet('key model access_token oauth_token userproject httpheaders');

/** The caller's query without such parameters. Google takes the names of its own with a `$` before them, too. */
export function passedOn(query: Query): string {
  if (query.size === 0) return '';
  const kept = [...query].filter(([given]) => {
    const name = given.toLowerCase();
    return !NEVER_SENT.has(name.startsWith('$') ? name.slice(1) : name);
  });
  const text = new URLSearchParams(kept).toString();
  return text === '' ? '' : `?${text}`;
}
