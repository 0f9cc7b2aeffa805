/** The people that rows name as authors: found by e-mail or name, made as visitors when absent. */
import type { Identity, IdentityTables } from '@parley/identity';
import type { Caller } from '@parley/kit';
import type { Store } from '@parley/store';
import type { Actor } from '../actor.ts';
import type { PostRowInput } from './post-row.ts';

/** Whom a post belongs to. */
export interface Author {
  readonly memberId: string;
  readonly userId: string;
}

/** What is needed to find and make people. */
export interface AuthorOptions {
  readonly store: Store;
  readonly identity: Pick<Identity, 'addMember' | 'createUser' | 'ensureUser'>;
  /** In whose name people are added. */
  readonly caller: Caller;
  readonly actor: Actor;
}

/** Finds the authors of some rows; a row that names nobody belongs to the importer. */
export async function findAuthors(
  options: AuthorOptions,
  rows: readonly PostRowInput[],
): Promise<(row: PostRowInput) => Author> {
  const byEmail = await findByEmail(options, rows);
  const byName = await findByName(options, rows);
  const { memberId, userId } = options.actor;
  return ({ authorEmail, authorName }) => {
    const found =
      authorEmail === undefined
        ? authorName === undefined
          ? undefined
          : byName.get(authorName)
        : byEmail.get(authorEmail);
    return found ?? { memberId, userId };
  };
}

async function findByEmail(
  options: AuthorOptions,
  rows: readonly PostRowInput[],
): Promise<Map<string, Author>> {
  const { store, identity } = options;
  const names = new Map<string, string>();
  for (const { authorEmail, authorName } of rows)
    if (authorEmail !== undefined && !names.has(authorEmail))
      // The address itself would be shown to everybody.
      names.set(authorEmail, authorName ?? authorEmail.slice(0, authorEmail.lastIndexOf('@')));
  const found = new Map<string, Author>();
  if (names.size === 0) return found;
  const known = await membersOf(store, options.actor)
    .where('person.email', 'in', [...names.keys()])
    .execute();
  for (const { email, memberId, userId } of known) if (email !== null) found.set(email, { memberId, userId });
  for (const [email, name] of names) {
    if (found.has(email)) continue;
    const userId = await identity.ensureUser({ email, name });
    found.set(email, await enrol(options, userId));
  }
  return found;
}

/** One person per name. Nobody can act as them, so no visitor is given what is not theirs. */
async function findByName(
  options: AuthorOptions,
  rows: readonly PostRowInput[],
): Promise<Map<string, Author>> {
  const names = new Set<string>();
  for (const { authorEmail, authorName } of rows)
    if (authorEmail === undefined && authorName !== undefined) names.add(authorName);
  const found = new Map<string, Author>();
  if (names.size === 0) return found;
  for (const { name, memberId, userId } of await selectPuppets(options, [...names]).execute())
    if (!found.has(name)) found.set(name, { memberId, userId });
  for (const name of names) {
    if (found.has(name)) continue;
    const userId = await options.identity.createUser({ name, email: null });
    found.set(name, await enrol(options, userId));
  }
  return found;
}

async function enrol({ identity, caller }: AuthorOptions, userId: string): Promise<Author> {
  return { memberId: await identity.addMember(caller, { userId, roles: ['user'] }), userId };
}

function membersOf(store: Store, { organizationId }: Pick<Actor, 'organizationId'>) {
  return store
    .db<IdentityTables>()
    .selectFrom('members as member')
    .innerJoin('users as person', 'person.id', 'member.user_id')
    .select(['member.id as memberId', 'member.user_id as userId', 'person.email', 'person.name'])
    .where('member.organization_id', '=', organizationId)
    .orderBy('member.created_at')
    .orderBy('member.id');
}

/** Members without an e-mail, a sign-in or a key: people whom only imports have made. */
export function selectPuppets(
  { store, actor }: Pick<AuthorOptions, 'store' | 'actor'>,
  names: readonly string[],
) {
  return membersOf(store, actor)
    .where('person.email', 'is', null)
    .where('person.name', 'in', names)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('sign_in_sessions as session')
            .select('session.member_id')
            .whereRef('session.member_id', '=', 'member.id'),
        ),
      ),
    )
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(selectFrom('api_keys as key').select('key.id').whereRef('key.user_id', '=', 'member.user_id')),
      ),
    )
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('member_roles as role')
            .select('role.role')
            .whereRef('role.member_id', '=', 'member.id')
            .where('role.role', '<>', 'user'),
        ),
      ),
    );
}
