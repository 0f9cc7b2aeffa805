/** Votes that came with an import: they count like others, survive merges and transfers, and belong to nobody. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { typeId } from '@parley/kit';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { addImportedVotes } from '../migrations/010-imported-votes.ts';
import type { TestFeedback } from '../testing/fixture.ts';
import { openFeedback, refusalOf } from '../testing/fixture.ts';
import { exportArchive } from './export-archive.ts';
import { importFile } from './import-file.ts';
import { onBothEngines } from '../testing/engines.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-votes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function run(feedback: TestFeedback, content: string, ending = 'csv') {
  files += 1;
  const path = join(folder, `file-${files}.${ending}`);
  writeFileSync(path, content);
  const importer = { caller: feedback.callers.admin, actor: feedback.admin };
  return importFile(feedback.services, importer, path, { createBoards: ending === 'csv' });
}

/** Imports one post for each number of votes; returns their ids. */
async function imported(feedback: TestFeedback, ...counts: readonly number[]): Promise<string[]> {
  const rows = counts.map((count, at) => `Post ${at},Ideas,${count},2024-01-0${at + 1}`);
  const report = await run(feedback, `title,board,votes,created\n${rows.join('\n')}\n`);
  expect(report).toMatchObject({ imported: counts.length, failed: 0 });
  const { items } = await feedback.services.posts.list(feedback.admin, { limit: 100, sort: 'oldest' });
  return items.slice(0, counts.length).map(({ id }) => id);
}

function crowd({ visitor }: TestFeedback, size: number) {
  return Array.from({ length: size }, () => ({ ...visitor, memberId: typeId('mem') }));
}

async function countsOf({ services, admin }: TestFeedback, ids: readonly string[]): Promise<number[]> {
  const details = await Promise.all(ids.map((id) => services.posts.get(admin, id)));
  return details.map(({ voteCount }) => voteCount);
}

async function thresholds(feedback: TestFeedback): Promise<unknown[]> {
  const events = await feedback.published();
  return events.filter(({ type }) => type === 'post.vote_threshold').map(({ data }) => data);
}

async function archiveOf({ services, admin }: TestFeedback): Promise<string> {
  let text = '';
  await exportArchive(services, admin, async (piece) => {
    text += piece;
  });
  return text;
}

onBothEngines('imported votes', (open) => {
  test('that are no number are told by row, and the other rows are imported', async () => {
    const feedback = await openFeedback(await open());
    const report = await run(
      feedback,
      'title,board,Vote Count\nA,Ideas,-3\nB,Ideas,1.5\nC,Ideas,many\nD,Ideas,1000001\nE,Ideas,1000000\nF,Ideas,\n',
    );
    const rule = 'voteCount: must be a whole number from 0 to 1,000,000';
    expect(report).toMatchObject({ imported: 2, failed: 4, ignoredColumns: [] });
    expect(report.faults).toEqual([
      { row: 2, message: `${rule} (got "-3")` },
      { row: 3, message: `${rule} (got "1.5")` },
      { row: 4, message: `${rule} (got "many")` },
      { row: 5, message: `${rule} (got "1000001")` },
    ]);
    const { items } = await feedback.services.posts.list(feedback.admin, { limit: 10, sort: 'votes' });
    expect(items.map(({ title, voteCount }) => [title, voteCount])).toEqual([
      ['E', 1_000_000],
      ['F', 0],
    ]);
  });

  test('are a number below the votes of people, who alone are voters', async () => {
    const feedback = await openFeedback(await open());
    const { services, member, visitor } = feedback;
    const [id = ''] = await imported(feedback, 41);
    const voters = async () => {
      const { items, total } = await services.votes.voters(member, id, { limit: 10 });
      return { names: items.map(({ name }) => name), total };
    };
    expect(await voters()).toEqual({ names: [], total: 0 });
    expect(await services.votes.set(visitor, id, false)).toEqual({ voted: false, voteCount: 41 });
    expect(await services.votes.set(visitor, id, true)).toEqual({ voted: true, voteCount: 42 });
    expect(await services.votes.set(visitor, id, true)).toEqual({ voted: true, voteCount: 42 });
    expect(await voters()).toEqual({ names: ['Vic Visitor'], total: 1 });
    expect(await services.votes.toggle(visitor, id)).toEqual({ voted: false, voteCount: 41 });
    expect(await voters()).toEqual({ names: [], total: 0 });
    expect(await countsOf(feedback, [id])).toEqual([41]);
  });

  test('announce no round number of the past; the next one is announced once', async () => {
    const feedback = await openFeedback(await open());
    const { votes } = feedback.services;
    const before = await feedback.published();
    const [id = '', other = ''] = await imported(feedback, 48, 9);
    expect(await feedback.published()).toEqual(before);
    const [first, second, third] = crowd(feedback, 3);
    await votes.set(first!, id, true);
    expect(await thresholds(feedback)).toEqual([]);
    await votes.set(second!, id, true);
    await votes.toggle(second!, id);
    await votes.toggle(second!, id);
    await votes.set(third!, id, true);
    await votes.set(first!, other, true);
    expect(await thresholds(feedback)).toMatchObject([
      { threshold: 50, voteCount: 50, post: { id } },
      { threshold: 10, voteCount: 10, post: { id: other } },
    ]);
  });

  test('of a duplicate are added to the canonical post, to any depth, and taken off again exactly', async () => {
    const feedback = await openFeedback(await open());
    const { services, member, visitor, admin } = feedback;
    const ids = await imported(feedback, 5, 300, 7, 0);
    const [low = '', middle = '', top = '', plain = ''] = ids;
    for (const id of ids) await services.votes.set(visitor, id, true);
    await services.votes.set(admin, low, true);
    const merge = (duplicatePostId: string, canonicalPostId: string) =>
      services.merges.merge(member, { duplicatePostId, canonicalPostId });
    expect(await countsOf(feedback, ids)).toEqual([7, 301, 8, 1]);

    await merge(low, middle);
    expect(await countsOf(feedback, ids)).toEqual([7, 307, 8, 1]);
    await merge(middle, top);
    expect(await countsOf(feedback, ids)).toEqual([7, 307, 314, 1]);
    await merge(top, plain);
    expect(await countsOf(feedback, ids)).toEqual([7, 307, 314, 314]);
    expect((await services.votes.voters(member, plain, { limit: 10 })).total).toBe(2);

    // Whoever withdraws from the one idea takes one vote off each of its posts, and none of the imported ones.
    expect(await services.votes.toggle(visitor, plain)).toEqual({ voted: false, voteCount: 313 });
    expect(await countsOf(feedback, ids)).toEqual([6, 306, 313, 313]);
    await services.votes.set(member, plain, true);

    await services.merges.unmerge(member, low);
    expect(await countsOf(feedback, ids)).toEqual([6, 300, 307, 308]);
    await services.merges.unmerge(member, top);
    expect(await countsOf(feedback, ids)).toEqual([6, 300, 307, 1]);
    await services.merges.unmerge(member, middle);
    expect(await countsOf(feedback, ids)).toEqual([6, 300, 7, 1]);
  });

  test('are votes by others: the author can take the post back no more', async () => {
    const feedback = await openFeedback(await open());
    const { services, visitor } = feedback;
    const email = 'vic.visitor@acme.example';
    await run(feedback, `title,board,votes,authorEmail\nMany,Ideas,2,${email}\nNone,Ideas,0,${email}\n`);
    const { items } = await services.posts.list(feedback.admin, { limit: 10 });
    const idOf = (name: string) => items.find(({ title }) => title === name)?.id ?? '';
    expect(await refusalOf(services.posts.delete(visitor, idOf('Many')))).toEqual({
      code: 'forbidden',
      message: 'Others have already dealt with this post. Ask the team to delete it.',
    });
    await services.votes.set(visitor, idOf('None'), true);
    await services.posts.delete(visitor, idOf('None'));
  });

  test('go with an archive, and a merge in it is still taken back exactly', async () => {
    const store = await open();
    const source = await openFeedback(store);
    const ids = await imported(source, 20, 30);
    const [low = '', top = ''] = ids;
    await source.services.votes.set(source.visitor, low, true);
    await source.services.merges.merge(source.member, { duplicatePostId: low, canonicalPostId: top });
    const text = await archiveOf(source);
    expect(text).toContain('"importedVotes":30');

    const target = await openFeedback(store, { slug: 'other' });
    await run(target, text, 'jsonl');
    const posts = (archive: string) => archive.split('\n').filter((line) => line.includes('"importedVotes"'));
    const withoutPeople = (lines: string[]) =>
      lines.map((line) => line.replaceAll(/"(member|user)_[0-9a-z]{26}"/g, ''));
    expect(withoutPeople(posts(await archiveOf(target)))).toEqual(withoutPeople(posts(text)));
    expect(await countsOf(target, ids)).toEqual([21, 51]);
    await target.services.merges.unmerge(target.member, low);
    expect(await countsOf(target, ids)).toEqual([21, 30]);
    expect(await thresholds(target)).toEqual([]);
  });

  test('are none in an archive from before there were any', async () => {
    const store = await open();
    const source = await openFeedback(store);
    const ids = [await source.post({ title: 'A' }), await source.post({ title: 'B' })];
    const [low = '', top = ''] = ids;
    for (const actor of crowd(source, 3)) await source.services.votes.set(actor, low, true);
    const text = await archiveOf(source);
    const old = text.replaceAll(',"importedVotes":0', '');
    expect(old).not.toBe(text);
    expect(old).not.toContain('importedVotes');

    const target = await openFeedback(store, { slug: 'other' });
    expect(await run(target, old, 'jsonl')).toMatchObject({ kind: 'archive', failed: 0 });
    const { merges } = target.services;
    await merges.merge(target.member, { duplicatePostId: low, canonicalPostId: top });
    expect(await countsOf(target, ids)).toEqual([3, 3]);
    await merges.unmerge(target.member, low);
    expect(await countsOf(target, ids)).toEqual([3, 0]);
  });

  test('are none in a database from before there were any', async () => {
    const store = await open();
    const feedback = await openFeedback(store);
    const ids = [await feedback.post({ title: 'A' }), await feedback.post({ title: 'B' })];
    const [low = '', top = ''] = ids;
    for (const actor of crowd(feedback, 3)) await feedback.services.votes.set(actor, low, true);
    await sql`alter table feedback_posts drop column imported_votes`.execute(store.db());
    await addImportedVotes(store.db(), store.engine);
    expect(await countsOf(feedback, ids)).toEqual([3, 0]);
    await feedback.services.merges.merge(feedback.member, { duplicatePostId: low, canonicalPostId: top });
    expect(await countsOf(feedback, ids)).toEqual([3, 3]);
    const negative = sql`update feedback_posts set imported_votes = -1`.execute(store.db());
    await expect(negative).rejects.toThrow(/check/i);
  });
});
