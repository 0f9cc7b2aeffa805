/** The fault "kill -9 of an import": the same command again imports what is missing, and nothing twice. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onBothEngines } from '@parley/store/testing';
import { seededRandom } from '@parley/test-support/random';
import { expect, test } from 'vitest';
import { exportArchive } from '@parley/feedback/transfer';
import { ALL_GRANTS } from '@parley/kit';
import { openFeedback } from '../../packages/feedback/src/testing/fixture.ts';
import type { ImportProgramOptions } from './feedback-import-program.ts';

const ROWS = 3000;
const AUTHORS = 40;

/** Starts the import and kills it at its nth report; true when it came to its end before. */
async function runAndKill(
  options: ImportProgramOptions,
  reports: number,
  random: () => number,
): Promise<boolean> {
  const program = join(import.meta.dirname, 'feedback-import-program.ts');
  const child = spawn(process.execPath, [program, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  let heard = 0;
  let isDone = false;
  for await (const line of createInterface({ input: child.stdout })) {
    heard += 1;
    if (line.startsWith('done')) isDone = true;
    // Whatever it does after this report is cut off somewhere.
    else if (heard === reports) setTimeout(() => child.kill('SIGKILL'), random() * 40);
  }
  const [code, signal] = (await exit) as [number | null, string | null];
  expect(isDone ? code === 0 || signal === 'SIGKILL' : signal === 'SIGKILL').toBe(true);
  return isDone;
}

/** Kills each run a little later than the one before, and returns how many it took. */
async function untilDone(options: ImportProgramOptions, step: number): Promise<number> {
  const random = seededRandom();
  for (let run = 1; ; run += 1) if (await runAndKill(options, run * step, random)) return run;
}

onBothEngines('kill -9 of an import', (open, _engine, where) => {
  test('of posts: in the end every row is there once', { timeout: 240_000 }, async () => {
    const at = await where();
    const feedback = await openFeedback(await open());
    const { text: key } = await feedback.identity.createKey(feedback.callers.admin, {
      name: 'Import',
      grants: ALL_GRANTS,
      expiresAt: null,
    });
    const path = join(at.dataDir, 'posts.csv');
    const rows = Array.from({ length: ROWS }, (_, row) => {
      const email = row % 2 === 0 ? `person${row % AUTHORS}@new.example` : '';
      return `Row ${row},${email},Person ${row % AUTHORS},tag ${row % 9}`;
    });
    writeFileSync(path, `title,authorEmail,authorName,tags\n${rows.join('\n')}\n`);
    const runs = await untilDone({ store: at, key, path, board: 'Ideas' }, 3);
    expect(runs).toBeGreaterThan(2);

    const titles = new Map<string, number>();
    for (let cursor: string | undefined; ;) {
      const page = await feedback.services.posts.list(feedback.admin, { limit: 100, cursor });
      for (const { title } of page.items) titles.set(title, (titles.get(title) ?? 0) + 1);
      if (page.cursor === null) break;
      cursor = page.cursor;
    }
    expect(titles.size).toBe(ROWS);
    expect(Math.max(...titles.values())).toBe(1);
    const [board] = await feedback.services.boards.list(feedback.admin);
    expect(board?.postCount).toBe(ROWS);
    expect((await feedback.services.posts.list(feedback.admin, { limit: 1, search: 'row' })).total).toBe(
      ROWS,
    );
    const people = await feedback.identity.listMembers(feedback.organizationId);
    const made = people.filter(({ name }) => name.startsWith('Person'));
    expect(new Set(made.map(({ name }) => name)).size).toBe(made.length);
  });

  test('of an archive: in the end it equals the one that it came from', { timeout: 240_000 }, async () => {
    const at = await where();
    const store = await open();
    const source = await openFeedback(store, { slug: 'source' });
    const boardId = await source.board();
    const people = await Promise.all(
      Array.from({ length: 20 }, async (_, number) => {
        const userId = await source.identity.createUser({ name: `Nameless ${number % 5}`, email: null });
        await source.identity.addMember(source.callers.admin, { userId, roles: ['user'] });
        return source.services.actor({ ...source.callers.visitor, userId });
      }),
    );
    for (let post = 0; post < 300; post += 1) {
      const by = people[post % people.length] ?? source.admin;
      await source.services.posts.create(by, { boardId, title: `Post ${post}` });
    }
    const archive = async (from: typeof source) => {
      let text = '';
      await exportArchive(from.services, from.admin, async (piece) => {
        text += piece;
      });
      return text;
    };
    const path = join(at.dataDir, 'archive.jsonl');
    writeFileSync(path, await archive(source));

    const target = await openFeedback(store, { slug: 'target' });
    const { text: key } = await target.identity.createKey(target.callers.admin, {
      name: 'Import',
      grants: ALL_GRANTS,
      expiresAt: null,
    });
    expect(await untilDone({ store: at, key, path }, 1)).toBeGreaterThan(1);
    const contents = (text: string) =>
      text
        .split('\n')
        .filter((line) => !/"kind":"(person|parley-feedback|end)"/.test(line))
        .map((line) => line.replaceAll(/"(member|user)_[0-9a-z]{26}"/g, '"$1"'));
    expect(contents(await archive(target))).toEqual(contents(await archive(source)));
    const nameless = async ({ identity, organizationId }: typeof source) =>
      (await identity.listMembers(organizationId)).filter(({ email }) => email === null).length;
    expect(await nameless(target)).toBe(await nameless(source));
  });
});
