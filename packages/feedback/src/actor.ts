/** Who acts on feedback: a caller with its membership and its rank. */
import type { Identity, Rank } from '@parley/identity';
import { rankOf } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { isGranted } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { forbidden } from './faults.ts';

/** The lists of names that a grant gives. */
const NAME_LISTS = ['boards', 'statuses', 'tags', 'roadmaps', 'members'] as const;

/** One of the lists. */
export type NameList = (typeof NAME_LISTS)[number];

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
  /** The lists that the caller may read whole; a wrong name is told with those of no other. */
  readonly mayList: readonly NameList[];
  /** Called at the end of the transaction of a change, so that it commits together with what is noted about it. */
  readonly onChange?: (tx: StoreTransaction) => Promise<void>;
}

/** Where names are looked up, and what may be told about them. */
export type NameReader = Pick<Actor, 'organizationId' | 'mayList'>;

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
  const rank = rankOf(caller.roles);
  const mayList = NAME_LISTS.filter((list) => isTeam({ rank }) && isGranted(caller.grants, 'feedback', list));
  return { organizationId, memberId: member.id, userId, rank, agentName, mayList };
}
