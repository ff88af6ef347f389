/** How LiteLLM's router shares the load of a model's name among its deployments. */

import type { Source } from './source.ts';

/** One entry of `model_list`. */
export interface Deployment {
  readonly entry: Source;
  readonly name: string;
  /** Its `litellm_params`; undefined if it has none. */
  readonly params: Source | undefined;
}

/** The greatest weight that an upstream may have here. */
const GREATEST = 1_000;

/**
 * The weight of each deployment that has one: its own, or if no deployment of its name has one, its part of the requests or
 * tokens a minute, as LiteLLM's default strategy takes them ("simple-shuffle", docs.litellm.ai, "Router - Load Balancing").
 * @param note receives a sentence for each figure that becomes a weight.
 */
export function findWeights(
  deployments: readonly Deployment[],
  note: (sentence: string) => void,
): ReadonlyMap<Deployment, number> {
  const weights = new Map<Deployment, number>();
  for (const group of Map.groupBy(deployments, ({ name }) => name).values()) {
    const field = group.length === 1 ? 'weight' : findField(group);
    const shares = group.map(({ params }) => params?.number(field));
    const positive = shares.filter((share) => share !== undefined).filter((share) => share > 0);
    const least = field === 'weight' ? 1 : Math.min(...positive);
    for (const [at, deployment] of group.entries()) {
      const share = shares[at];
      if (share === undefined) continue;
      weights.set(deployment, Math.min(GREATEST, Number((share / least).toPrecision(3))));
      if (field !== 'weight')
        note(`${deployment.params?.field}.${field} became the weight of the address. It is no limit here.`);
    }
  }
  return weights;
}

/** The figure that shares the load: a weight if one has any, or else the first figure that all have. */
function findField(group: readonly Deployment[]): 'weight' | 'rpm' | 'tpm' {
  const has = ({ params }: Deployment, field: string): boolean => params?.names().includes(field) === true;
  if (group.some((one) => has(one, 'weight'))) return 'weight';
  return (['rpm', 'tpm'] as const).find((field) => group.every((one) => has(one, field))) ?? 'weight';
}
