/** Exports the posts that lists show as CSV, in columns that an import understands. */
import type { Actor } from '../actor.ts';
import { allow } from '../services/guard.ts';
import type { FeedbackServices } from '../services/index.ts';
import { POST_COLUMNS, selectPosts, tagsOf } from '../services/posts/rows.ts';
import { isoOf } from '../shapes/fields.ts';
import type { ExportReport, WriteText } from './export-archive.ts';
import { guard } from './formula-guard.ts';

const COLUMNS = [
  'id',
  'title',
  'content',
  'board',
  'status',
  'tags',
  'authorName',
  'authorEmail',
  'voteCount',
  'commentCount',
  'createdAt',
] as const;

const PAGE_POSTS = 500;

/** Writes the file; the oldest post comes first. */
export async function exportPostsCsv(
  { store, statuses }: Pick<FeedbackServices, 'store' | 'statuses'>,
  actor: Actor,
  write: WriteText,
): Promise<ExportReport> {
  allow('admin', actor);
  const { organizationId } = actor;
  const slugs = new Map((await statuses.list(actor)).map(({ id, slug }) => [id, slug]));
  await write(`${COLUMNS.join(',')}\r\n`);
  let posts = 0;
  for (let after: { at: number; id: string } | undefined; ;) {
    const rows = await pageAfter({ store }, organizationId, after);
    const tags = await tagsOf(
      store,
      organizationId,
      rows.map(({ id }) => id),
    );
    const text = rows.map((row) =>
      lineOf({
        id: row.id,
        title: row.title,
        content: row.content,
        board: row.board_slug,
        status: slugs.get(row.status_id) ?? '',
        tags: tagText((tags.get(row.id) ?? []).map(({ name }) => name)),
        authorName: row.author_name ?? '',
        authorEmail: row.author_email ?? '',
        voteCount: String(row.vote_count),
        commentCount: String(row.comment_count),
        createdAt: isoOf(row.created_at),
      }),
    );
    if (text.length > 0) await write(text.join(''));
    posts += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_POSTS) return { lines: posts + 1, posts };
    after = { at: last.created_at, id: last.id };
  }
}

function pageAfter(
  { store }: Pick<FeedbackServices, 'store'>,
  organizationId: string,
  after: { at: number; id: string } | undefined,
) {
  return selectPosts(store)
    .select(POST_COLUMNS)
    .where('post.organization_id', '=', organizationId)
    .where('post.state', '=', 'listed')
    .$if(after !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('post.created_at', 'post.id'), '>', tuple(after?.at ?? 0, after?.id ?? '')),
      ),
    )
    .orderBy('post.created_at')
    .orderBy('post.id')
    .limit(PAGE_POSTS)
    .execute();
}

/** Names with a comma in them are written as a JSON list. */
function tagText(names: readonly string[]): string {
  const isPlain = names.every((name) => !/[,;]/.test(name) && !name.startsWith('['));
  return isPlain ? names.join('; ') : JSON.stringify(names);
}

function lineOf(values: Readonly<Record<(typeof COLUMNS)[number], string>>): string {
  return `${COLUMNS.map((column) => cell(values[column])).join(',')}\r\n`;
}

function cell(value: string): string {
  const text = guard(value);
  return /[",;\r\n\t]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}
