/** Publication of changelog entries: announced once, in time, by a durable task when the time lies ahead. */
import { systemCaller } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import type { Ending, Kind } from '@parley/tasks';
import type { FeedbackTables } from '../../schema.ts';
import type { NamedEntry } from './rows.ts';
import { entryOf, findEntry, isPublished } from './rows.ts';
import { hold } from '../hold.ts';
import type { Base, Change } from '../write.ts';
import { changedTopic } from '../write.ts';

const KIND = 'feedback.publish-changelog';

// Nobody reads the result; the engine keeps it as short as it can.
const TTL_MS = 1;

// An entry may be larger than what an event can carry.
const MAX_EVENT_CONTENT = 10_000;

const RETRY = { attempts: 50 };

interface PublishInput {
  readonly organizationId: string;
  readonly changelogId: string;
  /** The time that it was scheduled for. */
  readonly publishedAt: number;
}

/** What follows from the times of entries. */
export interface ChangelogPublication {
  /**
   * Announces an entry that is published now, and schedules one whose time has moved ahead. Comes last in the change;
   * the entry is held. An entry that is taken back may be announced again when it is published again.
   */
  follow(current: Change, row: NamedEntry, publishedAtBefore: number | null): Promise<void>;
}

/** Creates the publication and registers its task. */
export function createPublication(base: Base): ChangelogPublication {
  base.tasks.register(publishKind(base));
  return {
    async follow({ tx, now }, row, publishedAtBefore) {
      if (isPublished(row, now)) return announce(base, tx, row, now);
      if (row.announced_at !== null) await setAnnounced(tx, row, null);
      // Tasks for times that are no longer meant find nothing to do.
      if (row.published_at !== null && row.published_at !== publishedAtBefore)
        await schedule(base, tx, row, row.published_at);
    },
  };
}

async function schedule(
  { tasks }: Base,
  tx: StoreTransaction,
  row: NamedEntry,
  publishedAt: number,
): Promise<void> {
  const { organization_id: organizationId, id: changelogId } = row;
  const input: PublishInput = { organizationId, changelogId, publishedAt };
  await tasks.enqueueIn(tx, {
    kind: KIND,
    input,
    caller: systemCaller('system_feedback', 'Feedback', organizationId),
    capabilities: {},
    runAt: publishedAt,
    ttlMs: TTL_MS,
  });
}

/** The code of the task: looks again, and announces what is due. */
function publishKind(base: Base): Kind {
  return {
    kind: KIND,
    version: 1,
    async run(input, { io }): Promise<Ending> {
      // Written by us when it was scheduled.
      const due = input as PublishInput;
      await io.step('announce', () => announceDue(base, due), { retry: RETRY });
      return { outcome: 'completed', result: null };
    },
  };
}

function announceDue(base: Base, { organizationId, changelogId, publishedAt }: PublishInput): Promise<void> {
  return base.store.transaction(async (tx) => {
    await hold({ tx, actor: { organizationId } }, 'feedback_changelog', changelogId);
    const row = await findEntry(tx, organizationId, changelogId);
    // The engine has said that its time has come, even if the clock was set back since.
    const now = Math.max(base.now(), publishedAt);
    if (row === undefined || !isPublished(row, now)) return;
    await tx.signal(changedTopic('changelog'), organizationId);
    await announce(base, tx, row, now);
  });
}

async function announce({ events }: Base, tx: StoreTransaction, row: NamedEntry, now: number): Promise<void> {
  if (row.announced_at !== null) return;
  const { organization_id: organizationId, id } = row;
  await setAnnounced(tx, row, now);
  const entry = await entryOf(tx, row, now);
  await events.publish(tx, {
    organizationId,
    source: `${organizationId}_self`,
    type: 'changelog.published',
    subject: id,
    orderKey: id,
    time: now,
    data: { changelog: { ...entry, content: entry.content.slice(0, MAX_EVENT_CONTENT) } },
  });
}

async function setAnnounced(
  tx: StoreTransaction,
  { organization_id, id }: NamedEntry,
  announcedAt: number | null,
): Promise<void> {
  await tx
    .db<FeedbackTables>()
    .updateTable('feedback_changelog')
    .set({ announced_at: announcedAt })
    .where('organization_id', '=', organization_id)
    .where('id', '=', id)
    .execute();
}
