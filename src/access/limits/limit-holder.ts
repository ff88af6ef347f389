/** Those who have limits. */

import type { ModelHolder } from '../principal.ts';

/** A key or a group, or one of its limits for some models: a name, and limits. */
export type LimitHolder = Pick<ModelHolder, 'name' | 'limits'> & Partial<Pick<ModelHolder, 'of' | 'models'>>;

/** Whether limits belong to keys, to groups, or to single tags of keys. */
export type AccountKind = 'key' | 'group' | 'tag';
