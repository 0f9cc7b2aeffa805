/** `Idempotency-Key`: one effect, one answer, also in parallel, over replicas and after a crash. */
import type { IdempotencyRow } from '@parley/http/rest';
import { describe, expect, test } from 'vitest';
import type { TestApi } from '../../test/rest-api.ts';
import { openRest, serveRest } from '../../test/rest-api.ts';
import { onBothEngines } from '../testing/engines.ts';

const DAY_MS = 24 * 60 * 60_000;

async function postWith(api: TestApi, key: string, body: unknown, more: { as?: string; url?: TestApi } = {}) {
  const { as = api.keys.member, url = api } = more;
  return url.call('POST', '/posts', { as, body, headers: { 'idempotency-key': key } });
}

const totalOf = async (api: TestApi) => (await api.services.posts.list(api.admin, { limit: 1 })).total;

onBothEngines('an Idempotency-Key', (open) => {
  test('gives one post and one answer to 50 requests at once', async () => {
    const api = await openRest(await open());
    const body = { boardId: await api.board(), title: 'Once' };
    const answers = await Promise.all(Array.from({ length: 50 }, () => postWith(api, 'k1', body)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(new Set(answers.map(({ headers }) => headers.get('location'))).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    expect(await totalOf(api)).toBe(1);
    const other = await postWith(api, 'k1', { ...body, title: 'Other' });
    expect([other.status, other.json.error.code]).toEqual([409, 'CONFLICT']);
    expect(await totalOf(api)).toBe(1);
  });

  test('belongs to its caller, its path and its body', async () => {
    const api = await openRest(await open());
    const body = { boardId: await api.board(), title: 'Mine' };
    expect((await postWith(api, 'same', body)).status).toBe(201);
    expect((await postWith(api, 'same', body, { as: api.keys.admin })).status).toBe(201);
    expect(await totalOf(api)).toBe(2);
    const id = await api.post();
    const vote = (path: string) =>
      api.call('POST', path, { as: api.keys.member, headers: { 'idempotency-key': 'v' } });
    expect((await vote(`/posts/${id}/vote`)).json.data).toEqual({ voted: true, voteCount: 1 });
    expect((await vote(`/posts/${id}/vote`)).json.data).toEqual({ voted: true, voteCount: 1 });
    expect((await vote(`/posts/${await api.post()}/vote`)).status).toBe(409);
  });

  test('is kept for a day, then forgotten', async () => {
    let now = Date.now();
    const api = await openRest(await open(), { now: () => now });
    const body = { boardId: await api.board(), title: 'Daily' };
    const first = await postWith(api, 'daily', body);
    now += DAY_MS - 1000;
    expect((await postWith(api, 'daily', body)).text).toBe(first.text);
    now += 2000;
    expect((await postWith(api, 'daily', body)).text).not.toBe(first.text);
    expect(await totalOf(api)).toBe(2);
  });

  test('repeats a refusal too, but no failure of ours', async () => {
    const api = await openRest(await open());
    const body = { boardId: await api.board(), title: 'Try' };
    const missing = { ...body, boardId: 'board_01h455vb4pex5vsknk084sn02q' };
    const refused = await postWith(api, 'r', missing);
    expect([refused.status, (await postWith(api, 'r', missing)).text]).toEqual([404, refused.text]);
    let isBroken = true;
    const create: typeof api.services.posts.create = (...args) =>
      isBroken ? Promise.reject(new Error('broken')) : api.services.posts.create(...args);
    const server = await serveRest({
      ...api,
      services: { ...api.services, posts: { ...api.services.posts, create } },
    });
    expect((await postWith(api, 'f', body, { url: server })).status).toBe(500);
    isBroken = false;
    expect((await postWith(api, 'f', body, { url: server })).status).toBe(201);
    expect(await totalOf(api)).toBe(1);
  });

  test('makes no second post when the answer was lost after the change', async () => {
    const api = await openRest(await open());
    const create: typeof api.services.posts.create = async (...args) => {
      await api.services.posts.create(...args);
      throw new Error('lost between the change and its answer');
    };
    const server = await serveRest({
      ...api,
      services: { ...api.services, posts: { ...api.services.posts, create } },
    });
    const body = { boardId: await api.board(), title: 'Lost' };
    expect((await postWith(api, 'lost', body, { url: server })).status).toBe(500);
    const again = await postWith(api, 'lost', body);
    expect([again.status, again.json.error.message]).toEqual([
      409,
      expect.stringContaining('was carried out'),
    ]);
    expect(await totalOf(api)).toBe(1);
  });

  test('is refused when it is empty, too long or not printable', async () => {
    const api = await openRest(await open());
    const body = { boardId: await api.board(), title: 'Key' };
    for (const key of ['', 'x'.repeat(256), 'tab\there', 'ümlaut']) {
      const answer = await postWith(api, key, body);
      expect([key, answer.status, answer.json.error.code]).toEqual([key, 400, 'BAD_REQUEST']);
    }
    expect((await postWith(api, 'x'.repeat(255), body)).status).toBe(201);
    expect(await totalOf(api)).toBe(1);
  });

  test('repeats a secret without keeping it readable', async () => {
    const api = await openRest(await open());
    const make = () =>
      api.call('POST', '/keys', {
        as: api.keys.admin,
        body: { name: 'CI', role: 'member' },
        headers: { 'idempotency-key': 'ci' },
      });
    const first = await make();
    expect(first.status).toBe(201);
    expect((await make()).text).toBe(first.text);
    const rows = await api.store
      .db<Record<string, IdempotencyRow>>()
      .selectFrom('feedback_idempotency')
      .selectAll()
      .execute();
    expect(JSON.stringify(rows)).not.toContain(first.json.data.key);
    expect((await api.call('GET', '/posts', { as: first.json.data.key })).status).toBe(200);
  });
});

describe('repetitions over replicas', () => {
  onBothEngines('two servers on one database', (open) => {
    test('give one post and one answer', async () => {
      const api = await openRest(await open());
      const replica = await openRest(await open(), { slug: 'replica' });
      const body = { boardId: await api.board(), title: 'Shared' };
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          postWith(api, 'shared', body, { url: index % 2 === 0 ? api : replica }),
        ),
      );
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(await totalOf(api)).toBe(1);
    });
  });
});
