/** Every route by every kind of caller, compared with the table that is written down in `deny-table.md`. */
import type { Caller } from '@parley/kit';
import { scratchStore } from '@parley/store/testing';
import { describe, expect, test } from 'vitest';
import { contentOf, grantNames, linesOf, namesIn } from '../../test/deny-table.ts';
import type { Line } from '../../test/deny-table.ts';
import type { TestApi } from '../../test/rest-api.ts';
import { openRest, serveRest } from '../../test/rest-api.ts';
import type { World } from '../../test/rest-samples.ts';
import { fill, makeWorld, nameOf, SAMPLES, unknownWorld } from '../../test/rest-samples.ts';
import { ROUTES } from './routes/index.ts';
import { onBothEngines } from '../testing/engines.ts';
import { feedbackToolset } from '../toolset.ts';

const LONG_MS = 240_000;
const LINES = linesOf('Routes');
const COLUMNS = ['no key', 'visitor', 'member', 'admin', 'owner', 'its grant', 'other grants', 'unattended'];

function sampleOf(name: string) {
  const sample = SAMPLES[name]?.();
  if (sample === undefined) throw new Error(`${name} has no sample.`);
  return sample;
}

function ask(api: Pick<TestApi, 'call'>, name: string, world: World, as: string | undefined) {
  const [method = '', path = ''] = name.split(' ');
  const filled = fill({ path }, sampleOf(name), world);
  return api.call(method, filled.path, { as, body: filled.body });
}

/** How somebody of each column calls. */
type Callers = (column: string, line: Line) => Promise<[api: Pick<TestApi, 'call'>, key: string | undefined]>;

async function callersOf(api: TestApi): Promise<Callers> {
  const { keys, callers, identity } = api;
  const admin = await api.keyFor((await api.join('admin', 'Alex Admin')).caller);
  const unwatched = await serveRest({
    ...api,
    services: {
      ...api.services,
      identity: {
        ...identity,
        async authenticate(...given) {
          const caller = await identity.authenticate(...given);
          return caller && { ...caller, unattended: true };
        },
      },
    },
  });
  const keyWith = (tools: string[]) => api.keyFor(callers.admin, { grants: { feedback: tools } });
  return async (column, line) => {
    const grant = namesIn(line('grant'));
    switch (column) {
      case 'no key':
        return [api, undefined];
      case 'visitor':
        return [api, keys.visitor];
      case 'member':
        return [api, keys.member];
      case 'admin':
        return [api, admin];
      case 'owner':
        return [api, keys.admin];
      case 'its grant':
        return [api, await keyWith(grant)];
      case 'other grants':
        return [api, await keyWith(grantNames().filter((name) => !grant.includes(name)))];
      case 'unattended':
        return [unwatched, keys.admin];
      default:
        throw new Error(`Nobody calls as ${column}.`);
    }
  };
}

const isRefusal = (cell: string) => cell.startsWith('4');

describe('the table of routes', () => {
  test('has a line for each route, and no line without one', () => {
    expect(LINES.map((line) => line('route')).toSorted()).toEqual(ROUTES.map(nameOf).toSorted());
  });

  test('asks for nothing that a grant cannot give', () => {
    const { tools, resources = [], rights = [] } = feedbackToolset;
    const given = [...[...tools, ...resources].map(({ name }) => name), ...rights];
    expect(grantNames().toSorted()).toEqual(given.toSorted());
  });
});

/** What each field of the section `Fields` is asked with. */
const FIELDS: Readonly<Record<string, (board: string) => [path: string, body?: unknown]>> = {
  'GET /posts showDeleted': () => ['/posts?showDeleted=true'],
  'GET /inbox/counts showDeleted': () => ['/inbox/counts?showDeleted=true'],
  'GET /inbox/posts showDeleted': () => ['/inbox/posts?showDeleted=true'],
  'POST /posts createdAt': (boardId) => [
    '/posts',
    { boardId, title: 'Old', createdAt: '2020-01-01T00:00:00Z' },
  ],
};

describe('routes', () => {
  test('refuse whoever the table says, and change nothing then', { timeout: LONG_MS }, async () => {
    await using store = await scratchStore();
    const api = await openRest(store);
    const callers = await callersOf(api);
    const world = await makeWorld(api);
    const before = await contentOf(api);
    const wrong: string[] = [];
    for (const line of LINES) {
      for (const column of COLUMNS.filter((each) => isRefusal(line(each)))) {
        const [at, key] = await callers(column, line);
        const { status } = await ask(at, line('route'), world, key);
        if (String(status) !== line(column)) wrong.push(`${line('route')} for ${column}: ${status}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(await contentOf(api)).toBe(before);
    expect(api.faults).toEqual([]);
  });

  test('serve whoever the table says', { timeout: LONG_MS }, async () => {
    await using store = await scratchStore();
    const api = await openRest(store);
    const callers = await callersOf(api);
    const readOnly = await makeWorld(api);
    const wrong: string[] = [];
    for (const line of LINES) {
      const name = line('route');
      for (const column of COLUMNS.filter((each) => !isRefusal(line(each)))) {
        const world = name.startsWith('GET') ? readOnly : await makeWorld(api, sampleOf(name));
        const [at, key] = await callers(column, line);
        const { status, text } = await ask(at, name, world, key);
        if (String(status) !== line(column)) wrong.push(`${name} for ${column}: ${status} ${text}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(api.faults).toEqual([]);
  });

  test('ask more for the fields that the table names', async () => {
    await using store = await scratchStore();
    const api = await openRest(store);
    const board = await api.board();
    const lines = linesOf('Fields');
    expect(lines.map((line) => `${line('route')} ${line('field')}`)).toEqual(Object.keys(FIELDS));
    for (const line of lines) {
      const name = `${line('route')} ${line('field')}`;
      const [path, body] = FIELDS[name]?.(board) ?? [''];
      for (const rank of ['member', 'admin'] as const) {
        const { status } = await api.call(name.split(' ')[0] ?? '', path, { as: api.keys[rank], body });
        expect({ name, rank, status: String(status) }).toEqual({ name, rank, status: line(rank) });
      }
    }
  });
});

/** Everything of an answer that may not tell a foreign id from an unknown one. */
async function imprint(answer: ReturnType<TestApi['call']>, asked: World): Promise<string> {
  const { status, headers, text } = await answer;
  // The id of a request is random: that it is there is compared, not what it is.
  const kept = [...headers]
    .filter(([name]) => name !== 'date' && name !== 'keep-alive')
    .map(([name, value]) => (name === 'x-request-id' ? [name, value.length] : [name, value]));
  let plain = text;
  for (const [name, id] of Object.entries(asked)) plain = plain.replaceAll(id, `{${name}}`);
  return JSON.stringify([status, kept, plain]);
}

/** The names of the things that a route is asked for. */
function namedBy(name: string): (keyof World)[] {
  const found = JSON.stringify(sampleOf(name)).matchAll(/\{(\w+)\}/g);
  // Samples name things of a world and nothing else.
  return [...new Set([...found].map(([, thing]) => thing as keyof World))];
}

onBothEngines('routes and two organizations', (open) => {
  test('give the owner of another one what the table says', { timeout: LONG_MS }, async () => {
    const store = await open();
    const api = await openRest(store);
    const neighbour = await openRest(store, { slug: 'neighbour' });
    const world = await makeWorld(api);
    await makeWorld(neighbour);
    const unknown = unknownWorld(world);
    const before = await contentOf(api);
    const wrong: string[] = [];
    for (const line of LINES) {
      const [name, cell] = [line('route'), line('foreign')];
      const answer = await ask(neighbour, name, world, neighbour.keys.admin);
      const isNamed = namedBy(name).length > 0;
      const isRight = isRefusal(cell)
        ? isNamed && String(answer.status) === cell
        : answer.status < 300 &&
          (cell === 'none' ? noneFound(answer.json.data) : !isNamed && isClean(answer.text));
      if (!isRight) wrong.push(`${name}: ${answer.status} ${answer.text}`);
      if (!isNamed) continue;
      const [first, second] = [
        await imprint(ask(neighbour, name, world, neighbour.keys.admin), world),
        await imprint(ask(neighbour, name, unknown, neighbour.keys.admin), unknown),
      ];
      if (first !== second) wrong.push(`${name}: ${first} and ${second}`);
    }
    function isClean(text: string): boolean {
      return ![...Object.values(world), '@acme.example'].some((part) => text.includes(part));
    }
    expect(wrong).toEqual([]);
    expect(await contentOf(api)).toBe(before);
  });

  test('take each foreign id for an unknown one, to the byte', { timeout: LONG_MS }, async () => {
    const store = await open();
    const api = await openRest(store);
    const own = await makeWorld(api);
    const foreign = await makeWorld(await openRest(store, { slug: 'neighbour' }));
    const unknown = unknownWorld(foreign);
    const wrong: string[] = [];
    for (const line of LINES) {
      const name = line('route');
      for (const thing of namedBy(name)) {
        const asked = (world: World) => {
          const mixed = { ...own, [thing]: world[thing] };
          return imprint(ask(api, name, mixed, api.keys.admin), world);
        };
        const [first, second] = [await asked(foreign), await asked(unknown)];
        // A parent that is not there is a fault of the input.
        const cell = name === 'POST /posts/:id/comments' && thing === 'comment' ? '400' : line('foreign');
        const isRight = cell === 'none' ? first.includes('NOT_FOUND') : first.startsWith(`[${cell}`);
        if (first !== second || !isRight) wrong.push(`${name} by ${thing}: ${first} and ${second}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('editing and triage of a post are two grants', async () => {
    const api = await openRest(await open());
    const id = await api.post();
    const keyWith = (caller: Caller, tool: string) => api.keyFor(caller, { grants: { feedback: [tool] } });
    const triager = await keyWith(api.callers.member, 'triage_post');
    const editor = await keyWith(api.callers.admin, 'update_post');
    const patch = async (as: string, body: unknown) =>
      (await api.call('PATCH', `/posts/${id}`, { as, body })).status;
    expect(await patch(triager, { tagIds: [] })).toBe(200);
    expect(await patch(triager, { title: 'Mine' })).toBe(403);
    expect(await patch(triager, { title: 'Mine', tagIds: [] })).toBe(403);
    expect(await patch(editor, { title: 'Mine' })).toBe(200);
    expect(await patch(editor, { tagIds: [] })).toBe(403);
    expect(await patch(editor, {})).toBe(403);
  });

  test('a key that nobody has, or that has grants elsewhere, opens nothing', async () => {
    const api = await openRest(await open());
    const leaver = await api.join('member', 'Lea Leaver');
    const as = await api.keyFor(leaver.caller);
    const elsewhere = await api.keyFor(api.callers.admin, { grants: { annotations: ['*'] } });
    expect((await api.call('GET', '/posts', { as })).status).toBe(200);
    await api.call('DELETE', `/members/${leaver.memberId}`, { as: api.keys.admin });
    const gone = await api.call('GET', '/posts', { as });
    expect([gone.status, gone.json.error.code]).toEqual([403, 'FORBIDDEN']);
    expect((await api.call('GET', '/posts', { as: elsewhere })).status).toBe(403);
    expect((await api.call('GET', '/posts', { as: `qb_${'0'.repeat(48)}` })).status).toBe(401);
    expect((await api.call('GET', '/nowhere', { as: api.keys.visitor })).status).toBe(403);
  });
});

function noneFound(outcomes: readonly { ok: boolean; error?: { code: string } }[]): boolean {
  return outcomes.length > 0 && outcomes.every(({ ok, error }) => !ok && error?.code === 'NOT_FOUND');
}
