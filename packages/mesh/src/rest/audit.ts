/** The route of the audit log: pages of the caller's own organization, for people who administer it. */
import { limitUpTo, one, timeOrder } from '@parley/http/rest';
import type { AuditPlace } from '@parley/identity';
import * as z from 'zod';
import { AUDIT_READ, shownAuditEntry } from '../audit.ts';
import { IsoTime } from '../tools/iso-time.ts';
import { defineRoute } from './route.ts';

const MOST = 100;
const CURSOR = /^(\d{1,15})-(\d{1,15})$/;

const Entry = z.object({
  seq: z.int().describe('Its place in the chain'),
  id: z.string(),
  at: z.string(),
  callerId: z.string().describe('The key, or the agent without one'),
  userId: z.string().nullable(),
  source: z.string(),
  requestId: z.string().nullable(),
  action: z.string(),
  target: z.string(),
  outcome: z.enum(['ok', 'denied']),
  changed: z.record(z.string(), z.unknown()),
});

const Page = z.object({
  entries: z.array(Entry),
  cursor: z.string().nullable().describe('Asks for the next page; null on the last one'),
  hasMore: z.boolean(),
  names: z
    .record(z.string(), z.string())
    .describe(
      'What the keys, members and people of the entries are called; those who are gone are not among them',
    ),
});

const cursor = z
  .string()
  .regex(CURSOR, 'must be a cursor of an earlier answer')
  .transform((text): AuditPlace => {
    const [, at, seq] = CURSOR.exec(text) ?? [];
    return { at: Number(at), seq: Number(seq) };
  })
  .optional()
  .meta({ type: 'string', description: 'Where the page before ended, as its answer said' });

const time = (description: string) =>
  IsoTime.transform((text) => Date.parse(text))
    .optional()
    .meta({ type: 'string', description });

const text = (most: number, description: string) =>
  z.string().min(1).max(most).optional().describe(description);

const listRoute = defineRoute({
  method: 'GET',
  path: '/',
  summary: 'Entries of the audit log, newest first',
  who: 'team',
  grants: [AUDIT_READ],
  query: z.strictObject({
    id: text(128, 'This entry alone'),
    actor: text(128, 'The id of a key, a person or an agent'),
    action: text(64, 'Such as key.created or call.denied'),
    target: text(256, 'The id or name of what it was done to'),
    outcome: z.enum(['ok', 'denied']).optional(),
    text: text(200, 'A part of the act, of what it was done to or changed, or of the name of who did it'),
    since: time('The earliest time'),
    until: time('The latest time'),
    cursor,
    order: timeOrder,
    limit: limitUpTo(MOST, 50),
  }),
  answer: one('AuditPage', Page),
  async run({ audit, identity, caller, query: { cursor: before, order, limit, ...filter } }) {
    const found = await audit.list(caller.organizationId, {
      ...filter,
      before,
      oldestFirst: order === 'asc',
      limit: limit + 1,
    });
    const entries = found.slice(0, limit);
    const last = entries.at(-1);
    const hasMore = found.length > limit && last !== undefined;
    const { callers, users } = await identity.namesOf(caller.organizationId, {
      callers: [...new Set(entries.flatMap(({ callerId, target }) => [callerId, target]))],
      users: [
        ...new Set(entries.flatMap(({ userId, target }) => [target, ...(userId === null ? [] : [userId])])),
      ],
    });
    return {
      entries: entries.map(shownAuditEntry),
      cursor: hasMore ? `${last.at}-${last.seq}` : null,
      hasMore,
      names: Object.fromEntries([...callers, ...users]),
    };
  },
});

const checkRoute = defineRoute({
  method: 'GET',
  path: '/check',
  summary: 'Whether the chain of entries is whole',
  who: 'team',
  grants: [AUDIT_READ],
  answer: one(
    'AuditCheck',
    z.object({
      entries: z.int(),
      isWhole: z.boolean(),
      brokenAt: z.int().nullable().describe('The first entry that does not fit the one before it'),
    }),
  ),
  async run({ audit, caller: { organizationId } }) {
    await audit.flush();
    const { entries, broken } = await audit.check(organizationId);
    return { entries, isWhole: broken.length === 0, brokenAt: broken[0]?.seq ?? null };
  },
});

export const auditRoutes = [listRoute, checkRoute];
