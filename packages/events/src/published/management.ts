/** The events of management: keys, members and connections, whose parts publish them with the change. */
import * as z from 'zod';
import type { NewEvent } from '../cloud-event.ts';
import { defineEvent } from '../define-event.ts';

const Named = z.object({
  id: z.string(),
  by: z.string().describe('The caller who did it'),
});
const Connection = z.object({ id: z.string(), title: z.string(), connection_type: z.string() });

const Drift = z.object({
  connection_id: z.string(),
  title: z.string(),
  tool: z.string(),
  hash: z.string().describe('Of the definition as it is now; an approval names it'),
  renamed_from: z.string().nullable().describe('The tool that it seems to have been'),
  fields: z.array(
    z.object({ field: z.string(), before: z.string().nullable(), after: z.string().nullable() }),
  ),
});

const define = <Data extends z.ZodType>(type: string, when: string, data: Data) =>
  defineEvent({ type, when, data });

/** All of them, by type. */
export const MANAGEMENT_EVENTS = {
  'key.created': define('key.created', 'an API key was made', Named),
  'key.updated': define('key.updated', 'a key got another name or other grants', Named),
  'key.revoked': define('key.revoked', 'a key was revoked or deleted', Named),
  'member.added': define('member.added', 'somebody joined the organization', Named),
  'member.roles_changed': define('member.roles_changed', 'a member has other roles', Named),
  'member.removed': define('member.removed', 'somebody left, or was removed', Named),
  'connection.created': define('connection.created', 'a connection was made', Connection),
  'connection.updated': define('connection.updated', 'a connection was changed', Connection),
  'connection.deleted': define('connection.deleted', 'a connection was deleted', Connection),
  'tool.definition_changed': define(
    'tool.definition_changed',
    'a tool of a connection is not what was agreed to any more',
    Drift,
  ),
  'connection.auth_required': define(
    'connection.auth_required',
    'somebody has to authorise a connection again',
    Connection.extend({ user_id: z.string().nullable().describe('Who; null: one for everybody') }),
  ),
};

/** An act of somebody, as the audit log has it. */
export interface ManagementAct {
  readonly caller: { readonly id: string; readonly organizationId: string };
  readonly action: string;
  readonly target: string;
}

const BY_ACTION = new Map([
  ['key.created', MANAGEMENT_EVENTS['key.created']],
  ['key.recovered', MANAGEMENT_EVENTS['key.created']],
  ['key.updated', MANAGEMENT_EVENTS['key.updated']],
  ['key.revoked', MANAGEMENT_EVENTS['key.revoked']],
  ['member.added', MANAGEMENT_EVENTS['member.added']],
  ['member.joined', MANAGEMENT_EVENTS['member.added']],
  ['member.roles_changed', MANAGEMENT_EVENTS['member.roles_changed']],
  ['member.removed', MANAGEMENT_EVENTS['member.removed']],
]);

/** The event of an act on a key or a member; undefined for others, whose parts publish themselves or nothing. */
export function managementEvent({ caller, action, target }: ManagementAct): NewEvent | undefined {
  const { organizationId, id: by } = caller;
  return BY_ACTION.get(action)?.of({ organizationId, subject: target, data: { id: target, by } });
}
