/** Exports everything of an organization as JSON Lines, in an order that an import can read in one pass. */
import type { Queryable } from '@parley/store';
import { sql } from 'kysely';
import type { Actor } from '../actor.ts';
import type { FeedbackTables } from '../schema.ts';
import { allow } from '../services/guard.ts';
import type { FeedbackServices } from '../services/index.ts';
import { isoOf } from '../shapes/fields.ts';
import type { RecordName } from './archive-records.ts';
import { ARCHIVE_VERSION, END_KIND, HEAD_KIND, lineOf, recordKind } from './archive-records.ts';
import type { PeopleLines } from './export-people.ts';
import { createPeopleLines } from './export-people.ts';
import { partsOf } from './write-posts.ts';

/** Takes the text of an export, piece by piece. */
export type WriteText = (text: string) => Promise<void>;

/** How much was exported. */
export interface ExportReport {
  readonly lines: number;
  readonly posts: number;
}

type Row = Readonly<Record<string, unknown>>;
type Named = readonly [RecordName, Row];

const PAGE_POSTS = 50;

/** Writes the archive; what belongs to a post is read together with it. */
export async function exportArchive(
  { store, now }: Pick<FeedbackServices, 'store' | 'now'>,
  actor: Actor,
  write: WriteText,
): Promise<ExportReport> {
  allow('admin', actor);
  const { organizationId } = actor;
  const people = createPeopleLines(organizationId);
  const sums = { lines: 0, posts: 0 };
  const put = async (lines: readonly object[]) => {
    sums.lines += lines.length;
    if (lines.length > 0) await write(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  };
  await put([{ kind: HEAD_KIND, version: ARCHIVE_VERSION, exportedAt: isoOf(now()) }]);
  const known = new Set<string>();
  await put(await store.snapshot((tx) => readNouns(tx, organizationId, known)));
  for (let after = ''; ;) {
    const page = await store.snapshot((tx) => readPosts(tx, organizationId, { after, people, known }));
    await put(page.lines);
    sums.posts += page.posts;
    if (page.last === undefined) break;
    after = page.last;
  }
  await put(await store.snapshot((tx) => readPlans(tx, organizationId, { people, known })));
  await put([{ kind: END_KIND, lines: sums.lines }]);
  return sums;
}

/** What posts refer to, as far as it is not in the file yet. */
async function readNouns(from: Queryable, organizationId: string, known: Set<string>): Promise<object[]> {
  const lines: object[] = [];
  for (const name of ['status', 'board', 'tag'] as const) {
    const rows = await rowsOf(from, organizationId, name);
    for (const row of rows) {
      const id = String(row.id);
      if (!known.has(id)) lines.push(lineOf(name, row));
      known.add(id);
    }
  }
  return lines;
}

interface PostPage {
  readonly lines: object[];
  readonly posts: number;
  /** The last post of a page after which there may be more. */
  readonly last: string | undefined;
}

async function readPosts(
  tx: Queryable,
  organizationId: string,
  { after, people, known }: { after: string; people: PeopleLines; known: Set<string> },
): Promise<PostPage> {
  const posts = await tx
    .db<FeedbackTables>()
    .selectFrom('feedback_posts')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(PAGE_POSTS)
    .execute();
  const ids = posts.map(({ id }) => id);
  for (const id of ids) known.add(id);
  const talk = ids.length === 0 ? [] : await readTalk(tx, organizationId, ids);
  const tags = await idLists(tx, organizationId, ids);
  const nouns = [...posts.flatMap((post) => [post.board_id, post.status_id]), ...[...tags.values()].flat()];
  const hasNew = nouns.some((id) => !known.has(id));
  const named: Named[] = [...posts.map((post): Named => ['post', post]), ...talk];
  const lines: object[] = [
    ...(hasNew ? await readNouns(tx, organizationId, known) : []),
    ...(await people.before(tx, named)),
    ...posts.map((post) => ({ ...lineOf('post', post), tagIds: tags.get(post.id) ?? [] })),
    ...talk.map(([name, row]) => lineOf(name, row)),
  ];
  return { lines, posts: posts.length, last: posts.length < PAGE_POSTS ? undefined : ids.at(-1) };
}

/** Comments, reactions, votes, subscriptions and activity of some posts. */
async function readTalk(tx: Queryable, organizationId: string, postIds: readonly string[]): Promise<Named[]> {
  const named: Named[] = [];
  const comments = await rowsOf(tx, organizationId, 'comment', { column: 'post_id', ids: postIds });
  named.push(...comments.map((row): Named => ['comment', row]));
  for (const ids of partsOf(comments.map(({ id }) => String(id)))) {
    const reactions = await rowsOf(tx, organizationId, 'reaction', { column: 'comment_id', ids });
    named.push(...reactions.map((row): Named => ['reaction', row]));
  }
  for (const name of ['vote', 'subscription', 'activity'] as const) {
    const rows = await rowsOf(tx, organizationId, name, { column: 'post_id', ids: postIds });
    named.push(...rows.map((row): Named => [name, row]));
  }
  return named;
}

/** What is told about posts, the other people, and the settings last: nothing is public before all is there. */
async function readPlans(
  tx: Queryable,
  organizationId: string,
  { people, known }: { people: PeopleLines; known: ReadonlySet<string> },
): Promise<object[]> {
  const roadmaps = await rowsOf(tx, organizationId, 'roadmap');
  const places = await rowsOf(tx, organizationId, 'roadmapPost');
  const entries = await rowsOf(tx, organizationId, 'changelog');
  const links = await linkedPosts(tx, organizationId);
  const settings = await rowsOf(tx, organizationId, 'settings');
  // A post that came after its page was read is in the next export.
  const isThere = (postId: unknown) => known.has(String(postId));
  return [
    ...(await people.before(
      tx,
      entries.map((row): Named => ['changelog', row]),
    )),
    ...roadmaps.map((row) => lineOf('roadmap', row)),
    ...places.filter(({ post_id }) => isThere(post_id)).map((row) => lineOf('roadmapPost', row)),
    ...entries.map((row) => ({
      ...lineOf('changelog', row),
      linkedPostIds: (links.get(String(row.id)) ?? []).filter(isThere),
    })),
    ...(await people.rest(tx)),
    ...settings.map((row) => lineOf('settings', row)),
  ];
}

/** All rows of a kind, or those that belong to some others, in a fixed order. */
async function rowsOf(
  from: Queryable,
  organizationId: string,
  name: RecordName,
  of?: { readonly column: string; readonly ids: readonly string[] },
): Promise<Row[]> {
  const { table, columns } = recordKind(name);
  const order = 'id' in columns ? ['created_at', 'id'] : 'position' in columns ? ['position', 'post_id'] : [];
  const condition = of === undefined ? sql`` : sql` and ${sql.ref(of.column)} in (${sql.join(of.ids)})`;
  const by = order.length === 0 ? sql`` : sql` order by ${sql.join(order.map((column) => sql.ref(column)))}`;
  const { rows } = await sql<Row>`select * from ${sql.table(table)}
    where organization_id = ${organizationId}${condition}${by}`.execute(from.db());
  return rows;
}

async function idLists(
  from: Queryable,
  organizationId: string,
  postIds: readonly string[],
): Promise<Map<string, string[]>> {
  const lists = new Map<string, string[]>();
  if (postIds.length === 0) return lists;
  const rows = await from
    .db<FeedbackTables>()
    .selectFrom('feedback_post_tags')
    .select(['post_id', 'tag_id'])
    .where('organization_id', '=', organizationId)
    .where('post_id', 'in', postIds)
    .orderBy('tag_id')
    .execute();
  for (const { post_id, tag_id } of rows) lists.set(post_id, [...(lists.get(post_id) ?? []), tag_id]);
  return lists;
}

async function linkedPosts(from: Queryable, organizationId: string): Promise<Map<string, string[]>> {
  const lists = new Map<string, string[]>();
  const rows = await from
    .db<FeedbackTables>()
    .selectFrom('feedback_changelog_posts')
    .select(['changelog_id', 'post_id'])
    .where('organization_id', '=', organizationId)
    .orderBy('position')
    .execute();
  for (const { changelog_id: id, post_id } of rows) lists.set(id, [...(lists.get(id) ?? []), post_id]);
  return lists;
}
