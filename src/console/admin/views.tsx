/** The views for administrators, in a part of the console that is loaded when one of them is first opened. */

import type { FunctionComponent } from 'preact';
import type { Session } from '../session/session.ts';
import { AuditView } from './audit-view.tsx';
import { ConfigView } from './config-view.tsx';
import { ExchangesView } from './exchanges-view.tsx';
import { GroupsView } from './groups-view.tsx';
import { HealthView } from './health-view.tsx';
import { KeysView } from './keys-view.tsx';
import { UsageView } from './usage-view.tsx';

export type AdminViewOf = FunctionComponent<{ session: Session }>;

export const ADMIN_VIEWS: Readonly<Record<string, AdminViewOf>> = {
  usage: UsageView,
  exchanges: ExchangesView,
  keys: KeysView,
  groups: GroupsView,
  health: HealthView,
  audit: AuditView,
  config: ConfigView,
};
