/** Statuses: how far a post is. There is always exactly one that new posts get. */
import { typeId } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { defineRows } from '@parley/store';
import { sql } from 'kysely';
import type { Actor } from '../../actor.ts';
import { RuleBroken } from '../../faults.ts';
import type { FeedbackTables } from '../../schema.ts';
import { isoOf } from '../../shapes/fields.ts';
import type { CreateStatus, PatchStatus, Status } from '../../shapes/nouns.ts';
import { CATEGORIES } from '../../shapes/nouns.ts';
import { holdOrganization } from '../hold.ts';
import type { CheckCurrent } from '../posts/posts.ts';
import type { Base } from '../write.ts';
import { change } from '../write.ts';
import type { NounScope } from './noun-table.ts';
import { nextPosition, NounTable } from './noun-table.ts';
import { deleteStatus } from './status-delete.ts';

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

const STATUSES = defineRows<Status, NounScope>({
  table: 'feedback_statuses',
  scope: { organizationId: 'organization_id' },
  unique: ['organization_id', 'slug'],
  order: [
    sql`case item.category when ${sql.lit(CATEGORIES[0])} then 0 when ${sql.lit(CATEGORIES[1])} then 1 else 2 end`,
    { field: ['position'] },
  ],
  fields: {
    id: { kind: 'text' },
    name: { kind: 'text' },
    slug: { kind: 'text' },
    color: { kind: 'text' },
    category: { kind: 'text' },
    position: { kind: 'number' },
    showOnRoadmap: { kind: 'boolean', column: 'show_on_roadmap' },
    isDefault: { kind: 'boolean', column: 'is_default' },
    createdAt: { kind: 'time', column: 'created_at' },
  },
});

export function createStatuses(base: Base): StatusService {
  const statuses = new NounTable(base, {
    noun: 'status',
    title: 'Status',
    rows: STATUSES,
    slug: { noun: 'status', joint: '_', maxLength: 50 },
    touches: ['statuses'],
    hold: holdOrganization,
  });
  return {
    async list(actor) {
      return statuses.list(actor);
    },
    async get(actor, id) {
      return statuses.get(actor, id);
    },
    async create(actor, { slug, category = 'active', showOnRoadmap = false, isDefault = false, ...input }) {
      return statuses.create(actor, slug, async ({ tx, now }) => {
        if (isDefault) await clearDefault(tx, actor.organizationId);
        const among = { field: 'category', value: category };
        return {
          id: typeId('status', now),
          name: input.name,
          color: input.color,
          category,
          position: input.position ?? (await nextPosition(statuses.in(tx, actor), among)),
          showOnRoadmap,
          isDefault,
          createdAt: isoOf(now),
        };
      });
    },
    async update(actor, text, { name, color, position, showOnRoadmap, isDefault }, check) {
      return statuses.update(actor, text, check, async (before, { tx }) => {
        if (isDefault === false && before.isDefault)
          throw new RuleBroken('New posts need a default status. Make another status the default instead.');
        if (isDefault === true) await clearDefault(tx, actor.organizationId);
        return { name, color, position, showOnRoadmap, isDefault: isDefault === true ? true : undefined };
      });
    },
    async delete(actor, text, check) {
      const id = await statuses.idOf(actor, text);
      return change(base, actor, (current) =>
        deleteStatus(current, id, async () => check?.(await statuses.require(current.tx, actor, id))),
      );
    },
  };
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
