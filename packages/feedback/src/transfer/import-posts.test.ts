/** Imports of posts: what is written, what is told, and that a second run goes on. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@parley/store';
import { afterAll, expect, test } from 'vitest';
import type { FeedbackTables } from '../schema.ts';
import type { TestFeedback } from '../testing/fixture.ts';
import { openFeedback, refusalOf } from '../testing/fixture.ts';
import type { ImportOptions } from './import-posts.ts';
import { importFile } from './import-file.ts';
import type { RowFault } from './report.ts';
import { onBothEngines } from '../testing/engines.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-import-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function file(content: string, ending = 'csv'): string {
  files += 1;
  const path = join(folder, `file-${files}.${ending}`);
  writeFileSync(path, content);
  return path;
}

function run(feedback: TestFeedback, path: string, options: ImportOptions = {}) {
  const importer = { caller: feedback.callers.admin, actor: feedback.admin };
  return importFile(feedback.services, importer, path, options);
}

const TABLES = [
  'feedback_posts',
  'feedback_boards',
  'feedback_tags',
  'feedback_post_tags',
  'feedback_activity',
  'feedback_subscriptions',
  'feedback_import_rows',
  'members',
  'users',
] as const;

async function sizes(store: Store): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const table of TABLES) {
    const { count } = await store
      .db<Record<string, { id: string }>>()
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number | string>().as('count'))
      .executeTakeFirstOrThrow();
    found[table] = Number(count);
  }
  return found;
}

const list = async ({ services, admin }: TestFeedback, filter = {}) =>
  (await services.posts.list(admin, { limit: 100, sort: 'oldest', ...filter })).items;

onBothEngines('an import of posts', (open) => {
  test('two that run at once make a board once, and every row once', async () => {
    const feedback = await openFeedback(await open());
    const rows = Array.from({ length: 60 }, (_, index) => `Row ${index},Later ${index % 6}`);
    const path = file(`title,board\n${rows.join('\n')}\n`);
    await Promise.all([1, 2].map(() => run(feedback, path, { createBoards: true })));
    const made = (await feedback.services.boards.list(feedback.admin)).filter(({ name }) =>
      name.startsWith('Later'),
    );
    expect(made.map(({ slug }) => slug).toSorted()).toEqual(
      Array.from({ length: 6 }, (_, index) => `later-${index}`),
    );
    expect((await list(feedback)).length).toBe(60);
  });

  test('a file of another product keeps its times, categories and votes', async () => {
    const feedback = await openFeedback(await open());
    await feedback.services.boards.create(feedback.admin, { name: 'Feature Requests' });
    const path = file(
      [
        'Title,Details,Board,Status,Category,Tags,Author Name,Created,Vote Count,Image URLs,ETA',
        'Dark mode,At night,Feature Requests,planned,Design,ui,Vera,2024-03-05T10:11:12.000Z,41,,',
        'Export,,Feature Requests,open,,,Vera,2024-03-06,3,,',
        '\u202ETurned,,Feature Requests,open,ui,ui,Vera,2024-03-07 08:00,0,,',
      ].join('\n'),
    );
    const report = await run(feedback, path);
    expect(report).toMatchObject({
      imported: 3,
      failed: 0,
      ignoredColumns: ['Image URLs', 'ETA'],
    });
    const shown = (await list(feedback)).map(({ title, createdAt, tags, voteCount }) => [
      title,
      createdAt,
      tags.map(({ name }) => name),
      voteCount,
    ]);
    expect(shown).toEqual([
      ['Dark mode', '2024-03-05T10:11:12.000Z', ['Design', 'ui'], 41],
      ['Export', '2024-03-06T00:00:00.000Z', [], 3],
      ['Turned', '2024-03-07T08:00:00.000Z', ['ui'], 0],
    ]);
  });

  test('writes rows with board, status, tags, author and time, and creates no event', async () => {
    const feedback = await openFeedback(await open());
    const { services, admin, identity, organizationId } = feedback;
    const board = await services.boards.create(admin, { name: 'Feature requests' });
    await services.tags.create(admin, { name: 'UI' });
    const before = await feedback.published();
    const path = file(
      [
        'title,body,board,status,tags,author_email,author name,created_at,votes',
        'Dark mode,"Please, for ""night"" work",feature-requests,planned,"ui; Mobile",vic.visitor@acme.example,Ignored,2024-01-01,3',
        'Zebra stripes,,Feature Requests,In Progress,mobile,zoe@new.example,Zoe,2024-01-02 10:00:00,',
        `Export,,${board.id},,,ann@new.example,,2024-01-03,`,
        'Print,,feature-requests,,,,Bo,2024-01-04,',
        'Scan,,feature-requests,,,,Bo,2024-01-05,',
        'Mine,,feature-requests,,,,,,',
      ].join('\r\n'),
    );
    const report = await run(feedback, path);
    expect(report).toEqual({
      kind: 'posts',
      isDryRun: false,
      isStopped: false,
      rows: 6,
      imported: 6,
      skipped: 0,
      failed: 0,
      faults: [],
      ignoredColumns: [],
      newBoards: [],
      newTags: ['Mobile'],
    });

    const posts = await list(feedback);
    const statuses = new Map((await services.statuses.list(admin)).map(({ id, slug }) => [id, slug]));
    expect(
      posts.map((post) => [
        post.title,
        statuses.get(post.statusId ?? ''),
        post.tags.map(({ name }) => name),
        post.authorName,
      ]),
    ).toEqual([
      ['Dark mode', 'planned', ['Mobile', 'UI'], 'Vic Visitor'],
      ['Zebra stripes', 'in_progress', ['Mobile'], 'Zoe'],
      ['Export', 'open', [], 'ann'],
      ['Print', 'open', [], 'Bo'],
      ['Scan', 'open', [], 'Bo'],
      ['Mine', 'open', [], 'Ada Admin'],
    ]);
    expect(posts.slice(0, 2).map(({ createdAt, updatedAt }) => [createdAt, updatedAt])).toEqual([
      ['2024-01-01T00:00:00.000Z', '2024-01-01T00:00:00.000Z'],
      ['2024-01-02T10:00:00.000Z', '2024-01-02T10:00:00.000Z'],
    ]);
    expect(posts.map(({ voteCount }) => voteCount)).toEqual([3, 0, 0, 0, 0, 0]);
    expect(posts[0]?.content).toBe('Please, for "night" work');

    const members = await identity.listMembers(organizationId);
    const made = members.filter(({ name }) => ['Zoe', 'ann', 'Bo'].includes(name));
    expect(made.map(({ name, email, rank }) => `${name} ${email} ${rank}`).toSorted()).toEqual([
      'Bo null user',
      'Zoe zoe@new.example user',
      'ann ann@new.example user',
    ]);
    const activity = await services.activity.list(admin, posts[0]?.id ?? '', { limit: 10 });
    expect(activity.items.map(({ action, actorName }) => [action, actorName])).toEqual([
      ['imported', 'Ada Admin'],
    ]);
    expect(await feedback.published()).toEqual(before);
  });

  test('leaves counts, search and filters right', async () => {
    const feedback = await openFeedback(await open());
    const { services, admin } = feedback;
    const rows = Array.from(
      { length: 450 },
      (_, at) => `Idea ${at} about ${at % 3 === 0 ? 'cats' : 'dogs'},${at % 2 === 0 ? 'Even' : 'Odd'}`,
    );
    await run(feedback, file(`title,board\n${rows.join('\n')}\n`), { createBoards: true });
    expect((await services.boards.list(admin)).map(({ slug, postCount }) => [slug, postCount])).toEqual([
      ['even', 225],
      ['odd', 225],
    ]);
    const found = await services.posts.list(admin, { limit: 1, search: 'cat' });
    expect(found.total).toBe(150);
    const [even] = await services.boards.list(admin);
    expect((await services.posts.list(admin, { limit: 1, search: 'cat', boardId: even?.id })).total).toBe(75);
    expect((await services.posts.list(admin, { limit: 1, status: 'open' })).total).toBe(450);
  });

  test('tells of every bad row, imports the good ones, and says the same in a dry run that writes nothing', async () => {
    const store = await open();
    const feedback = await openFeedback(store);
    const { services, admin } = feedback;
    await services.boards.create(admin, { name: 'Same' });
    await services.boards.create(admin, { name: 'Same' });
    await services.boards.create(admin, { name: 'Ideas' });
    const path = file(
      [
        'title,board,status,createdAt,authorEmail,tags',
        'One,ideas,,,new@one.example,fresh',
        ',ideas,,,,',
        'No board,,,,,',
        'Odd board,nowhere,,,,',
        'Two boards,same,,,,',
        'Name of two,SAME,,,,',
        'Bad status,ideas,someday,,,',
        'Bad time,ideas,,tomorrow,,',
        'Short',
        'Two,Ideas,Planned,,,',
      ].join('\n'),
    );
    const expected: RowFault[] = [
      { row: 3, message: 'title: is required' },
      { row: 4, message: 'board: is required: name it in the row, or choose one for such rows (--board)' },
      {
        row: 5,
        message:
          'board: there is no board "nowhere". Create it first, or allow new boards (--create-boards).',
      },
      { row: 8, message: 'status: there is no status "someday".' },
      { row: 9, message: 'createdAt: must be a time between 1970 and now, like 2026-01-31T12:00:00Z' },
      { row: 10, message: 'has 1 values, but there are 6 columns' },
    ];
    const before = await sizes(store);
    const heard: RowFault[] = [];
    const dry = await run(feedback, path, {
      isDryRun: true,
      observer: { fault: (fault) => heard.push(fault) },
    });
    expect(dry).toMatchObject({ isDryRun: true, rows: 10, imported: 4, failed: 6, newTags: ['fresh'] });
    expect(dry.faults).toEqual(expected);
    expect(heard).toEqual(expected);
    expect(await sizes(store)).toEqual(before);

    const real = await run(feedback, path);
    expect(real).toMatchObject({ isDryRun: false, rows: 10, imported: 4, failed: 6 });
    expect(real.faults).toEqual(expected);
    expect((await list(feedback)).map(({ title }) => title).toSorted()).toEqual([
      'Name of two',
      'One',
      'Two',
      'Two boards',
    ]);
  });

  test('takes the board of --board, and makes boards only for rows that are good', async () => {
    const feedback = await openFeedback(await open());
    const { services, admin } = feedback;
    const path = file('title,board\nA,\nB,Fresh ideas\n,Never\n');
    expect(await refusalOf(run(feedback, path, { board: 'inbox' }))).toEqual({
      code: 'invalid',
      message: '--board: there is no board "inbox". Create it first, or allow new boards (--create-boards).',
    });
    const dry = await run(feedback, path, { board: 'Inbox', createBoards: true, isDryRun: true });
    expect(dry.newBoards).toEqual(['Inbox', 'Fresh ideas']);
    expect(await services.boards.list(admin)).toEqual([]);
    await run(feedback, path, { board: 'Inbox', createBoards: true });
    expect((await services.boards.list(admin)).map(({ slug, postCount }) => [slug, postCount])).toEqual([
      ['inbox', 1],
      ['fresh-ideas', 1],
    ]);
    const unknownId = file('title,board\nA,board_01h455vb4pex5vsknk084sn02q\n');
    expect((await run(feedback, unknownId, { createBoards: true })).faults).toEqual([
      {
        row: 2,
        message:
          'board: there is no board "board_01h455vb4pex5vsknk084sn02q". Create it first, or allow new boards (--create-boards).',
      },
    ]);
  });

  test('goes on where it was stopped, and a second run writes nothing twice', async () => {
    const feedback = await openFeedback(await open());
    const rows = Array.from({ length: 1000 }, (_, at) =>
      JSON.stringify({ title: `Post ${at}`, authorName: `Person ${at % 7}` }),
    );
    const path = file(rows.join('\n'), 'jsonl');
    const options = { board: 'Ideas', createBoards: true };
    const stop = new AbortController();
    const first = await run(feedback, path, {
      ...options,
      signal: stop.signal,
      observer: { progress: (done) => done >= 400 && stop.abort() },
    });
    expect(first).toMatchObject({ isStopped: true, imported: 400 });
    const second = await run(feedback, path, options);
    expect(second).toMatchObject({ isStopped: false, rows: 1000, imported: 600, skipped: 400 });
    expect(await run(feedback, path, options)).toMatchObject({ imported: 0, skipped: 1000 });
    expect(await run(feedback, path, { ...options, isDryRun: true })).toMatchObject({
      imported: 0,
      skipped: 1000,
    });
    expect((await feedback.services.posts.list(feedback.admin, { limit: 1 })).total).toBe(1000);
    const people = await feedback.identity.listMembers(feedback.organizationId);
    expect(people.filter(({ name }) => name.startsWith('Person'))).toHaveLength(7);
  });

  test('imports a row that failed once what it named is there', async () => {
    const feedback = await openFeedback(await open());
    const path = file('[{"title":"A","board":"late"},{"title":"B","board":"Late"}]', 'json');
    expect(await run(feedback, path)).toMatchObject({ imported: 0, failed: 2 });
    await feedback.services.boards.create(feedback.admin, { name: 'Late' });
    expect(await run(feedback, path)).toMatchObject({ imported: 2, failed: 0 });
  });

  test('that runs twice at once writes every row once', async () => {
    const feedback = await openFeedback(await open());
    await feedback.services.boards.create(feedback.admin, { name: 'Ideas' });
    const rows = Array.from({ length: 600 }, (_, at) => `Post ${at},tag ${at % 5}`);
    const path = file(`title,tags\n${rows.join('\n')}\n`);
    const both = await Promise.all([
      run(feedback, path, { board: 'ideas' }),
      run(feedback, path, { board: 'ideas' }),
    ]);
    expect(both.reduce((sum, { imported }) => sum + imported, 0)).toBe(600);
    expect((await feedback.services.posts.list(feedback.admin, { limit: 1 })).total).toBe(600);
  });

  test('does not give posts to a visitor who happens to have the name', async () => {
    const feedback = await openFeedback(await open());
    const { identity, organizationId, callers } = feedback;
    const userId = await identity.createUser({ name: 'Sam', email: null });
    const memberId = await identity.addMember(callers.admin, { userId, roles: ['user'] });
    await identity.sessions.open({ organizationId, userId });
    const options = { board: 'Ideas', createBoards: true };
    await run(feedback, file('title,authorName\nA,Sam\n'), options);
    await run(feedback, file('title,authorName\nB,Sam\n'), options);
    const rows = await feedback.store
      .db<FeedbackTables>()
      .selectFrom('feedback_posts')
      .select(['author_member_id'])
      .distinct()
      .execute();
    expect(rows).toHaveLength(1);
    expect(rows[0]?.author_member_id).not.toBe(memberId);
  });

  test('is for administrators', async () => {
    const feedback = await openFeedback(await open());
    const importer = { caller: feedback.callers.member, actor: feedback.member };
    expect(await refusalOf(importFile(feedback.services, importer, file('title\nA\n')))).toEqual({
      code: 'forbidden',
      message: 'Only administrators may do this.',
    });
  });

  test('of a file that is broken near its end writes nothing', async () => {
    const feedback = await openFeedback(await open());
    await feedback.services.boards.create(feedback.admin, { name: 'Ideas' });
    const rows = Array.from({ length: 500 }, (_, at) => `Post ${at}`);
    const path = file(`title\n${rows.join('\n')}\n"open\n`);
    expect(await refusalOf(run(feedback, path, { board: 'ideas' }))).toEqual({
      code: 'invalid',
      message: 'line 502: a quote is opened here and never closed.',
    });
    expect(await list(feedback)).toEqual([]);
    expect((await refusalOf(run(feedback, join(folder, 'absent.csv')))).message).toContain(
      'There is no file',
    );
  });
});
