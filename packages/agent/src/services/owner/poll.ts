/** Looking for answers on channels that carry them: each 15 s while a question is open, by one process at a time. */
import type { Queryable, StoreTransaction } from '@parley/store';
import type { Kind } from '@parley/tasks';
import { codeOf } from '../../adapters/channels/words.ts';
import { takeReply } from './answers.ts';
import { configOf, openChannel } from './channels.ts';
import { errorOf, ownerTask } from './owner-task.ts';
import type { OwnerParts } from './parts.ts';
import type { OwnerTables } from './schema.ts';

const POLL_KIND = 'agent.owner.poll';
const EVERY_MS = 15_000;
// Ends before the next look begins, so that no two look at the same place.
const TIMEOUT_MS = 12_000;

interface Place {
  readonly organizationId: string;
  readonly pollKey: string;
}

interface PollInput extends Place {
  readonly cursor?: number | undefined;
}

/** Makes sure that somebody looks at this place within 15 s: all who ask for it agree on one time, and so on one task. */
export async function wakePoll(
  { tasks, now }: Pick<OwnerParts, 'tasks' | 'now'>,
  tx: StoreTransaction,
  input: PollInput,
): Promise<void> {
  const runAt = (Math.floor(now() / EVERY_MS) + 1) * EVERY_MS;
  await tasks.enqueueIn(
    tx,
    ownerTask(input.organizationId, POLL_KIND, input, `${input.pollKey}:${runAt}`, runAt),
  );
}

/** The code of these tasks: the lease of the task is what keeps other processes from looking too. */
export function pollKind(parts: OwnerParts): Kind {
  return {
    kind: POLL_KIND,
    version: 1,
    isSystem: true,
    async run(input, { signal }) {
      // Written by us when the task was made.
      const place = input as PollInput;
      const cursor = await look(parts, place, signal);
      await parts.store.transaction(async (tx) => {
        if ((await openAt(parts, tx, place)).length > 0) await wakePoll(parts, tx, { ...place, cursor });
      });
      return { outcome: 'completed', result: null };
    },
  };
}

/** Looks once; returns where to go on. */
async function look(parts: OwnerParts, place: PollInput, signal: AbortSignal): Promise<number | undefined> {
  const open = await openAt(parts, parts.store, place);
  const asked = open.flatMap(({ external_ref: ref, question_id }) =>
    ref === null ? [] : [{ ref, code: codeOf(question_id) }],
  );
  const channel = open[0] && (await openChannel(parts.store, open[0].channel_id));
  const { poll } = channel === undefined ? {} : parts.channels[channel.type];
  if (channel === undefined || poll === undefined || asked.length === 0) return place.cursor;
  let error: string | null = null;
  let { cursor } = place;
  try {
    const timed = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const looked = await poll(configOf(parts, channel), asked, cursor, timed);
    ({ cursor } = looked);
    for (const { ref, text, by } of looked.replies) {
      const dispatch = open.find(({ external_ref }) => external_ref === ref);
      if (dispatch !== undefined) await takeReply(parts, dispatch.question_id, { text, by });
    }
  } catch (thrown) {
    error = errorOf(parts, thrown, signal);
  }
  await parts.store
    .db<OwnerTables>()
    .updateTable('owner_question_dispatches')
    .set({ error, updated_at: parts.now() })
    .where('poll_key', '=', place.pollKey)
    .where('status', '=', 'sent')
    .execute();
  return cursor;
}

/** What was, or will be, sent to a place about questions that are open, by channels that are on. */
function openAt({ now }: OwnerParts, from: Queryable, { organizationId, pollKey }: Place) {
  return from
    .db<OwnerTables>()
    .selectFrom('owner_question_dispatches as dispatch')
    .innerJoin('owner_questions as question', 'question.id', 'dispatch.question_id')
    .innerJoin('notification_channels as channel', 'channel.id', 'dispatch.channel_id')
    .select(['dispatch.question_id', 'dispatch.channel_id', 'dispatch.external_ref'])
    .where('dispatch.organization_id', '=', organizationId)
    .where('dispatch.poll_key', '=', pollKey)
    .where('dispatch.status', '!=', 'failed')
    .where('channel.enabled', '=', 1)
    .where('question.status', '=', 'open')
    .where('question.deadline_at', '>', now())
    .orderBy('dispatch.id')
    .execute();
}
