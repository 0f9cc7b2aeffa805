/** Members as others see them: who belongs to an organization, one by one or all. */
import type { Queryable } from '@parley/store';
import { byEngine } from '@parley/store';
import { sql } from 'kysely';
import type { Rank } from '../roles.ts';
import { rankOf } from '../roles.ts';
import type { IdentityTables } from '../schema.ts';

/** A person in an organization. */
export interface Member {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly email: string | null;
  readonly image: string | null;
  readonly emailVerified: boolean;
  /** Built-in and custom ones, in the order of the alphabet. */
  readonly roles: readonly string[];
  readonly rank: Rank;
  readonly createdAt: number;
}

/** All members of an organization, the oldest first. */
export async function listMembers(store: Queryable, organizationId: string): Promise<Member[]> {
  return gathered(await selectMembers(store, organizationId).execute());
}

/** Which members are wanted; absent means any. */
export interface MemberFilter {
  /** A part of the name or the e-mail, whatever its case. */
  readonly text?: string | undefined;
  /** Those who hold this role. */
  readonly role?: string | undefined;
  /** Without those who are visitors and nothing else. */
  readonly isTeam?: boolean | undefined;
  /** Those whose rank is that of the team: a visitor with a custom role stays a visitor. */
  readonly hasTeamRank?: boolean | undefined;
  readonly ids?: readonly string[] | undefined;
}

/** A part of them. */
export interface MemberPage extends MemberFilter {
  readonly limit: number;
  readonly offset?: number | undefined;
  /** By name, or by when they joined, which is also how `after` goes on. */
  readonly sort?: 'name' | 'joined' | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  /** The last one of the page before; those who join meanwhile move nobody. */
  readonly after?: { readonly createdAt: number; readonly id: string } | undefined;
}

/** Some of them, for lists that are read page by page. */
export async function pageMembers(
  store: Queryable,
  organizationId: string,
  { limit, offset = 0, after, sort = 'joined', order = 'asc', ...filter }: MemberPage,
): Promise<Member[]> {
  const wanted = matching(store, organizationId, filter)
    .select('paged.id')
    .$if(after !== undefined, (later) =>
      later.where(sql<boolean>`(paged.created_at, paged.id) > (${after?.createdAt}, ${after?.id})`),
    )
    .$if(sort === 'name', (some) => some.orderBy(nameKey(store, 'person.name'), order))
    .orderBy('paged.created_at', order)
    .orderBy('paged.id', order)
    .limit(limit)
    .offset(offset);
  const lines = await selectMembers(store, organizationId)
    .where('members.id', 'in', wanted)
    .clearOrderBy()
    .$if(sort === 'name', (some) => some.orderBy(nameKey(store, 'users.name'), order))
    .orderBy('members.created_at', order)
    .orderBy('members.id', order)
    .execute();
  return gathered(lines);
}

/** Names without case, in the same order on both engines. */
function nameKey({ engine }: Queryable, column: 'person.name' | 'users.name') {
  const name = sql.ref(column);
  return byEngine(engine, {
    sqlite: sql<string>`lower(${name})`,
    postgres: sql<string>`lower(${name} collate "C") collate "C"`,
  });
}

/** How many there are of them. */
export async function countMembers(
  store: Queryable,
  organizationId: string,
  filter: MemberFilter,
): Promise<number> {
  const { total } = await matching(store, organizationId, filter)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

function matching(
  store: Queryable,
  organizationId: string,
  { text, role, isTeam = false, hasTeamRank = false, ids }: MemberFilter,
) {
  const like = `%${(text ?? '').toLowerCase().replaceAll(/[\\%_]/g, (mark) => `\\${mark}`)}%`;
  return store
    .db<IdentityTables>()
    .selectFrom('members as paged')
    .innerJoin('users as person', 'person.id', 'paged.user_id')
    .where('paged.organization_id', '=', organizationId)
    .$if(text !== undefined, (some) =>
      some.where((person) =>
        person.or([
          sql<boolean>`lower(person.name) like ${like} escape '\\'`,
          sql<boolean>`person.email like ${like} escape '\\'`,
        ]),
      ),
    )
    .$if(role !== undefined, (some) =>
      some.where('paged.id', 'in', (held) =>
        held
          .selectFrom('member_roles')
          .select('member_id')
          .where('role', '=', role ?? ''),
      ),
    )
    .$if(isTeam, (some) =>
      some.where('paged.id', 'in', (held) =>
        held.selectFrom('member_roles').select('member_id').where('role', '!=', 'user'),
      ),
    )
    .$if(hasTeamRank, (some) =>
      some.where(
        sql<boolean>`coalesce(
          (select max(case role when 'user' then 1 when 'owner' then 2 when 'admin' then 2 when 'member' then 2 else 0 end)
           from member_roles where member_id = paged.id), 1) <> 1`,
      ),
    )
    .$if(ids !== undefined, (some) =>
      // PostgreSQL knows no empty list.
      ids?.length === 0 ? some.where(sql<boolean>`1 = 0`) : some.where('paged.id', 'in', [...(ids ?? [])]),
    );
}

/** The member with this id or e-mail. */
export async function findMember(
  store: Queryable,
  organizationId: string,
  idOrEmail: string,
): Promise<Member | undefined> {
  const email = idOrEmail.trim().toLowerCase();
  const query = selectMembers(store, organizationId).where((member) =>
    member.or([member('members.id', '=', idOrEmail), member('users.email', '=', email)]),
  );
  return gathered(await query.execute())[0];
}

/** The member with this id; one of another organization is not there. */
export async function getMember(
  store: Queryable,
  organizationId: string,
  memberId: string,
): Promise<Member | undefined> {
  const query = selectMembers(store, organizationId).where('members.id', '=', memberId);
  return gathered(await query.execute())[0];
}

/** The member that a user is in an organization. */
export async function memberOf(
  store: Queryable,
  organizationId: string,
  userId: string,
): Promise<Member | undefined> {
  const query = selectMembers(store, organizationId).where('members.user_id', '=', userId);
  return gathered(await query.execute())[0];
}

function selectMembers(store: Queryable, organizationId: string) {
  return store
    .db<IdentityTables>()
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .leftJoin('member_roles', 'member_roles.member_id', 'members.id')
    .select(['members.id', 'members.user_id', 'members.created_at', 'member_roles.role'])
    .select(['users.name', 'users.email', 'users.image', 'users.email_verified'])
    .where('members.organization_id', '=', organizationId)
    .orderBy('members.created_at')
    .orderBy('members.id');
}

type MemberRoleLine = Awaited<ReturnType<ReturnType<typeof selectMembers>['execute']>>[number];

/** One member from the lines that the query gives for each of their roles. */
function gathered(lines: readonly MemberRoleLine[]): Member[] {
  return [...Map.groupBy(lines, ({ id }) => id).values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const roles = own.flatMap(({ role }) => (role === null ? [] : [role])).toSorted();
    const { id, user_id: userId, name, email, image, created_at: createdAt } = first;
    const emailVerified = first.email_verified === 1;
    return [{ id, userId, name, email, image, emailVerified, roles, rank: rankOf(roles), createdAt }];
  });
}
