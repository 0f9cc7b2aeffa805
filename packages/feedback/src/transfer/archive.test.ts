/** Archives: what goes out comes back as it was, into an empty organization only. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store, StoreEngine } from '@parley/store';
import { openStore } from '@parley/store';
import { scratchDatabase } from '@parley/store/testing';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { FeedbackTables } from '../schema.ts';
import type { TestFeedback } from '../testing/fixture.ts';
import { openFeedback, refusalOf } from '../testing/fixture.ts';
import { exportArchive } from './export-archive.ts';
import { importFile } from './import-file.ts';
import type { ImportOptions } from './import-posts.ts';
import { exportPostsCsv } from './posts-csv.ts';
import { fillFeedback } from './testing/full-organization.ts';
import { onBothEngines } from '../testing/engines.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-archive-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function file(content: string, ending = 'jsonl'): string {
  files += 1;
  const path = join(folder, `file-${files}.${ending}`);
  writeFileSync(path, content);
  return path;
}

/** A clock that starts at the same time and moves on with every look. */
function ticking(): () => number {
  let at = Date.parse('2025-01-01T00:00:00Z');
  return () => (at += 1000);
}

async function another(engine: StoreEngine): Promise<Store> {
  const database = await scratchDatabase(engine);
  const store = await openStore(database.options);
  onTestFinished(async () => {
    await store.close();
    await database.remove();
  });
  return store;
}

async function exported(feedback: TestFeedback): Promise<string> {
  let text = '';
  await exportArchive(feedback.services, feedback.admin, async (piece) => {
    text += piece;
  });
  return text;
}

function run(feedback: TestFeedback, path: string, options: ImportOptions = {}) {
  const importer = { caller: feedback.callers.admin, actor: feedback.admin };
  return importFile(feedback.services, importer, path, options);
}

/** Every answer that the services give, with people named by e-mail, since their ids are the organization's own. */
async function answersOf({ services, identity, admin, visitor, organizationId, store }: TestFeedback) {
  const { posts, comments, votes, activity, boards, statuses, tags, roadmaps, members, changelog, settings } =
    services;
  const labels = new Map<string, string>();
  for (const member of await identity.listMembers(organizationId)) {
    const label = member.email ?? `${member.name} since ${member.createdAt}`;
    labels.set(member.id.replace('mem_', 'member_'), label).set(member.userId, label);
  }
  const rows = await store
    .db<FeedbackTables>()
    .selectFrom('feedback_posts')
    .select(['id'])
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute();
  const perPost = await Promise.all(
    rows.map(async ({ id }) => ({
      detail: await posts.get(admin, id),
      tree: await comments.tree(admin, id),
      seen: await comments.tree(visitor, id).catch(() => 'hidden'),
      voters: await votes.voters(admin, id, { limit: 100 }),
      activity: await activity.list(admin, id, { limit: 100 }),
    })),
  );
  const page = { limit: 100 };
  const allRoadmaps = await roadmaps.list(admin);
  const all = {
    perPost,
    newest: await posts.list(admin, page),
    mostVotes: await posts.list(admin, { ...page, sort: 'votes' }),
    oldest: await posts.list(admin, { ...page, sort: 'oldest', showDeleted: true }),
    found: await posts.list(admin, { ...page, search: 'mode OR export' }),
    boards: await boards.list(admin),
    statuses: await statuses.list(admin),
    tags: await tags.list(admin),
    roadmaps: await Promise.all(
      allRoadmaps.map(async (each) => [each, await roadmaps.posts(admin, each.id, page)]),
    ),
    members: (await members.list(admin, { limit: 100 })).items,
    people: await members.people(admin, { ...page, sort: 'oldest' }),
    changelog: await changelog.list(admin, page),
    settings: await settings.get(organizationId),
  };
  const text = JSON.stringify(all).replaceAll(/"((?:member|user)_[0-9a-z]{26})"/g, (_match, id: string) =>
    JSON.stringify(labels.get(id) ?? id),
  );
  return JSON.parse(text) as typeof all;
}

onBothEngines('an archive', (open, engine) => {
  let made: Promise<{ text: string; mainBoardId: string; postId: string }> | undefined;
  /** An archive whose organization does not matter any more. */
  const someArchive = () =>
    (made ??= (async () => {
      const source = await openFeedback(await another(engine), { now: ticking() });
      const ids = await fillFeedback(source);
      return { ...ids, text: await exported(source) };
    })());

  test('imported into an empty organization gives equal answers: ids, times and authors', async () => {
    const source = await openFeedback(await open(), { now: ticking() });
    await fillFeedback(source);
    const text = await exported(source);
    const target = await openFeedback(await another(engine), { now: ticking() });
    const path = file(text);
    const lines = text.trimEnd().split('\n').length;

    const dry = await run(target, path, { isDryRun: true });
    expect(dry).toMatchObject({
      kind: 'archive',
      isDryRun: true,
      rows: lines - 2,
      imported: lines - 2,
      failed: 0,
    });
    expect((await target.services.posts.list(target.admin, { limit: 1 })).total).toBe(0);

    const report = await run(target, path);
    expect(report).toMatchObject({ kind: 'archive', rows: lines - 2, imported: lines - 2, skipped: 0 });
    const [before, after] = [await answersOf(source), await answersOf(target)];
    expect(after).toEqual(before);
    // The comparison means something only if there is something of everything.
    expect(before.perPost.length).toBeGreaterThan(50);
    expect(before.changelog.items.map(({ state }) => state).toSorted()).toEqual([
      'draft',
      'published',
      'scheduled',
    ]);
    expect(await target.published()).toEqual([]);

    expect(stable(await exported(target))).toEqual(stable(text));
    expect(await run(target, path)).toMatchObject({ imported: 0, skipped: lines - 2 });
    expect(await answersOf(target)).toEqual(before);
  });

  test('goes on where it was stopped', async () => {
    const source = await openFeedback(await open(), { now: ticking() });
    await fillFeedback(source);
    const path = file(await exported(source));
    const target = await openFeedback(await another(engine), { now: ticking() });
    const stop = new AbortController();
    const first = await run(target, path, {
      signal: stop.signal,
      observer: { progress: () => stop.abort() },
    });
    expect(first).toMatchObject({ isStopped: true, imported: 200 });
    const second = await run(target, path);
    expect(second).toMatchObject({ isStopped: false, skipped: 200 });
    expect(await answersOf(target)).toEqual(await answersOf(source));
  });

  test('imported beside its own organization leaves that one alone', async () => {
    const store = await open();
    const source = await openFeedback(store, { now: ticking() });
    await fillFeedback(source);
    const mia = await source.join('member', 'Mia Again');
    const before = await answersOf(source);
    const target = await openFeedback(store, { now: ticking(), slug: 'other' });
    await run(target, file(await exported(source)));
    expect(await answersOf(source)).toEqual(before);
    const after = await answersOf(target);
    expect(after.newest).toEqual(before.newest);
    expect(after.boards).toEqual(before.boards);
    // Whoever has an account there is found by the e-mail, which lets nobody into another team.
    for (const [place, roles] of [
      [source, ['member']],
      [target, ['user']],
    ] as const)
      expect((await target.identity.memberOf(place.organizationId, mia.userId))?.roles).toEqual(roles);
    // Whoever reads is not the same person, so their own reactions differ.
    const details = ({ perPost }: typeof after) =>
      perPost.map(({ detail }) => ({ ...detail, pinnedComment: detail.pinnedComment?.id }));
    expect(details(after)).toEqual(details(before));
  });

  test('works on after the import: search, votes, new posts and the scheduled entry', async () => {
    const { text, mainBoardId, postId } = await someArchive();
    const target = await openFeedback(await open(), { now: ticking() });
    await run(target, file(text));
    const { services, admin } = target;
    const { voteCount } = await services.posts.get(admin, postId);
    const { voted, voteCount: changed } = await services.votes.toggle(admin, postId);
    expect(changed).toBe(voteCount + (voted ? 1 : -1));
    await services.posts.create(admin, { boardId: mainBoardId, title: 'Something new' });
    expect((await services.posts.list(admin, { limit: 1, search: 'something new' })).total).toBe(1);
    const tasks = await target.store
      .db<{ tasks: { kind: string } }>()
      .selectFrom('tasks')
      .select('kind')
      .where('kind', '=', 'feedback.publish-changelog')
      .execute();
    expect(tasks).toHaveLength(1);
  });

  test('is refused by an organization that has something', async () => {
    const path = file((await someArchive()).text);
    const refusal = (what: string) => ({
      code: 'conflict',
      message: `An archive can be imported into an empty organization only, and this one has ${what}. Start with a new data folder.`,
    });
    const target = await openFeedback(await open(), { now: ticking() });
    await target.services.tags.create(target.admin, { name: 'one' });
    expect(await refusalOf(run(target, path))).toEqual(refusal('tags'));
    expect(await refusalOf(run(target, path, { isDryRun: true }))).toEqual(refusal('tags'));
    await target.board();
    expect(await refusalOf(run(target, path))).toEqual(refusal('boards'));
  });

  test('that is damaged is refused with its line, and nothing is written', async () => {
    const lines = (await someArchive()).text.trimEnd().split('\n');
    const target = await openFeedback(await open(), { now: ticking() });
    const at = (kind: string) => lines.findIndex((line) => line.startsWith(`{"kind":"${kind}"`));
    const changed = (kind: string, change: (line: Record<string, unknown>) => void) => {
      const index = at(kind);
      const line = JSON.parse(lines[index] ?? '') as Record<string, unknown>;
      change(line);
      return [lines.with(index, JSON.stringify(line)), index + 1] as const;
    };
    const set = (kind: string, field: string, value: unknown) =>
      changed(kind, (line) => {
        line[field] = value;
      });
    const stranger = '01h455vb4pex5vsknk084sn02q';
    const cases: [readonly string[], number, string][] = [
      [lines.slice(0, -1), lines.length, 'The archive is cut off'],
      [lines.toSpliced(at('activity'), 1), lines.length - 1, 'The archive is damaged'],
      [[...lines, lines[1] ?? ''], lines.length + 1, 'stands after the end'],
      [
        lines.with(0, '{"kind":"parley-feedback","version":99,"exportedAt":"x"}'),
        1,
        'The archive has version 99',
      ],
      [lines.with(3, '{"kind":'), 4, 'is no line of an archive'],
      [lines.with(3, '{"kind":"secret"}'), 4, 'kind: is not known'],
      [...set('post', 'boardId', `board_${stranger}`), 'boardId: names no board of an earlier line'],
      [
        ...set('post', 'authorMemberId', `member_${stranger}`),
        'authorMemberId: names no member of an earlier line',
      ],
      [...set('vote', 'memberId', `member_${stranger}`), 'memberId: names no member'],
      [...set('post', 'title', ''), 'title: must have at least 1 characters'],
      [...set('post', 'createdAt', 'yesterday'), 'createdAt: must be a valid'],
      [...set('post', 'voteCount', -1), 'voteCount: must be at least 0'],
      [...set('post', 'importedVotes', -1), 'importedVotes: must be at least 0'],
      [...set('post', 'surprise', 1), 'surprise: is not a known field'],
      [...set('board', 'slug', '"><script>'), 'slug: must look like'],
      [...set('person', 'role', 'owner'), 'role: must be one of'],
      [...set('comment', 'id', 'post_1'), 'id: must be a comment ID'],
    ].map(([text, line, message]) => [text as readonly string[], line as number, message as string]);
    for (const [text, line, message] of cases) {
      const refusal = await refusalOf(run(target, file(`${text.join('\n')}\n`)));
      expect(refusal).toEqual({
        code: 'invalid',
        message: expect.stringContaining(`line ${line}: ${message}`) as string,
      });
    }
    expect((await target.services.posts.list(target.admin, { limit: 1 })).total).toBe(0);
    expect(await target.services.boards.list(target.admin)).toEqual([]);
    expect((await target.services.statuses.list(target.admin)).map(({ slug }) => slug)).toContain(
      'under_review',
    );
  });

  test('holds no secret, and is for administrators', async () => {
    const source = await openFeedback(await open(), { now: ticking() });
    const { text } = await someArchive();
    expect(/"hash"|whsec_|parley_[0-9a-z]{12}_/i.test(text)).toBe(false);
    const write = async () => undefined;
    expect((await refusalOf(exportArchive(source.services, source.member, write))).code).toBe('forbidden');
    expect((await refusalOf(exportPostsCsv(source.services, source.member, write))).code).toBe('forbidden');
  });

  test('of posts as CSV can be imported again', async () => {
    const source = await openFeedback(await open(), { now: ticking() });
    await fillFeedback(source);
    let csv = '';
    const { posts } = await exportPostsCsv(source.services, source.admin, async (text) => {
      csv += text;
    });
    const path = file(csv, 'csv');
    expect(/[,"]=Export/.test(csv)).toBe(false);
    const target = await openFeedback(await another(engine));
    await target.services.statuses.create(target.admin, { name: 'Later', color: '#112233' });
    const report = await run(target, path, { createBoards: true });
    expect(report).toMatchObject({
      imported: posts,
      failed: 0,
      ignoredColumns: ['id', 'commentCount'],
    });
    const shown = async ({ services, admin }: TestFeedback) => {
      const { items } = await services.posts.list(admin, { limit: 100, sort: 'oldest' });
      return items.map((post) => [
        post.title,
        post.content,
        post.boardSlug,
        post.tags.map(({ name }) => name),
        post.createdAt,
        post.voteCount,
      ]);
    };
    expect(await shown(target)).toEqual(await shown(source));
  });
});

/** The lines of an archive without what belongs to one organization or one moment alone. */
function stable(text: string): string[] {
  return text
    .replaceAll(/"(member|user)_[0-9a-z]{26}"/g, '"$1"')
    .replaceAll(/"exportedAt":"[^"]*"/g, '')
    .split('\n')
    .toSorted();
}
