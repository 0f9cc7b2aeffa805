/** Organizations: made with all they have from the start, renamed, and deleted with everything that is theirs. */
import type { Caller } from '@parley/kit';
import { ToolError, typeId } from '@parley/kit';
import type { Queryable, Store, StoreTransaction } from '@parley/store';
import { deleteOwned, fromJson, toJson } from '@parley/store';
import type { IdentityTables, OrganizationRow } from '../schema.ts';
import type { AuditCaller } from './audit.ts';
import { writeAudit } from './audit.ts';
import { IDENTITY_CHANGED } from './identity-changed.ts';
import { enrol, lockOrganization } from './members.ts';
import { requireRankOver } from './role-ceiling.ts';
import { createUser, orConflict } from './users.ts';

/** An organization as its members see it. */
export interface Organization {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly logo: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly createdAt: number;
}

/** What an organization begins with: a new person as its owner, or one who is there already. */
export interface NewOrganization {
  readonly slug: string;
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly owner: { readonly name: string; readonly email: string | null } | { readonly userId: string };
}

/** Writes what every part of the server keeps for a new organization. */
export type Seed = (tx: StoreTransaction, organizationId: string) => Promise<void>;

/** What shall be different; absent stays as it is. */
export interface OrganizationChange {
  readonly slug?: string | undefined;
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  /** The colour that its console wears, such as `#2f6fed`; null: that of Parley. */
  readonly accent?: string | null | undefined;
}

const ACCENT = /^#[0-9a-f]{6}$/;
const SLUG = /^[a-z0-9-]{1,50}$/;
const MAX_NAME_LENGTH = 255;
const MAX_DESCRIPTION_LENGTH = 1000;

/** Creates an organization with its first owner; the same slug twice is a conflict. */
export async function createOrganization(
  tx: StoreTransaction,
  input: NewOrganization,
  { now, seed, by }: { readonly now: number; readonly seed: Seed; readonly by?: AuditCaller },
): Promise<{ organizationId: string; userId: string }> {
  const { owner } = input;
  const organizationId = typeId('org', now);
  const fields = checked({ ...input, description: input.description ?? null });
  const rest = { logo: null, metadata: null, created_at: now };
  await tx
    .db<IdentityTables>()
    .insertInto('organizations')
    .values({ id: organizationId, ...fields, ...rest })
    .execute()
    .catch(orConflict(`An organization with the slug ${input.slug} exists already.`));
  const userId = 'userId' in owner ? owner.userId : await createUser(tx, owner, now);
  await enrol(tx, { organizationId, userId, roles: ['owner'] }, now);
  await seed(tx, organizationId);
  const caller = { id: userId, userId, source: 'cli', ...by, organizationId } as const;
  const changed = { slug: input.slug, name: input.name };
  await writeAudit(tx, { caller, action: 'organization.created', target: organizationId, changed }, { now });
  return { organizationId, userId };
}

/** Renames or describes the caller's organization. */
export async function updateOrganization(
  tx: StoreTransaction,
  by: Caller,
  change: OrganizationChange,
  now: number,
): Promise<Organization> {
  const { organizationId } = by;
  await lockOrganization(tx, organizationId);
  const before = await rowOf(tx, organizationId);
  const { slug = before.slug, name = before.name, description = before.description, accent } = change;
  const metadata = accent === undefined ? before.metadata : withAccent(before.metadata, accent);
  const words = checked({ slug, name, description });
  const next = { ...words, metadata };
  const isOther = (field: keyof typeof next) => next[field] !== before[field];
  const fields = [
    ...(['slug', 'name', 'description'] as const).filter(isOther),
    ...(isOther('metadata') ? ['accent'] : []),
  ];
  if (fields.length === 0) return organizationOf(before);
  await tx
    .db<IdentityTables>()
    .updateTable('organizations')
    .set(next)
    .where('id', '=', organizationId)
    .execute()
    .catch(orConflict(`An organization with the slug ${slug} exists already.`));
  const entry = { caller: by, action: 'organization.updated', target: organizationId };
  await writeAudit(
    tx,
    { ...entry, changed: { fields, ...words, ...(accent !== undefined && { accent }) } },
    { now },
  );
  await tx.signal(IDENTITY_CHANGED, organizationId);
  return organizationOf({ ...before, ...next });
}

/** Deletes the caller's organization with every row that names it, and the people who were nowhere else. */
export async function deleteOrganization(store: Store, by: Caller, clear: Seed): Promise<void> {
  const { organizationId } = by;
  await store.transaction(async (tx) => {
    // Two owners must not each leave the other's organization as the last one.
    await tx.exclusive('organizations');
    await lockOrganization(tx, organizationId);
    await rowOf(tx, organizationId);
    requireRankOver(by, ['owner']);
    const db = tx.db<IdentityTables>();
    const others = await db
      .selectFrom('organizations')
      .select('id')
      .where('id', '!=', organizationId)
      .limit(1)
      .execute();
    if (others.length === 0)
      throw new ToolError('conflict', 'This is the last organization of this server, so it stays.');
    const people = await db
      .selectFrom('members')
      .select('user_id')
      .where('organization_id', '=', organizationId)
      .execute();
    await clear(tx, organizationId);
    await deleteOwned(tx, 'organization_id', organizationId);
    await db.deleteFrom('organizations').where('id', '=', organizationId).execute();
    await deleteStrays(
      tx,
      people.map(({ user_id }) => user_id),
    );
    await tx.signal(IDENTITY_CHANGED, organizationId);
  });
  await store.records.forget(organizationId);
}

const BATCH = 500;

async function deleteStrays(tx: StoreTransaction, userIds: readonly string[]): Promise<void> {
  for (let start = 0; start < userIds.length; start += BATCH) {
    await tx
      .db<IdentityTables>()
      .deleteFrom('users')
      .where('id', 'in', userIds.slice(start, start + BATCH))
      .where('id', 'not in', (known) => known.selectFrom('members').select('user_id'))
      .execute();
  }
}

/** The organization with this id. */
export async function getOrganization(from: Queryable, id: string): Promise<Organization | undefined> {
  const row = await selectOrganizations(from).where('organizations.id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : organizationOf(row);
}

/** The organizations that a user is a member of, the oldest first. */
export async function listOrganizations(from: Queryable, userId: string): Promise<Organization[]> {
  const rows = await selectOrganizations(from)
    .innerJoin('members', 'members.organization_id', 'organizations.id')
    .where('members.user_id', '=', userId)
    .orderBy('organizations.created_at')
    .orderBy('organizations.id')
    .execute();
  return rows.map(organizationOf);
}

function selectOrganizations(from: Queryable) {
  return from.db<IdentityTables>().selectFrom('organizations').selectAll('organizations');
}

async function rowOf(tx: StoreTransaction, id: string): Promise<OrganizationRow> {
  const row = await selectOrganizations(tx).where('organizations.id', '=', id).executeTakeFirst();
  if (row === undefined) throw new ToolError('not_found', 'No such organization.');
  return row;
}

function organizationOf(row: OrganizationRow): Organization {
  const { id, slug, name, description, logo, created_at: createdAt } = row;
  const metadata = row.metadata === null ? null : fromJson<Record<string, unknown>>(row.metadata);
  return { id, slug, name, description, logo, metadata, createdAt };
}

function withAccent(metadata: string | null, given: string | null): string | null {
  const accent = given?.toLowerCase() ?? null;
  if (accent !== null && !ACCENT.test(accent))
    throw new ToolError('invalid', 'accent: must be a colour such as #2f6fed, or null');
  const { accent: _before, ...rest } = metadata === null ? {} : fromJson<Record<string, unknown>>(metadata);
  const next = accent === null ? rest : { ...rest, accent };
  return Object.keys(next).length === 0 ? null : toJson(next);
}

type Words = Pick<OrganizationRow, 'slug' | 'name' | 'description'>;

function checked({ slug, name: given, description }: Words): Words {
  const name = given.trim();
  if (!SLUG.test(slug))
    throw new ToolError('invalid', 'slug: must have 1 to 50 lower-case letters, digits and dashes');
  if (name === '' || name.length > MAX_NAME_LENGTH)
    throw new ToolError('invalid', `name: must have 1 to ${MAX_NAME_LENGTH} characters`);
  if ((description?.length ?? 0) > MAX_DESCRIPTION_LENGTH)
    throw new ToolError('invalid', `description: must have at most ${MAX_DESCRIPTION_LENGTH} characters`);
  return { slug, name, description };
}
