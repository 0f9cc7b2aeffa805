/** The people of an export: each stands in one line, before the first line that names them. */
import type { IdentityTables } from '@parley/identity';
import { rankOf } from '@parley/identity';
import type { Queryable } from '@parley/store';
import { fromIdentityId, toIdentityId } from '../ids.ts';
import { isoOf } from '../shapes/fields.ts';
import { isMemberId } from './archive-columns.ts';
import type { Person, RecordName } from './archive-records.ts';
import { recordKind } from './archive-records.ts';
import { partsOf } from './write-posts.ts';

/** Writes people as they are needed. */
export interface PeopleLines {
  /** The lines of those whom the rows name and who were not written yet. */
  before(
    from: Queryable,
    rows: Iterable<readonly [RecordName, Readonly<Record<string, unknown>>]>,
  ): Promise<Person[]>;
  /** All other members. */
  rest(from: Queryable): Promise<Person[]>;
}

export function createPeopleLines(organizationId: string): PeopleLines {
  const written = new Set<string>();
  const fresh = (ids: Iterable<string>) => [...new Set(ids)].filter((id) => !written.has(id));

  const take = (people: readonly Person[], ids: (person: Person) => readonly (string | null)[]): Person[] => {
    for (const person of people) for (const id of ids(person)) if (id !== null) written.add(id);
    return [...people];
  };
  const takeMembers = (rows: readonly MemberLine[]) => {
    for (const row of rows) written.add(row.id).add(row.user_id);
    return rows.map(personOf);
  };

  return {
    async before(from, rows) {
      const named = idsIn(rows);
      const people: Person[] = [];
      const query = membersIn(from, organizationId);
      for (const ids of partsOf(fresh(named.members)))
        people.push(...takeMembers(gathered(await query.where('member.id', 'in', ids).execute())));
      for (const ids of partsOf(fresh(named.users)))
        people.push(...takeMembers(gathered(await query.where('member.user_id', 'in', ids).execute())));
      for (const ids of partsOf(fresh(named.users))) {
        const found = await from
          .db<IdentityTables>()
          .selectFrom('users')
          .select(['id', 'name', 'email'])
          .where('id', 'in', ids)
          .execute();
        const known = found.map(({ id, name, email }) => ({ ...NOBODY, userId: id, name, email }));
        people.push(...take(known, ({ userId }) => [userId]));
      }
      const gone = [
        ...fresh(named.users).map((id): Person => ({ ...NOBODY, userId: id })),
        ...fresh(named.members).map((id): Person => ({ ...NOBODY, memberId: fromIdentityId('member', id) })),
      ];
      for (const id of [...named.users, ...named.members]) written.add(id);
      return [...people, ...gone];
    },
    async rest(from) {
      const all = gathered(await membersIn(from, organizationId).execute());
      return takeMembers(all.filter(({ id }) => !written.has(id)));
    },
  };
}

const NOBODY: Person = {
  kind: 'person',
  memberId: null,
  userId: null,
  name: null,
  email: null,
  role: null,
  isOwner: false,
  joinedAt: null,
};

interface MemberLine {
  readonly id: string;
  readonly user_id: string;
  readonly created_at: number;
  readonly name: string;
  readonly email: string | null;
  readonly roles: string[];
}

function membersIn(from: Queryable, organizationId: string) {
  return from
    .db<IdentityTables>()
    .selectFrom('members as member')
    .innerJoin('users as person', 'person.id', 'member.user_id')
    .leftJoin('member_roles as held', 'held.member_id', 'member.id')
    .select(['member.id', 'member.user_id', 'member.created_at', 'person.name', 'person.email', 'held.role'])
    .where('member.organization_id', '=', organizationId)
    .orderBy('member.created_at')
    .orderBy('member.id');
}

type MemberRoleLine = Omit<MemberLine, 'roles'> & { readonly role: string | null };

function gathered(rows: readonly MemberRoleLine[]): MemberLine[] {
  const byId = new Map<string, MemberLine>();
  for (const { role, ...row } of rows) {
    const line = byId.get(row.id) ?? { ...row, roles: [] };
    if (role !== null) line.roles.push(role);
    byId.set(row.id, line);
  }
  return [...byId.values()];
}

function personOf({ id, user_id, created_at, name, email, roles }: MemberLine): Person {
  return {
    kind: 'person',
    memberId: fromIdentityId('member', id),
    userId: user_id,
    name,
    email,
    role: rankOf(roles),
    isOwner: roles.includes('owner'),
    joinedAt: isoOf(created_at),
  };
}

function idsIn(rows: Iterable<readonly [RecordName, Readonly<Record<string, unknown>>]>): {
  members: Set<string>;
  users: Set<string>;
} {
  const found = { members: new Set<string>(), users: new Set<string>() };
  for (const [name, row] of rows) {
    for (const [column, { refersTo }] of Object.entries(recordKind(name).columns)) {
      const value = row[column];
      if (typeof value !== 'string') continue;
      if (refersTo === 'member') found.members.add(value);
      else if (refersTo === 'user') found.users.add(value);
      else if (isMemberId(value)) found.members.add(toIdentityId('member', value));
    }
  }
  return found;
}
