/** Members: who is on the team, and who else takes part. Identity keeps them. */
import type { Member as IdentityMember } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { ToolError } from '@parley/kit';
import type { Actor } from '../../actor.ts';
import { isTeam } from '../../actor.ts';
import { notFound } from '../../faults.ts';
import { fromIdentityId, toIdentityId } from '../../ids.ts';
import { isoOf } from '../../shapes/fields.ts';
import type { Member, Person } from '../../shapes/nouns.ts';
import type { Page } from '../../shapes/posts.ts';
import type { PersonQuery } from './people.ts';
import { listPeople } from './people.ts';
import type { CheckCurrent } from '../posts/posts.ts';
import type { Base } from '../write.ts';

/** What can be done with members; changes are made in the name of a caller, who gives at most what it holds. */
export interface MemberService {
  /** The team, the oldest first; visitors are in `people`. */
  list(actor: Actor): Promise<Member[]>;
  /** Anybody who takes part, visitors too. */
  get(actor: Actor, id: string): Promise<Member>;
  /** The last owner stays what they are. */
  setRole(
    actor: Actor,
    caller: Caller,
    id: string,
    role: Member['role'],
    check?: CheckCurrent<Member>,
  ): Promise<Member>;
  remove(actor: Actor, caller: Caller, id: string, check?: CheckCurrent<Member>): Promise<void>;
  /** Everybody, with what they did. */
  people(actor: Actor, query: PersonQuery): Promise<Page<Person>>;
}

export function createMembers(base: Base): MemberService {
  const { identity, store } = base;

  async function find(actor: Actor, memberId: string): Promise<Member> {
    const member = await identity.getMember(actor.organizationId, memberId);
    if (member === undefined) throw notFound('Member');
    return toMember(member);
  }

  return {
    async list(actor) {
      const members = await identity.listMembers(actor.organizationId);
      return members.filter(isTeam).map(toMember);
    },
    async get(actor, id) {
      return find(actor, toIdentityId('member', id));
    },
    async setRole(actor, caller, id, role, check) {
      const memberId = toIdentityId('member', id);
      check?.(await find(actor, memberId));
      return toMember(await orNotFound(identity.setRank(caller, memberId, role)));
    },
    async remove(actor, caller, id, check) {
      const memberId = toIdentityId('member', id);
      check?.(await find(actor, memberId));
      await orNotFound(identity.removeMemberById(caller, memberId));
    },
    async people(actor, query) {
      return listPeople(store, actor.organizationId, query);
    },
  };
}

/** An absent member is told of in the words of this API. */
function orNotFound<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof ToolError && error.code === 'not_found' ? notFound('Member') : error;
  });
}

function toMember(member: IdentityMember): Member {
  return {
    id: fromIdentityId('member', member.id),
    userId: member.userId,
    name: member.name,
    email: member.email,
    image: member.image,
    role: member.rank,
    createdAt: isoOf(member.createdAt),
  };
}
