/** Deliveries of events to connections, as the rest of the server sees them: who they are made for, and their record. */
import type { Identity } from '@parley/identity';
import type { Caller, CallRecord } from '@parley/kit';
import { systemCaller, unattended } from '@parley/kit';

/** A member as they stand now; undefined when they are none. */
export async function personCaller(
  identity: Identity,
  organizationId: string,
  userId: string,
): Promise<Caller | undefined> {
  const member = await identity.memberOf(organizationId, userId);
  return member && identity.callerOfMember(organizationId, member.id);
}

/** The same with nobody watching. */
export async function memberCaller(
  identity: Identity,
  organizationId: string,
  userId: string,
): Promise<Caller | undefined> {
  const caller = await personCaller(identity, organizationId, userId);
  return caller && unattended(caller, 'schedule');
}

/** The record of a delivery: the event bus made the call, not the person who subscribed. */
export function deliveryRecord(record: CallRecord): CallRecord {
  const { caller } = record;
  if (!caller.unattended) return record;
  return { ...record, caller: systemCaller('event-bus', 'Event bus', caller.organizationId) };
}
