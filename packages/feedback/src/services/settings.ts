/** Settings: whether the public pages are on. */
import type { Actor } from '../actor.ts';
import { requireAdmin } from '../actor.ts';
import type { FeedbackTables } from '../schema.ts';
import type { Base } from './write.ts';
import { change } from './write.ts';

/** The settings of an organization. */
export interface Settings {
  /** True when everybody may read what is public. */
  readonly isPublished: boolean;
}

/** What can be done with settings. */
export interface SettingsService {
  /** For whoever serves the organization; nothing is published before an administrator says so. */
  get(organizationId: string): Promise<Settings>;
  publish(actor: Actor, isPublished: boolean): Promise<Settings>;
}

/** Creates the service. */
export function createSettings(
  base: Base,
  setUp: (organizationId: string) => Promise<void>,
): SettingsService {
  return {
    async get(organizationId) {
      const row = await base.store
        .db<FeedbackTables>()
        .selectFrom('feedback_settings')
        .select('is_published')
        .where('organization_id', '=', organizationId)
        .executeTakeFirst();
      return { isPublished: row?.is_published === 1 };
    },
    async publish(actor, isPublished) {
      requireAdmin(actor);
      await setUp(actor.organizationId);
      await change(base, actor, async ({ tx, touch }) => {
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
