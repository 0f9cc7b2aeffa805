/** The roles that an organization makes for itself: saved, listed and deleted, never beyond whoever does it. */
import type { Caller, Grants } from '@parley/kit';
import { requireLasting, ToolError, typeId } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import { isBuiltInRole } from '../roles.ts';
import type { IdentityTables } from '../schema.ts';
import { writeAudit } from './audit.ts';
import type { Rules } from './ceiling.ts';
import { requireCovered } from './ceiling.ts';
import { IDENTITY_CHANGED } from './identity-changed.ts';
import { lockOrganization } from './members.ts';
import { requireRoleWithin } from './role-ceiling.ts';

/** A role an organization makes for itself. */
export interface NewRole {
  readonly name: string;
  readonly grants: Grants;
}

/** A custom role, with how many members hold it. */
export interface CustomRole extends NewRole {
  readonly id: string;
  readonly members: number;
  readonly createdAt: number;
}

/** The roles of an organization. */
export interface Roles {
  list(organizationId: string): Promise<CustomRole[]>;
  /** Makes or replaces a role. */
  save(by: Caller, input: NewRole): Promise<void>;
  /** Takes it from everybody who holds it; false when there is no such role. */
  delete(by: Caller, name: string): Promise<boolean>;
}

const MAX_ROLES = 500;
const NAME = /^[A-Za-z0-9][A-Za-z0-9 _.-]{0,63}$/;

/** All custom roles, by name. */
export async function listRoles(from: Queryable, organizationId: string): Promise<CustomRole[]> {
  const rows = await from
    .db<IdentityTables>()
    .selectFrom('roles')
    .select(['id', 'name', 'grants', 'created_at'])
    .select((role) =>
      role
        .selectFrom('member_roles')
        .select((held) => held.fn.countAll<number>().as('members'))
        .whereRef('member_roles.organization_id', '=', 'roles.organization_id')
        .whereRef('member_roles.role', '=', 'roles.name')
        .as('members'),
    )
    .where('organization_id', '=', organizationId)
    .orderBy('name')
    .execute();
  return rows.map(({ id, name, grants, members, created_at: createdAt }) => {
    return { id, name, grants: fromJson<Grants>(grants), members: members ?? 0, createdAt };
  });
}

/** Creates or replaces a custom role of the maker's organization; neither the old nor the new one is stronger than the maker. */
export async function saveRole(
  tx: StoreTransaction,
  by: Caller,
  input: NewRole,
  { now, isPrivileged, refuseUnknown }: Rules,
): Promise<void> {
  const { name, grants } = input;
  const { organizationId } = by;
  requireLasting(by, 'roles');
  if (isBuiltInRole(name)) throw new ToolError('conflict', `The role "${name}" is built in.`);
  if (!NAME.test(name)) {
    const rule = 'must have 1 to 64 letters, digits, blanks and _ . -, and begin with a letter or digit';
    throw new ToolError('invalid', `name: ${rule}`);
  }
  // Every custom role builds on `member`.
  requireRoleWithin(by, 'member');
  requireCovered(by, grants, isPrivileged);
  await refuseUnknown(tx, by, input);
  await lockOrganization(tx, organizationId);
  const before = await roleNamed(tx, organizationId, name);
  if (before === undefined) await refuseTooMany(tx, organizationId);
  else requireCovered(by, fromJson<Grants>(before.grants), isPrivileged);
  const row = { grants: toJson(grants) };
  await tx
    .db<IdentityTables>()
    .insertInto('roles')
    .values({ id: typeId('role', now), organization_id: organizationId, name, ...row, created_at: now })
    .onConflict((conflict) => conflict.columns(['organization_id', 'name']).doUpdateSet(row))
    .execute();
  await writeAudit(tx, { caller: by, action: 'role.saved', target: name, changed: { grants } }, { now });
  await tx.signal(IDENTITY_CHANGED, organizationId);
}

/** Deletes a custom role; whoever held no other one is a member from then on. */
export async function deleteRole(
  tx: StoreTransaction,
  by: Caller,
  name: string,
  { now, isPrivileged }: Rules,
): Promise<boolean> {
  const { organizationId } = by;
  const db = tx.db<IdentityTables>();
  await lockOrganization(tx, organizationId);
  if (isBuiltInRole(name)) throw new ToolError('conflict', `The role "${name}" is built in.`);
  const role = await roleNamed(tx, organizationId, name);
  if (role === undefined) return false;
  requireRoleWithin(by, 'member');
  requireCovered(by, fromJson<Grants>(role.grants), isPrivileged);
  const holders = db
    .selectFrom('member_roles')
    .select(['member_id', 'organization_id', (held) => held.val('member').as('role')])
    .where('organization_id', '=', organizationId)
    .where('role', '=', name);
  // A custom role builds on `member`, so that is what is left of it.
  await db
    .insertInto('member_roles')
    .columns(['member_id', 'organization_id', 'role'])
    .expression(
      holders.where('member_id', 'not in', (held) =>
        held
          .selectFrom('member_roles')
          .select('member_id')
          .where('organization_id', '=', organizationId)
          .where('role', '!=', name),
      ),
    )
    .execute();
  await db
    .deleteFrom('member_roles')
    .where('organization_id', '=', organizationId)
    .where('role', '=', name)
    .execute();
  await db.deleteFrom('roles').where('id', '=', role.id).execute();
  await writeAudit(tx, { caller: by, action: 'role.deleted', target: name }, { now });
  await tx.signal(IDENTITY_CHANGED, organizationId);
  return true;
}

function roleNamed(tx: StoreTransaction, organizationId: string, name: string) {
  return tx
    .db<IdentityTables>()
    .selectFrom('roles')
    .select(['id', 'grants'])
    .where('organization_id', '=', organizationId)
    .where('name', '=', name)
    .executeTakeFirst();
}

async function refuseTooMany(tx: StoreTransaction, organizationId: string): Promise<void> {
  const { total } = await tx
    .db<IdentityTables>()
    .selectFrom('roles')
    .select((role) => role.fn.countAll<number>().as('total'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  if (total >= MAX_ROLES)
    throw new ToolError('conflict', `An organization has at most ${MAX_ROLES} roles. Delete one first.`);
}
