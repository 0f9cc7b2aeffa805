/** Settings: whether the public pages are on. */
import type { Queryable } from '@parley/store';
import type { Actor } from '../../actor.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { Settings } from '../../shapes/inbox.ts';
import type { CheckCurrent } from '../posts/posts.ts';
import { holdOrganization } from '../hold.ts';
import type { Base } from '../write.ts';
import { change } from '../write.ts';

export interface SettingsService {
  /** For the code that serves the organization; nothing is published before an administrator says so. */
  get(organizationId: string): Promise<Settings>;
  publish(actor: Actor, isPublished: boolean, check?: CheckCurrent<Settings>): Promise<Settings>;
}

export function createSettings(
  base: Base,
  setUp: (organizationId: string) => Promise<void>,
): SettingsService {
  return {
    get: (organizationId) => loadSettings(base.store, organizationId),
    async publish(actor, isPublished, check) {
      await setUp(actor.organizationId);
      await change(base, actor, async (current) => {
        const { tx, touch } = current;
        await holdOrganization(current);
        check?.(await loadSettings(tx, actor.organizationId));
        await tx
          .db<FeedbackTables>()
          .updateTable('feedback_settings')
          .set({ is_published: isPublished ? 1 : 0 })
          .where('organization_id', '=', actor.organizationId)
          .execute();
        await touch('boards');
      });
      return { isPublished };
    },
  };
}

async function loadSettings(from: Queryable, organizationId: string): Promise<Settings> {
  const row = await from
    .db<FeedbackTables>()
    .selectFrom('feedback_settings')
    .select('is_published')
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  return { isPublished: row?.is_published === 1 };
}
