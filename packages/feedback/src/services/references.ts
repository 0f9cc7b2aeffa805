/** Ids in an input that must name something of the organization. */
import type { Identity } from '@parley/identity';
import { notFound, RuleBroken } from '../faults.ts';
import { checkId, toIdentityId } from '../ids.ts';
import type { FeedbackTables } from '../schema.ts';
import type { Change } from './write.ts';

/** The part of a change that looking something up needs. */
type Looking = Pick<Change, 'tx' | 'engine' | 'actor'>;

// On PostgreSQL what is referred to must not go away before the transaction ends; SQLite has one writer.
function held<Query extends { forShare(): Query }>({ engine }: Looking, query: Query): Query {
  return engine === 'postgres' ? query.forShare() : query;
}

/** A board that is there. */
export async function requireBoard(looking: Looking, id: string): Promise<string> {
  const query = looking.tx
    .db<FeedbackTables>()
    .selectFrom('feedback_boards')
    .select('id')
    .where('organization_id', '=', looking.actor.organizationId)
    .where('id', '=', checkId('board', id))
    .where('deleted_at', 'is', null);
  const row = await held(looking, query).executeTakeFirst();
  if (row === undefined) throw notFound('Board');
  return row.id;
}

/** A status that is there, with its name. */
export async function requireStatus(looking: Looking, id: string): Promise<{ id: string; slug: string }> {
  const query = looking.tx
    .db<FeedbackTables>()
    .selectFrom('feedback_statuses')
    .select(['id', 'slug'])
    .where('organization_id', '=', looking.actor.organizationId)
    .where('id', '=', checkId('status', id));
  const row = await held(looking, query).executeTakeFirst();
  if (row === undefined) throw notFound('Status');
  return row;
}

/** The status of new posts. */
export async function defaultStatusId(looking: Looking): Promise<string> {
  const query = looking.tx
    .db<FeedbackTables>()
    .selectFrom('feedback_statuses')
    .select('id')
    .where('organization_id', '=', looking.actor.organizationId)
    .where('is_default', '=', 1);
  // When the flag moved while we waited for its row, the second look finds where it went.
  const row = (await held(looking, query).executeTakeFirst()) ?? (await query.executeTakeFirst());
  if (row === undefined) throw new RuleBroken('There is no default status. Mark one as the default.');
  return row.id;
}

/** Tags that are there, each once. */
export async function requireTags(looking: Looking, tagIds: readonly string[]): Promise<string[]> {
  const wanted = [...new Set(tagIds.map((id) => checkId('tag', id)))];
  if (wanted.length === 0) return [];
  const query = looking.tx
    .db<FeedbackTables>()
    .selectFrom('feedback_tags')
    .select('id')
    .where('organization_id', '=', looking.actor.organizationId)
    .where('id', 'in', wanted);
  const found = await held(looking, query).execute();
  if (found.length !== wanted.length) throw notFound('Tag');
  return wanted;
}

/** A member of the team, as identity writes its id. */
export async function requireTeamMember(
  identity: Identity,
  organizationId: string,
  id: string,
): Promise<string> {
  const member = await identity.getMember(organizationId, toIdentityId('member', id));
  if (member === undefined) throw notFound('Member');
  if (member.rank === 'user') throw new RuleBroken('The owner of a post must be a team member.');
  return member.id;
}
