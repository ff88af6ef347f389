/** The holder of a key or of a token: which models it may use, which limits it keeps to, and which group it is of. */

import { type KeyLimits, type ModelLimits, modelsId } from '../store/key-limits.ts';
import type { GroupRecord, KeyRecord } from '../store/key-record.ts';
import { type Stored, storedUnlessSaid, stricter } from '../store/stored-scope.ts';
import { type Allowance, allowance } from './allowance.ts';

/** Who holds the key of a request. */
export interface Principal {
  /** What the key is called in reports; no secret. */
  readonly name: string;
  /** Whether there are models that the key may not use. */
  readonly restricted: boolean;
  /** Whether the key may use a model. */
  readonly allows: Allowance;
  /** What the key may use of what is stored at the vendors'. */
  readonly stored: Stored;
  readonly limits: KeyLimits;
  /** What it may use of some models, beside its limits; absent: nothing is limited by model. */
  readonly modelLimits?: readonly ModelHolder[];
  /** The group it is of, whose limits it keeps beside its own. What the group's models leave out, `allows` does too. */
  readonly group?: Group;
}

/** Keys that have limits in common. */
export interface Group {
  /** What the group is called in reports; no secret. */
  readonly name: string;
  readonly limits: KeyLimits;
  /** As a key's. */
  readonly modelLimits?: readonly ModelHolder[];
}

/** A key or a group as far as some models go: what it used of them is counted by itself. */
export interface ModelHolder {
  /** What its figures are kept under: the name of the key or of the group, and the models. */
  readonly name: string;
  /** Name of the key or of the group. */
  readonly of: string;
  /** The models, for people. */
  readonly models: string;
  readonly allows: Allowance;
  readonly limits: KeyLimits;
}

/** A group as its keys are looked up. */
export interface KnownGroup extends Pick<Principal, 'restricted' | 'allows' | 'stored'> {
  readonly group: Group;
}

/** Groups by their names. */
export function knownGroups(records: readonly GroupRecord[]): ReadonlyMap<string, KnownGroup> {
  return new Map(
    records.map((record) => {
      const { name, limits = {}, modelLimits } = record;
      return [name, { group: { name, limits, ...modelHolders(name, modelLimits) }, ...rightsOf(record) }];
    }),
  );
}

/** A holder who is of a group: what that does not allow, it may not either. */
export function grouped(
  principal: Principal,
  { group, restricted, allows, stored: most }: KnownGroup,
): Principal {
  const stored = stricter(principal.stored, most);
  if (!restricted) return { ...principal, stored, group };
  return {
    ...principal,
    stored,
    group,
    restricted,
    allows: (modelId, otherNames) => principal.allows(modelId, otherNames) && allows(modelId, otherNames),
  };
}

/** Limits by model as they are kept to. @param of the name of the key or of the group that has them. */
export function modelHolders(
  of: string,
  all: readonly ModelLimits[] = [],
): { readonly modelLimits?: readonly ModelHolder[] } {
  if (all.length === 0) return {};
  const modelLimits = all.map(({ models, ...limits }) => {
    const id = modelsId(models);
    return { name: `${of}\n${id}`, of, models: id.replaceAll(' ', ', '), allows: allowance(models), limits };
  });
  return { modelLimits };
}

/** What a principal may use: `models` as `allowance` has them. */
export function rightsOf({
  models,
  stored = storedUnlessSaid(models),
}: Pick<KeyRecord, 'models' | 'stored'>): Pick<Principal, 'restricted' | 'allows' | 'stored'> {
  return { restricted: models !== undefined, allows: allowance(models), stored };
}

/** Whether there is anything that a principal may not reach: then it may send only what is known to reach nothing else. */
export function isHeld({ restricted, stored }: Principal): boolean {
  return restricted || stored !== 'all';
}
