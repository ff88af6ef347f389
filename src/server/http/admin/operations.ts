/**
 * The admin API: what each method of each path reads and answers. The app serves this table, and OpenAPI describes it, so
 * neither has an operation that the other lacks.
 */

import type { z } from 'zod';
import { exchangeQuery } from '../../../accounting/usage/list-exchanges.ts';
import { usageQuery } from '../../../accounting/usage/usage-query.ts';
import { groupSettings, keySettings, newGroup, newKey } from '../../../store/keys/key-settings.ts';
import { groupView, keyView } from '../../../store/keys/key-view.ts';
import type { Store } from '../../../store/store.ts';
import type { AdminRequest } from './answers.ts';
import { answerAudit, auditList, auditQuery } from './audit-route.ts';
import { answerBudgets, budgetList, budgetQuery } from './budget-route.ts';
import { answerErase, erased, eraseQuery } from './erase-route.ts';
import { answerExchanges, exchangeList } from './exchanges-route.ts';
import {
  answerGroup,
  answerGroupChange,
  answerGroups,
  answerNewGroup,
  answerNoGroup,
  groupList,
  groupQuery,
} from './group-routes.ts';
import {
  answerChange,
  answerCreate,
  answerList,
  answerOne,
  answerRevoke,
  answerRotate,
  keyList,
  listQuery,
  madeKey,
  rotation,
} from './key-routes.ts';
import { answerUsage, usageAnswer } from './usage-route.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface AdminOperation {
  /** Its name in the document, which becomes a method's name in generated clients. */
  readonly id: string;
  readonly summary: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Whether the request may come without a body. */
  readonly bodyOptional?: true;
  /** 200 unless said otherwise. */
  readonly status?: 201;
  readonly answer: z.ZodType;
  /** Statuses of its errors, besides those for the key, the query, the body and the store. */
  readonly errors?: readonly (404 | 409)[];
  /** @throws GatewayError */
  run(store: Store, request: AdminRequest): Promise<Response>;
}

/** Every operation, by its path and method. A path names one thing at most, in braces. */
export const adminOperations: Readonly<Record<string, { readonly [M in Method]?: AdminOperation }>> = {
  '/admin/keys': {
    GET: {
      id: 'listKeys',
      summary: 'Lists the keys in the store.',
      query: listQuery,
      answer: keyList,
      run: answerList,
    },
    POST: {
      id: 'createKey',
      summary: 'Creates a key. This answer is the only one that contains it.',
      body: newKey,
      status: 201,
      answer: madeKey,
      errors: [409],
      run: answerCreate,
    },
  },
  '/admin/keys/{key}': {
    GET: {
      id: 'getKey',
      summary: 'Reads one key.',
      answer: keyView,
      errors: [404],
      run: answerOne,
    },
    PATCH: {
      id: 'changeKey',
      summary: 'Changes the settings of a key: absent fields stay as they are, null removes a limit.',
      body: keySettings,
      answer: keyView,
      errors: [404, 409],
      run: answerChange,
    },
    DELETE: {
      id: 'revokeKey',
      summary: 'Revokes a key for good.',
      answer: keyView,
      errors: [404],
      run: answerRevoke,
    },
  },
  '/admin/keys/{key}/rotate': {
    POST: {
      id: 'rotateKey',
      summary: 'Replaces a key with a new one; the old one can keep working for a while.',
      body: rotation,
      bodyOptional: true,
      status: 201,
      answer: madeKey,
      errors: [404, 409],
      run: answerRotate,
    },
  },
  '/admin/groups': {
    GET: {
      id: 'listGroups',
      summary: 'Lists the groups in the store.',
      query: groupQuery,
      answer: groupList,
      run: answerGroups,
    },
    POST: {
      id: 'createGroup',
      summary: 'Creates a group, whose keys share its limits.',
      body: newGroup,
      status: 201,
      answer: groupView,
      errors: [409],
      run: answerNewGroup,
    },
  },
  '/admin/groups/{group}': {
    GET: {
      id: 'getGroup',
      summary: 'Reads one group.',
      answer: groupView,
      errors: [404],
      run: answerGroup,
    },
    PATCH: {
      id: 'changeGroup',
      summary: 'Changes the settings of a group: absent fields stay as they are, null removes a limit.',
      body: groupSettings,
      answer: groupView,
      errors: [404],
      run: answerGroupChange,
    },
    DELETE: {
      id: 'deleteGroup',
      summary: 'Deletes a group that has no keys any more. Its usage stays in reports.',
      answer: groupView,
      errors: [404, 409],
      run: answerNoGroup,
    },
  },
  '/admin/exchanges': {
    GET: {
      id: 'listExchanges',
      summary:
        'Lists the latest exchanges: who asked whom, how it ended and what it used, and nothing of what was said.',
      query: exchangeQuery,
      answer: exchangeList,
      run: answerExchanges,
    },
  },
  '/admin/budgets': {
    GET: {
      id: 'listBudgets',
      summary:
        'Lists all budgets of keys and groups, for all models and for some, with what is spent of them.',
      query: budgetQuery,
      answer: budgetList,
      run: answerBudgets,
    },
  },
  '/admin/audit': {
    GET: {
      id: 'listAudit',
      summary: 'Lists who changed which key or group, when, and what it was before and after.',
      query: auditQuery,
      answer: auditList,
      run: answerAudit,
    },
  },
  '/admin/usage': {
    GET: {
      id: 'getUsage',
      summary: 'Reports requests, tokens and cost by day, group, key, model, vendor or tag.',
      query: usageQuery,
      answer: usageAnswer,
      run: answerUsage,
    },
    DELETE: {
      id: 'eraseUsage',
      summary:
        'Erases who a caller was: a revoked key, the caller of a token, or an end user by the tag. What was used stays in all other sums.',
      query: eraseQuery,
      answer: erased,
      errors: [409],
      run: answerErase,
    },
  },
};
