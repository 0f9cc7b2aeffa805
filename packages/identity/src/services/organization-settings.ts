/** The settings of an organization: what its console shows beside the usual. */
import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '@parley/kit';
import { ToolError } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import type { IdentityTables, OrganizationSettingsRow } from '../schema.ts';
import { writeAudit } from './audit.ts';
import { lockOrganization } from './members.ts';

/** One more line of the sidebar. */
export interface SidebarItem {
  readonly title: string;
  /** A path of this server, or an https address. */
  readonly url: string;
  readonly icon: string;
}

/** The settings; null means that nobody chose. */
export interface OrganizationSettings {
  readonly organizationId: string;
  readonly sidebarItems: readonly SidebarItem[] | null;
  readonly enabledPlugins: readonly string[] | null;
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
}

/** What shall be different; absent stays as it is. */
export interface SettingsChange {
  readonly sidebarItems?: readonly SidebarItem[] | null | undefined;
  readonly enabledPlugins?: readonly string[] | null | undefined;
}

const MAX_ITEMS = 100;

/** The settings of an organization, also where none were saved. */
export async function getSettings(from: Queryable, organizationId: string): Promise<OrganizationSettings> {
  const row = await findRow(from, organizationId);
  return {
    organizationId,
    sidebarItems: listOf<SidebarItem>(row?.sidebar_items),
    enabledPlugins: listOf<string>(row?.enabled_plugins),
    createdAt: row?.created_at ?? null,
    updatedAt: row?.updated_at ?? null,
  };
}

function findRow(from: Queryable, organizationId: string): Promise<OrganizationSettingsRow | undefined> {
  return from
    .db<IdentityTables>()
    .selectFrom('organization_settings')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
}

/** Saves the settings of the caller's organization; what is so already is not written again. */
export async function saveSettings(
  tx: StoreTransaction,
  by: Caller,
  { sidebarItems, enabledPlugins }: SettingsChange,
  now: number,
): Promise<OrganizationSettings> {
  const { organizationId } = by;
  if ((sidebarItems?.length ?? 0) > MAX_ITEMS || (enabledPlugins?.length ?? 0) > MAX_ITEMS)
    throw new ToolError('invalid', `sidebar_items and enabled_plugins have at most ${MAX_ITEMS} items`);
  for (const [index, { url }] of (sidebarItems ?? []).entries()) {
    if (!isSafeAddress(url))
      throw new ToolError(
        'invalid',
        `sidebar_items.${index}.url: must be a path like /feedback, or begin with https://`,
      );
  }
  await lockOrganization(tx, organizationId);
  const next: Partial<OrganizationSettingsRow> = {
    ...(sidebarItems !== undefined && { sidebar_items: sidebarItems && toJson(sidebarItems) }),
    ...(enabledPlugins !== undefined && { enabled_plugins: enabledPlugins && toJson(enabledPlugins) }),
  };
  const before = await findRow(tx, organizationId);
  if (before !== undefined && isDeepStrictEqual({ ...before, ...next }, before))
    return getSettings(tx, organizationId);
  await tx
    .db<IdentityTables>()
    .insertInto('organization_settings')
    .values({
      organization_id: organizationId,
      sidebar_items: null,
      enabled_plugins: null,
      created_at: now,
      updated_at: now,
      ...next,
    })
    .onConflict((conflict) => conflict.column('organization_id').doUpdateSet({ ...next, updated_at: now }))
    .execute();
  const entry = { caller: by, action: 'settings.updated', target: organizationId };
  await writeAudit(tx, { ...entry, changed: { fields: Object.keys(next) } }, { now });
  return getSettings(tx, organizationId);
}

// Two slashes, or a backslash that browsers read as one, begin the address of another site.
function isSafeAddress(url: string): boolean {
  if (/^\/(?![/\\])/.test(url)) return !/[\s\\]/.test(url);
  return url.startsWith('https://') && URL.canParse(url);
}

function listOf<Item>(text: string | null | undefined): readonly Item[] | null {
  return text === null || text === undefined ? null : fromJson<Item[]>(text);
}
