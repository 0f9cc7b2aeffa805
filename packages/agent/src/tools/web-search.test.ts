/** Web search: what is asked of the provider, what is left of its answers, and how often. */
import { createEgress } from '@parley/kit/egress';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { onBothBeds } from '../../test/agent-bed.ts';
import { SEARCH_KEY, startSearchApi } from '../../test/servers/search-api.ts';
import { clientWith } from '../../test/with-settings.ts';

const provider = await startSearchApi();
// Nothing is listed, so only the address that the operator set is reached.
const egress = createEgress();
afterAll(async () => {
  await egress.close();
  await provider.close();
});
beforeEach(() => provider.clear());

const SETTINGS = { searchApiKey: SEARCH_KEY, searchUrl: provider.url };

const asked = () => provider.seen.map(({ path }) => new URL(path, provider.url).searchParams);
const queries = () => new Set(asked().map((params) => params.get('q')));

onBothBeds(
  'web search',
  (bed) => {
    const newAgent = () => bed().agent(bed().acme.owner.caller);
    const newClient = async () => bed().client((await newAgent()).caller);

    test('a search gives what the provider found, without its marks and without what has no address', async () => {
      const client = await newClient();
      const found = await client.call('corvid_web_search', { query: ' cats & dogs ', freshness: 'pw' });
      expect(found).toEqual({
        results: [
          {
            title: 'About cats & dogs',
            url: 'https://pages.example/cats%20%26%20dogs',
            description: 'One',
            age: '2 days',
          },
          {
            title: 'Shared',
            url: 'https://www.shared.example/page/?utm_source=x#top',
            description: 'Two',
          },
        ],
      });
      expect(Object.fromEntries(asked()[0] ?? [])).toEqual({ q: 'cats & dogs', count: '5', freshness: 'pw' });
      expect(provider.seen[0]?.headers['x-subscription-token']).toBe(SEARCH_KEY);
    });

    test('the count is clamped, everything else is refused where it does not fit', async () => {
      const client = await newClient();
      for (const [count, sent] of [
        [99, '20'],
        [-3, '1'],
        [2.7, '2'],
      ] as const) {
        provider.clear();
        await client.call('corvid_web_search', { query: 'q', count });
        expect(asked()[0]?.get('count')).toBe(sent);
      }
      provider.clear();
      const wrong = [
        [{ query: ' ' }, 'query'],
        [{ query: 'x'.repeat(401) }, 'query'],
        [{ query: 'q', freshness: 'today' }, 'freshness'],
        [{ query: 'q', count: 'many' }, 'count'],
        [{ query: 'q', lang: 'de' }, 'lang'],
        [{}, 'query'],
      ] as const;
      for (const [input, field] of wrong)
        expect(await client.attempt('corvid_web_search', input as never)).toMatchObject({
          ok: false,
          code: 'invalid',
          message: expect.stringContaining(field),
        });
      expect(provider.seen).toEqual([]);
    });

    test('a provider that refuses is named with its status', async () => {
      const client = await newClient();
      const refused = await client.attempt('corvid_web_search', { query: 'fail' });
      expect(refused).toMatchObject({ ok: false, code: 'provider_failed', data: { status: 503 } });
      provider.next({ body: 'no JSON' });
      const odd = await client.attempt('corvid_web_search', { query: 'q' });
      expect(odd).toMatchObject({ ok: false, code: 'provider_failed' });
    });

    test('a provider that is not there, or says too much, is unavailable', async () => {
      const { caller } = await newAgent();
      provider.next({ body: 'x'.repeat(6 * 1024 * 1024) });
      const large = await (await bed().client(caller)).attempt('corvid_web_search', { query: 'q' });
      expect(large).toMatchObject({ ok: false, code: 'unavailable' });
      const nowhere = { ...SETTINGS, searchUrl: 'http://127.0.0.1:1' };
      const gone = await (
        await clientWith(bed(), caller, nowhere)
      ).attempt('corvid_web_search', { query: 'q' });
      expect(gone).toMatchObject({ ok: false, code: 'unavailable' });
      expect(JSON.stringify(gone)).not.toContain('127.0.0.1');
    });

    test('check 47: without a key both tools answer that PARLEY_SEARCH_API_KEY is missing', async () => {
      const client = await clientWith(bed(), (await newAgent()).caller, { searchUrl: provider.url });
      for (const outcome of [
        await client.attempt('corvid_web_search', { query: 'q' }),
        await client.attempt('corvid_deep_research', { topic: 't' }),
      ])
        expect(outcome).toMatchObject({
          ok: false,
          code: 'unavailable',
          message: expect.stringContaining('PARLEY_SEARCH_API_KEY'),
        });
      expect(provider.seen).toEqual([]);
    });

    test('check 47: a deep search makes 5 queries, lists one that failed, and drops what comes twice', async () => {
      const client = await newClient();
      const outcome = await client.attempt('corvid_deep_research', {
        topic: 'tea',
        sub_questions: ['where', 'fail here', 'when', 'who', 'cut off', 'cut off too'],
      });
      if (!outcome.ok) throw new Error(outcome.message);
      expect(queries()).toEqual(new Set(['fail here', 'tea', 'when', 'where', 'who']));
      expect(asked()).toHaveLength(5);
      for (const params of asked()) expect(params.get('count')).toBe('5');
      const shared = 'https://www.shared.example/page/?utm_source=x#top';
      const { value, text } = outcome;
      expect(
        value.queries.map(({ query, ok, results }) => [query, ok, results.map(({ url }) => url)]),
      ).toEqual([
        ['tea', true, ['https://pages.example/tea', shared]],
        ['where', true, ['https://pages.example/where']],
        ['fail here', false, []],
        ['when', true, ['https://pages.example/when']],
        ['who', true, ['https://pages.example/who']],
      ]);
      expect([value.total, value.unique]).toEqual([8, 5]);
      expect(text).toContain('## tea\n- [About tea](https://pages.example/tea): One');
      expect(text).toContain('## fail here\n(this query failed)');
    });

    test('without questions of its own a deep search looks from four sides', async () => {
      const client = await newClient();
      await client.call('corvid_deep_research', { topic: 'tea' });
      const sides = ['benefits', 'challenges', 'examples', 'latest news'].map((side) => `tea ${side}`);
      expect(queries()).toEqual(new Set(['tea', ...sides]));
    });

    test('a deep search of which nothing is left has failed', async () => {
      const client = await newClient();
      const outcome = await client.attempt('corvid_deep_research', { topic: 'fail' });
      expect(outcome).toMatchObject({ ok: false, code: 'provider_failed', data: { status: 503 } });
    });

    test('60 queries an hour and agent, of which a deep search takes 5', async () => {
      const { caller } = await newAgent();
      const client = await bed().client(caller);
      for (let count = 0; count < 11; count += 1) await client.call('corvid_deep_research', { topic: 't' });
      for (let count = 0; count < 4; count += 1) await client.call('corvid_web_search', { query: 'q' });
      provider.clear();
      const deep = await client.attempt('corvid_deep_research', { topic: 't' });
      expect(deep).toMatchObject({ ok: false, code: 'rate_limited', data: { retry_after: 3600 } });
      await client.call('corvid_web_search', { query: 'the 60th' });
      const refused = await client.attempt('corvid_web_search', { query: 'q' });
      expect(refused).toMatchObject({ ok: false, code: 'rate_limited' });
      expect(queries()).toEqual(new Set(['the 60th']));
      expect(await (await newClient()).attempt('corvid_web_search', { query: 'q' })).toMatchObject({
        ok: true,
      });
      bed().clock.nowMs += 3_600_000;
      expect(await client.attempt('corvid_web_search', { query: 'q' })).toMatchObject({ ok: true });
    });
  },
  () => ({ parts: { egress, settings: SETTINGS } }),
);
