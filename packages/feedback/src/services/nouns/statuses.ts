/** Statuses: how far a post is. There is always exactly one that new posts get. */
import { typeId } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { sql } from 'kysely';
import type { Actor } from '../../actor.ts';
import { requireAdmin, requireTeam } from '../../actor.ts';
import { notFound, RuleBroken } from '../../faults.ts';
import type { FeedbackTables, StatusRow } from '../../schema.ts';
import { isoOf } from '../../shapes/fields.ts';
import type { CreateStatus, PatchStatus, Status } from '../../shapes/nouns.ts';
import { CATEGORIES } from '../../shapes/nouns.ts';
import { holdOrganization } from '../hold.ts';
import { idOf } from '../names.ts';
import type { CheckCurrent } from '../posts/posts.ts';
import type { SlugForm } from '../slugs.ts';
import { insertWithSlug } from '../slugs.ts';
import { deleteStatus } from './status-delete.ts';
import type { Base, Change } from '../write.ts';
import { change } from '../write.ts';

/** What can be done with statuses; the team reads, administrators write. */
export interface StatusService {
  /** All statuses: active, complete, closed, and by position among those. */
  list(actor: Actor): Promise<Status[]>;
  get(actor: Actor, id: string): Promise<Status>;
  create(actor: Actor, input: CreateStatus): Promise<Status>;
  /** A new default takes the place of the old one. */
  update(actor: Actor, id: string, patch: PatchStatus, check?: CheckCurrent<Status>): Promise<Status>;
  /** Neither the default nor one that a post has. */
  delete(actor: Actor, id: string, check?: CheckCurrent<Status>): Promise<void>;
}

const FORM: SlugForm = { noun: 'status', joint: '_', maxLength: 50 };
const LAST_POSITION = 2 ** 31 - 1;

/** Creates the service. */
export function createStatuses(base: Base): StatusService {
  return {
    async list(actor) {
      requireTeam(actor);
      return (await selectStatuses(base.store, actor).execute()).map(toStatus);
    },
    async get(actor, id) {
      requireTeam(actor);
      return toStatus(
        await requireRow(base.store, actor, await idOf(base.store, actor.organizationId, 'status', id)),
      );
    },
    async create(actor, input) {
      requireAdmin(actor);
      return change(base, actor, async (current) => {
        await holdOrganization(current);
        return insertStatus(current, input);
      });
    },
    async update(actor, text, patch, check) {
      requireAdmin(actor);
      const id = await idOf(base.store, actor.organizationId, 'status', text);
      return change(base, actor, async (current) => {
        await holdOrganization(current);
        const before = await requireRow(current.tx, actor, id);
        check?.(toStatus(before));
        return updateStatus(current, before, patch);
      });
    },
    async delete(actor, text, check) {
      requireAdmin(actor);
      const id = await idOf(base.store, actor.organizationId, 'status', text);
      const look = async ({ tx }: Change) => check?.(toStatus(await requireRow(tx, actor, id)));
      return change(base, actor, (current) => deleteStatus(current, id, look));
    },
  };
}

async function insertStatus({ tx, now, actor, touch }: Change, input: CreateStatus): Promise<Status> {
  const { organizationId } = actor;
  const db = tx.db<FeedbackTables>();
  const category = input.category ?? 'active';
  if (input.isDefault === true) await clearDefault(tx, organizationId);
  const row = {
    organization_id: organizationId,
    id: typeId('status', now),
    name: input.name,
    color: input.color,
    category,
    position: input.position ?? (await nextPosition(tx, organizationId, category)),
    show_on_roadmap: input.showOnRoadmap === true ? 1 : 0,
    is_default: input.isDefault === true ? 1 : 0,
    created_at: now,
  };
  await insertWithSlug({
    form: FORM,
    name: input.name,
    given: input.slug,
    async taken() {
      const rows = await selectStatuses(tx, actor).execute();
      return rows.map(({ slug }) => slug);
    },
    async insert(slug) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('feedback_statuses')
        .values({ ...row, slug })
        .onConflict((conflict) => conflict.columns(['organization_id', 'slug']).doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },
  });
  await touch('statuses');
  return toStatus(await requireRow(tx, actor, row.id));
}

async function updateStatus(
  { tx, actor, touch }: Change,
  before: StatusRow,
  { name, color, position, showOnRoadmap, isDefault }: PatchStatus,
): Promise<Status> {
  if (isDefault === false && before.is_default === 1)
    throw new RuleBroken('New posts need a default status. Make another status the default instead.');
  if (isDefault === true) await clearDefault(tx, actor.organizationId);
  await tx
    .db<FeedbackTables>()
    .updateTable('feedback_statuses')
    .set({
      name: name ?? before.name,
      color: color ?? before.color,
      position: position ?? before.position,
      ...(showOnRoadmap !== undefined && { show_on_roadmap: showOnRoadmap ? 1 : 0 }),
      ...(isDefault === true && { is_default: 1 }),
    })
    .where('organization_id', '=', actor.organizationId)
    .where('id', '=', before.id)
    .execute();
  await touch('statuses');
  return toStatus(await requireRow(tx, actor, before.id));
}

/** Comes before the new default is marked: at no moment may two be. */
async function clearDefault(tx: StoreTransaction, organizationId: string): Promise<void> {
  await tx
    .db<FeedbackTables>()
    .updateTable('feedback_statuses')
    .set({ is_default: 0 })
    .where('organization_id', '=', organizationId)
    .where('is_default', '=', 1)
    .execute();
}

async function nextPosition(
  tx: StoreTransaction,
  organizationId: string,
  category: StatusRow['category'],
): Promise<number> {
  const last = await tx
    .db<FeedbackTables>()
    .selectFrom('feedback_statuses')
    .select(({ fn }) => fn.max('position').as('position'))
    .where('organization_id', '=', organizationId)
    .where('category', '=', category)
    .executeTakeFirst();
  return Math.min((last?.position ?? -1) + 1, LAST_POSITION);
}

const inOrder = sql<number>`case category when ${sql.lit(CATEGORIES[0])} then 0 when ${sql.lit(CATEGORIES[1])} then 1 else 2 end`;

function selectStatuses(from: Queryable, { organizationId }: Pick<Actor, 'organizationId'>) {
  return from
    .db<FeedbackTables>()
    .selectFrom('feedback_statuses')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy(inOrder)
    .orderBy('position')
    .orderBy('id');
}

async function requireRow(from: Queryable, actor: Actor, id: string): Promise<StatusRow> {
  const row = await selectStatuses(from, actor).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('Status');
  return row;
}

function toStatus(row: StatusRow): Status {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    color: row.color,
    category: row.category,
    position: row.position,
    showOnRoadmap: row.show_on_roadmap === 1,
    isDefault: row.is_default === 1,
    createdAt: isoOf(row.created_at),
  };
}
