/** Members: who is on the team, and who else takes part. Identity keeps them. */
import type { Member as IdentityMember } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { ToolError } from '@parley/kit';
import type { Actor } from '../../actor.ts';
import { notFound } from '../../faults.ts';
import { fromIdentityId, toIdentityId } from '../../ids.ts';
import { isoOf } from '../../shapes/fields.ts';
import type { Member, Person } from '../../shapes/nouns.ts';
import type { Page, PageQuery } from '../../shapes/posts.ts';
import { pageOf, startOf } from '../paging.ts';
import type { PersonQuery } from './people.ts';
import { listPeople, MAX_SEARCH_LENGTH } from './people.ts';
import type { CheckCurrent } from '../posts/posts.ts';
import type { Base } from '../write.ts';

/** The most that are told at once: whoever has more asks for pages, or searches. */
export const MOST_MEMBERS = 1000;

/** Whom of the team a list is asked for. */
export interface MemberQuery extends PageQuery {
  /** Part of a name or an e-mail address. */
  readonly search?: string | undefined;
  readonly ids?: readonly string[] | undefined;
}

/** What can be done with members; changes are made in the name of a caller, who gives at most what it holds. */
export interface MemberService {
  /** The team, the oldest first; visitors are in `people`. */
  list(actor: Actor, query: MemberQuery): Promise<Page<Member>>;
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
    async list({ organizationId }, query) {
      const { limit } = query;
      const text = query.search?.trim().slice(0, MAX_SEARCH_LENGTH).replaceAll('\0', '') || undefined;
      const ids = query.ids?.slice(0, MOST_MEMBERS).map((id) => toIdentityId('member', id));
      const scope = { entity: 'members', sort: 'oldest', filter: { text, ids: ids?.join(',') } };
      const start = startOf(scope, query);
      const filter = { text, ids, hasTeamRank: true };
      const rows = await identity.pageMembers(organizationId, {
        ...filter,
        limit: limit + 1,
        after: start && { createdAt: Number(start.key), id: start.id },
      });
      const total = await identity.countMembers(organizationId, filter);
      const position = ({ createdAt, id }: IdentityMember) => ({ key: createdAt, id });
      return pageOf(rows, { scope, limit, total, items: rows.map(toMember), position });
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
