/** Who acts on feedback: a caller with its membership and its rank. */
import type { Identity, Rank } from '@parley/identity';
import { rankOf } from '@parley/identity';
import type { Caller } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { forbidden } from './faults.ts';

/** The one who reads or writes; content belongs to the member. */
export interface Actor {
  readonly organizationId: string;
  /** As identity writes it. */
  readonly memberId: string;
  readonly userId: string;
  /** Administrators and members are the team; a user is a visitor of the portal. */
  readonly rank: Rank;
  /** Set when an agent acts for the member; its content shows both names. */
  readonly agentName: string | null;
  /** Called at the end of the transaction of a change, so that it commits together with what is noted about it. */
  readonly onChange?: (tx: StoreTransaction) => Promise<void>;
}

/** True for those who triage. */
export function isTeam({ rank }: Pick<Actor, 'rank'>): boolean {
  return rank !== 'user';
}

/** Finds the member behind a caller. */
export async function actorOf(identity: Identity, caller: Caller): Promise<Actor> {
  const { organizationId, userId } = caller;
  const member = userId === null ? undefined : await identity.memberOf(organizationId, userId);
  if (userId === null || member === undefined)
    throw forbidden('This caller is no member of the organization.');
  const agentName = caller.source === 'agent' ? caller.name : null;
  return { organizationId, memberId: member.id, userId, rank: rankOf(caller.roles), agentName };
}
