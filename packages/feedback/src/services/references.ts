/** What an input refers to, by id, slug or name: it must be there in the organization. */
import type { Identity } from '@parley/identity';
import type { Lockable } from '@parley/store';
import { notFound, RuleBroken } from '../faults.ts';
import type { FeedbackTables } from '../schema.ts';
import { idOf, unknownNoun } from './names.ts';
import { memberIdOf } from './people/people-names.ts';
import type { Change } from './write.ts';

/** The part of a change that looking something up needs. */
type Looking = Pick<Change, 'tx' | 'actor'>;

/** What is referred to must not go away before the transaction ends. */
function held<Query extends Lockable>({ tx }: Looking, query: Query): Query {
  return tx.locked(query, { to: 'refer' });
}

/** A board that is there. */
export async function requireBoard(looking: Looking, text: string): Promise<string> {
  const { tx, actor } = looking;
  const query = tx
    .db<FeedbackTables>()
    .selectFrom('feedback_boards')
    .select('id')
    .where('organization_id', '=', actor.organizationId)
    .where('id', '=', await idOf(tx, actor, 'board', text))
    .where('deleted_at', 'is', null);
  const row = await held(looking, query).executeTakeFirst();
  if (row === undefined) throw await unknownNoun(tx, actor, 'board');
  return row.id;
}

/** A status that is there, with its name. */
export async function requireStatus(looking: Looking, text: string): Promise<{ id: string; slug: string }> {
  const { tx, actor } = looking;
  const query = tx
    .db<FeedbackTables>()
    .selectFrom('feedback_statuses')
    .select(['id', 'slug'])
    .where('organization_id', '=', actor.organizationId)
    .where('id', '=', await idOf(tx, actor, 'status', text));
  const row = await held(looking, query).executeTakeFirst();
  if (row === undefined) throw await unknownNoun(tx, actor, 'status');
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
export async function requireTags(looking: Looking, texts: readonly string[]): Promise<string[]> {
  const { tx, actor } = looking;
  const given = new Set<string>();
  for (const text of texts) given.add(await idOf(tx, actor, 'tag', text));
  const wanted = [...given];
  if (wanted.length === 0) return [];
  const query = tx
    .db<FeedbackTables>()
    .selectFrom('feedback_tags')
    .select('id')
    .where('organization_id', '=', actor.organizationId)
    .where('id', 'in', wanted);
  const found = await held(looking, query).execute();
  if (found.length !== wanted.length) throw await unknownNoun(tx, actor, 'tag');
  return wanted;
}

/** A member of the team, as identity writes its id. */
export async function requireTeamMember(identity: Identity, looking: Looking, text: string): Promise<string> {
  const { organizationId } = looking.actor;
  const memberId = await memberIdOf(looking.tx, looking.actor, text);
  const member = await identity.getMember(organizationId, memberId);
  if (member === undefined) throw notFound('Member');
  if (member.rank === 'user') throw new RuleBroken('The owner of a post must be a team member.');
  return member.id;
}
