/** Imports and exports over REST: files in pieces, dry runs, reports, bounds, and what must not happen. */
import { expect, test } from 'vitest';
import type { Loose, TestApi } from '../../test/rest-api.ts';
import { openRest } from '../../test/rest-api.ts';
import { onBothEngines } from '../testing/engines.ts';

const CSV = `Title,Details,Board,Status,Tags,Vote Count,Created
Dark mode,White is hard at night,Ideas,planned,"ui, theme",42,2025-03-01 10:00
=HYPERLINK(1),x,Ideas,open,,1,2025-03-02
,no title,Ideas,open,,1,2025-03-02
Offline,x,Mobile,open,,3,2025-03-03
`;

/** Sends a text as a file in pieces of 40 bytes; returns the id of its import. */
async function upload(api: TestApi, text: string, fileName = 'canny.csv'): Promise<string> {
  const as = api.keys.admin;
  const bytes = Buffer.from(text);
  const body = { fileName, sizeBytes: bytes.length };
  const { id } = (await api.call('POST', '/imports', { as, body })).json.data;
  for (let number = 0; number * 40 < bytes.length; number += 1) {
    const data = bytes.subarray(number * 40, (number + 1) * 40).toString('base64');
    await api.call('PUT', `/imports/${id}/parts/${number}`, { as, body: { data } });
  }
  return String(id);
}

async function run(api: TestApi, id: string, body: object): Promise<Loose> {
  const as = api.keys.admin;
  const begun = await api.call('POST', `/imports/${id}/run`, { as, body });
  expect([begun.status, begun.json.data?.state]).toEqual([200, 'running']);
  await expect
    .poll(async () => (await api.call('GET', `/imports/${id}`, { as })).json.data.state)
    .not.toBe('running');
  return (await api.call('GET', `/imports/${id}`, { as })).json.data;
}

async function working(api: TestApi): Promise<AsyncDisposable> {
  api.tasks.start();
  return { [Symbol.asyncDispose]: () => api.tasks.stop() };
}

onBothEngines('imports over REST', (open) => {
  test('are checked by a dry run, written once, and tell what came of them', async () => {
    const api = await openRest(await open());
    await using _working = await working(api);
    const { services, admin } = api;
    await services.boards.create(admin, { name: 'Ideas' });
    const id = await upload(api, CSV);
    const dry = await run(api, id, { isDryRun: true });
    expect(dry).toMatchObject({
      state: 'checked',
      receivedBytes: Buffer.byteLength(CSV),
      authorName: 'Ada Admin',
      report: {
        isDryRun: true,
        rows: 4,
        imported: 2,
        failed: 2,
        newTags: ['ui', 'theme'],
        faults: [
          { row: 4, message: 'title: is required' },
          { row: 5, message: expect.stringContaining('there is no board "Mobile"') },
        ],
      },
    });
    expect((await services.posts.list(admin, { limit: 20 })).total).toBe(0);

    const done = await run(api, id, { isDryRun: false, createBoards: true });
    expect(done).toMatchObject({
      state: 'done',
      options: { isDryRun: false, createBoards: true },
      report: { imported: 3, failed: 1, newBoards: ['Mobile'] },
    });
    const { items } = await services.posts.list(admin, { limit: 20, sort: 'votes' });
    expect(items.map(({ title, voteCount, createdAt }) => [title, voteCount, createdAt])).toEqual([
      ['Dark mode', 42, '2025-03-01T10:00:00.000Z'],
      ['Offline', 3, '2025-03-03T00:00:00.000Z'],
      ['=HYPERLINK(1)', 1, '2025-03-02T00:00:00.000Z'],
    ]);
    const as = api.keys.admin;
    const again = await api.call('POST', `/imports/${id}/run`, { as, body: { isDryRun: false } });
    expect([again.status, again.json.error.message]).toEqual([
      409,
      'This import is over. Send the file again to import it once more.',
    ]);
    // The same file once more brings nothing new.
    const second = await run(api, await upload(api, CSV), { isDryRun: false, createBoards: true });
    expect(second.report).toMatchObject({ imported: 0, skipped: 3 });
    expect((await services.posts.list(admin, { limit: 20 })).total).toBe(3);
    expect((await api.call('GET', '/imports', { as })).json.data).toHaveLength(2);
    expect(api.faults).toEqual([]);
  });

  test('of broken files fail with the line, and can be removed', async () => {
    const api = await openRest(await open());
    await using _working = await working(api);
    const as = api.keys.admin;
    await api.services.boards.create(api.admin, { name: 'Ideas' });
    const broken = await run(api, await upload(api, 'title\n"never closed\n'), {
      isDryRun: true,
      board: 'ideas',
    });
    expect(broken).toMatchObject({
      state: 'failed',
      fault: 'line 2: a quote is opened here and never closed.',
      report: null,
    });
    expect((await api.call('DELETE', `/imports/${broken.id}`, { as })).status).toBe(204);
    expect((await api.call('GET', `/imports/${broken.id}`, { as })).status).toBe(404);
  });

  test('stay within their bounds', async () => {
    const api = await openRest(await open());
    const as = api.keys.admin;
    const begin = async (fileName: string, sizeBytes: number) =>
      (await api.call('POST', '/imports', { as, body: { fileName, sizeBytes } })).status;
    expect(await begin('posts.xlsx', 10)).toBe(400);
    expect(await begin('posts.csv', 0)).toBe(400);
    expect(await begin('posts.csv', 33 * 1024 * 1024)).toBe(400);
    const id = await upload(api, 'title\n', 'small.csv');
    const part = (number: string, data: string) =>
      api.call('PUT', `/imports/${id}/parts/${number}`, { as, body: { data } });
    expect((await part('0', 'eHg=')).status).toBe(409);
    const { id: other } = (
      await api.call('POST', '/imports', { as, body: { fileName: 'a.csv', sizeBytes: 2 } })
    ).json.data;
    const send = async (number: string, data: string) =>
      (await api.call('PUT', `/imports/${other}/parts/${number}`, { as, body: { data } })).status;
    expect(await send('0', 'eHh4eHg=')).toBe(400);
    expect(await send('x', 'eA==')).toBe(400);
    expect(await send('1000', 'eA==')).toBe(400);
    expect(await send('0', '%%')).toBe(400);
    expect((await api.call('POST', `/imports/${other}/run`, { as, body: { isDryRun: true } })).status).toBe(
      409,
    );
    expect(await send('0', 'eA==')).toBe(200);
    expect(await send('0', 'eA==')).toBe(200);
    expect(await send('1', 'eA==')).toBe(200);
    for (let count = 0; count < 3; count += 1) expect(await begin('posts.csv', 32 * 1024 * 1024)).toBe(201);
    expect(await begin('posts.csv', 32 * 1024 * 1024)).toBe(409);
  });

  test('end when whoever began them is no longer allowed', async () => {
    const api = await openRest(await open());
    const alex = await api.join('admin', 'Alex Admin');
    const as = await api.keyFor(alex.caller);
    const { id } = (await api.call('POST', '/imports', { as, body: { fileName: 'a.csv', sizeBytes: 8 } }))
      .json.data;
    const data = Buffer.from('title\nA\n').toString('base64');
    await api.call('PUT', `/imports/${id}/parts/0`, { as, body: { data } });
    const board = await api.board();
    await api.call('POST', `/imports/${id}/run`, { as, body: { isDryRun: false, board } });
    await api.call('PATCH', `/members/${alex.memberId}`, { as: api.keys.admin, body: { role: 'member' } });
    await using _working = await working(api);
    const ended = async () => (await api.call('GET', `/imports/${id}`, { as: api.keys.admin })).json.data;
    await expect.poll(async () => (await ended()).state).toBe('failed');
    expect((await ended()).fault).toBe('Only administrators may do this.');
    expect((await api.services.posts.list(api.admin, { limit: 20 })).total).toBe(0);
  });
});

onBothEngines('exports over REST', (open) => {
  test('are files: posts as CSV, everything as an archive', async () => {
    const api = await openRest(await open());
    await api.post({ title: 'Dark, mode' });
    const as = api.keys.admin;
    const csv = await api.call('GET', '/export?form=csv', { as });
    expect(csv.headers.get('content-disposition')).toMatch(
      /^attachment; filename="posts-\d{4}-\d\d-\d\d\.csv"$/,
    );
    expect(csv.text).toContain('"Dark, mode"');
    const archive = await api.call('GET', '/export', { as });
    const lines = archive.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([lines[0].kind, lines.at(-1).kind]).toEqual(['parley-feedback', 'end']);
    expect((await api.call('GET', '/export?form=xml', { as })).status).toBe(400);
    expect((await api.call('GET', '/export', { as: api.keys.member })).status).toBe(403);
    expect(api.faults).toEqual([]);
  });
});
