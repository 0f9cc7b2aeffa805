/** Every route by every kind of caller, read from the table: a new route without an expectation fails. */
import type { Caller } from '@parley/kit';
import { describe, expect, test } from 'vitest';
import type { TestApi } from '../../test/rest-api.ts';
import { openRest } from '../../test/rest-api.ts';
import type { World } from '../../test/rest-samples.ts';
import { fill, makeWorld, nameOf, SAMPLES, unknownWorld } from '../../test/rest-samples.ts';
import type { FeedbackRoute as Route } from './route.ts';
import { ROUTES } from './routes/index.ts';
import { onBothEngines } from '../testing/engines.ts';
import { feedbackToolset } from '../toolset.ts';

const LONG_MS = 120_000;

/** Routes for which an unknown id is a filter that nothing fits. */
const FILTERED = new Set(['GET /posts', 'GET /moderation', 'GET /inbox/counts', 'GET /posts/similar']);

function ask(api: TestApi, route: Route, world: World, as: string | undefined) {
  const sample = SAMPLES[nameOf(route)]?.();
  if (sample === undefined) throw new Error(`${nameOf(route)} has no sample.`);
  const { path, body } = fill(route, sample, world);
  return api.call(route.method, path, { as, body });
}

/** Everything of an answer that may not tell a foreign id from an unknown one. */
async function imprint(answer: ReturnType<TestApi['call']>, asked: string): Promise<string> {
  const { status, headers, text } = await answer;
  const kept = [...headers].filter(([name]) => name !== 'date' && name !== 'keep-alive');
  return JSON.stringify([status, kept, text.replaceAll(asked, '{asked}')]);
}

describe('the table of routes', () => {
  test('has a sample for each route, and no sample without one', () => {
    expect(Object.keys(SAMPLES).toSorted()).toEqual(ROUTES.map(nameOf).toSorted());
  });

  test('asks for nothing that a grant cannot give', () => {
    const { tools, resources = [], rights = [] } = feedbackToolset;
    const given = new Set([...[...tools, ...resources].map(({ name }) => name), ...rights]);
    const asked = new Set(ROUTES.flatMap(({ grants }) => grants));
    expect([...asked].filter((name) => !given.has(name))).toEqual([]);
    expect(rights.filter((name) => !asked.has(name))).toEqual([]);
  });
});

onBothEngines('routes', (open) => {
  test('refuse whoever may not, and serve whoever may', { timeout: LONG_MS }, async () => {
    const api = await openRest(await open());
    const { keys, callers } = api;
    const bad = `qb_${'0'.repeat(48)}`;
    const other = await api.keyFor(callers.admin, { grants: { feedback: ['no_such_tool'] } });
    const elsewhere = await api.keyFor(callers.admin, { grants: { annotations: ['*'] } });
    const wrong: string[] = [];
    const world = await makeWorld(api);
    for (const route of ROUTES) {
      const seen = [
        (await ask(api, route, world, undefined)).status,
        (await ask(api, route, world, bad)).status,
        (await ask(api, route, world, keys.visitor)).status,
        (await ask(api, route, world, other)).status,
        (await ask(api, route, world, elsewhere)).status,
        route.who === 'admin' ? (await ask(api, route, world, keys.member)).status : 403,
      ];
      if (seen.join() !== '401,401,403,403,403,403') wrong.push(`${nameOf(route)} refused ${seen.join()}`);
    }
    expect(wrong).toEqual([]);
    for (const route of ROUTES) {
      const narrow = await api.keyFor(callers.admin, { grants: { feedback: [...route.grants] } });
      const allowed = [keys.admin, narrow, ...(route.who === 'team' ? [keys.member] : [])];
      for (const key of allowed) {
        const answer = await ask(api, route, await makeWorld(api, SAMPLES[nameOf(route)]?.()), key);
        if (answer.status !== route.answer.status) wrong.push(`${nameOf(route)} answered ${answer.text}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(api.faults).toEqual([]);
  });

  test('answer a foreign id as an unknown one, to the byte', { timeout: LONG_MS }, async () => {
    const store = await open();
    const api = await openRest(store);
    const neighbour = await openRest(store, { slug: 'neighbour' });
    const own = await makeWorld(api);
    const foreign = await makeWorld(neighbour);
    const unknown = unknownWorld(foreign);
    const wrong: string[] = [];
    let compared = 0;
    for (const route of ROUTES) {
      const used = JSON.stringify(SAMPLES[nameOf(route)]?.()).matchAll(/\{(\w+)\}/g);
      for (const name of new Set([...used].map(([, found]) => found as keyof World))) {
        const asked = (world: World) =>
          imprint(ask(api, route, { ...own, [name]: world[name] }, api.keys.admin), world[name]);
        const [first, second] = [await asked(foreign), await asked(unknown)];
        compared += 1;
        const isFilter = FILTERED.has(nameOf(route)) && /^\[(200|400)/.test(first);
        const isOutcome = nameOf(route) === 'POST /posts/bulk-triage' && first.includes('NOT_FOUND');
        const isInput = name === 'comment' && route.method === 'POST' && first.startsWith('[400');
        if (first !== second || !(first.startsWith('[404') || isFilter || isInput || isOutcome))
          wrong.push(`${nameOf(route)} by ${name}: ${first} and ${second}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(60);
  });

  test('editing and triage of a post are two grants', async () => {
    const api = await openRest(await open());
    const id = await api.post();
    const keyWith = (caller: Caller, tool: string) => api.keyFor(caller, { grants: { feedback: [tool] } });
    const triager = await keyWith(api.callers.member, 'triage_post');
    const editor = await api.keyFor(api.callers.admin, { grants: { feedback: ['update_post'] } });
    const patch = async (as: string, body: unknown) =>
      (await api.call('PATCH', `/posts/${id}`, { as, body })).status;
    expect(await patch(triager, { tagIds: [] })).toBe(200);
    expect(await patch(triager, { title: 'Mine' })).toBe(403);
    expect(await patch(triager, { title: 'Mine', tagIds: [] })).toBe(403);
    expect(await patch(editor, { title: 'Mine' })).toBe(200);
    expect(await patch(editor, { tagIds: [] })).toBe(403);
    expect(await patch(editor, {})).toBe(403);
  });

  test('a key whose member is gone is forbidden, and a portal visitor everywhere', async () => {
    const api = await openRest(await open());
    const leaver = await api.join('member', 'Lea Leaver');
    const as = await api.keyFor(leaver.caller);
    expect((await api.call('GET', '/posts', { as })).status).toBe(200);
    await api.call('DELETE', `/members/${leaver.memberId}`, { as: api.keys.admin });
    const gone = await api.call('GET', '/posts', { as });
    expect([gone.status, gone.json.error.code]).toEqual([403, 'FORBIDDEN']);
    expect((await api.call('GET', '/nowhere', { as: api.keys.visitor })).status).toBe(403);
  });
});
