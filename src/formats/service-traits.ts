/** How the services of one format differ by their address. */

import type { Operation } from '../conversation/prompt.ts';

/** Where a service is. */
export interface ServiceAddress {
  /** Scheme, host and port. */
  readonly origin: string;
  /** What precedes every path at this address: '' or `/v1`, without a slash at its end. */
  readonly basePath: string;
}

/** How a service requires requests whose path names the model. */
export interface ModelInPath {
  /** Makes the path of a request, from the service's base path on. @param model as the service calls it. */
  path(request: { readonly model: string; readonly operation: Operation; readonly stream: boolean }): string;
  /** The field that the body has in place of the model. */
  readonly field: string;
  /** Makes the value of that field. @param headers those of a caller of this format, otherwise none. */
  value(
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  ): string | readonly string[];
  /** Tells whether the body keeps the model, too. */
  keepsModel(operation: Operation): boolean;
}

/** How one service differs from others that speak the same format, as far as its address shows. */
export interface ServiceTraits {
  /** Whether its models that can take a system message during a conversation do take one here. */
  readonly laterSystem: boolean;
  /** Which translated requests are cached, unless the configuration says otherwise. */
  readonly caches: 'agents' | 'asked';
  /** Whether the service belongs to the format's vendor, and so knows all of its fields. */
  readonly isReference: boolean;
  /** Absent if the path does not name the model. */
  readonly modelInPath?: ModelInPath;
}
