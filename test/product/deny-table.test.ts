/** Every tool and every route of the server by every kind of caller, compared with `deny-table.md`. */
import { agentToolset } from '@parley/agent';
import type { Caller } from '@parley/kit';
import { requestInfo } from '@parley/kit';
import { modern, modernHeaders } from '@parley/test-support/wire';
import type { Line } from '@parley/test-support/table-lines';
import { linesOf } from '@parley/test-support/table-lines';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ABSENT_FILES, ABSENT_OAUTH } from '../../apps/server/src/known-strangers.ts';
import { PROBE_PATHS } from '../../apps/server/src/probes.ts';
import { ORIGIN } from './annotations-page.ts';
import type { DenyBed } from './deny-bed.ts';
import { openDenyBed, ROLES } from './deny-bed.ts';
import type { World } from './deny-samples.ts';
import { fill, makeWorld, SAMPLES, unknownWorld, VIEWS } from './deny-samples.ts';

const LONG_MS = 120_000;
const FEEDBACK = new URL('../../packages/feedback/src/deny-table.md', import.meta.url);
const HOUSE = new URL('deny-table.md', import.meta.url);
const TOOLS = linesOf(HOUSE, 'Tools');
const FEEDBACK_TOOLS = linesOf(FEEDBACK, 'Tools');
const ROUTES = linesOf(HOUSE, 'Routes');
const FEEDBACK_ROUTES = linesOf(FEEDBACK, 'Routes');
const PAGES = linesOf(HOUSE, 'Pages');

let bed: DenyBed;
let world: World;

beforeAll(async () => {
  bed = await openDenyBed();
  world = await makeWorld(bed);
}, LONG_MS);
afterAll(() => bed.close());

/** The lines of feedback have no column for a custom role, which gives nothing there. */
const cellOf = (line: Line, column: string, isOfFeedback: boolean) =>
  line(isOfFeedback && column === 'curator' ? 'member' : column);

describe('tools', () => {
  test('have a line each, and no line is without its tool', () => {
    const served = Object.entries(bed.tools).flatMap(([toolset, names]) =>
      names.map((name) => `${toolset} ${name}`),
    );
    const written = [
      ...TOOLS.map((line) => `${line('toolset')} ${line('tool')}`),
      ...FEEDBACK_TOOLS.map((line) => `feedback ${line('tool')}`),
    ];
    expect(written.toSorted()).toEqual(served.toSorted());
    expect(Object.keys(SAMPLES).toSorted()).toEqual(TOOLS.map((line) => line('tool')).toSorted());
  });

  const refusal = async (key: string | undefined, name: string) => {
    const { status, text } = await bed.call(key, name);
    return `${status} ${text.replaceAll(name, 'TOOL')}`;
  };

  test.each(['no key', ...ROLES])('are there for a %s as the table says', async (column) => {
    const key = column === 'no key' ? undefined : bed.keys[column as (typeof ROLES)[number]];
    const listed = key === undefined ? [] : await bed.list(key);
    const nothing = await refusal(key, 'no_such_tool');
    const wrong: string[] = [];
    for (const line of [...TOOLS, ...FEEDBACK_TOOLS]) {
      const name = line('tool');
      const isOfFeedback = FEEDBACK_TOOLS.includes(line);
      const wanted = isOfFeedback && key === undefined ? '401' : cellOf(line, column, isOfFeedback);
      const answer = listed.includes(name) ? 'ok' : await refusal(key, name);
      const seen = answer === nothing ? (key === undefined ? answer.slice(0, 3) : 'hidden') : answer;
      if (seen !== wanted) wrong.push(`${name} for ${column}: ${seen}`);
    }
    expect(wrong).toEqual([]);
  });

  /** The same caller with one more look at their grants: only those that fit. */
  const narrowed = (caller: Caller, keeps: (name: string) => boolean): Caller => ({
    ...caller,
    grants: Object.fromEntries(
      Object.entries(caller.grants).map(([toolset, names]) => [toolset, names.filter(keeps)]),
    ),
  });
  const CALLERS: Readonly<Record<string, (tool: string) => Caller>> = {
    'member by name': (tool) => narrowed(bed.naming.member, (name) => name === tool),
    'owner by name': (tool) => narrowed(bed.naming.owner, (name) => name === tool),
    'other grants': (tool) => narrowed(bed.naming.owner, (name) => name !== tool),
    unattended: (tool) => ({ ...narrowed(bed.naming.owner, (name) => name === tool), unattended: true }),
  };

  // As the server narrows keys when they are used, without a key for each cell.
  test.each(Object.keys(CALLERS))('are there with %s as the table says', async (column) => {
    const engine = bed.app.host.engine();
    const exchange = {
      info: requestInfo({ id: 1, era: 'local', client: null }),
      signal: () => AbortSignal.any([]),
    };
    const refused = (as: Caller, name: string) =>
      engine.call(as, name, {}, exchange).then(
        (answer) => JSON.stringify(answer),
        (error: Error) => error.message.replaceAll(name, 'TOOL'),
      );
    const wrong: string[] = [];
    for (const line of TOOLS) {
      const name = line('tool');
      const as = CALLERS[column]?.(name);
      if (as === undefined) throw new Error(`Nobody calls as ${column}.`);
      const isListed = engine.list(as).tools.some((tool) => tool.name === name);
      const answer = isListed ? 'ok' : await refused(as, name);
      const seen = answer === (await refused(as, 'no_such_tool')) ? 'hidden' : answer;
      if (seen !== line(column)) wrong.push(`${name} for ${column}: ${seen}`);
    }
    expect(wrong).toEqual([]);
  });

  test('that are denied leave a record', async () => {
    const { records } = bed.app.host.store;
    const { organizationId } = bed;
    const hidden = TOOLS.filter((line) => ROLES.some((role) => line(role) === 'hidden'));
    await records.flush();
    const denied = await records.list({ organizationId, outcome: 'denied', limit: 10_000 });
    const names = new Set(denied.map(({ tool }) => tool));
    expect(hidden.map((line) => line('tool')).filter((name) => !names.has(name))).toEqual([]);
  });
});

/** What a tool answers, with the names of ids in their places. */
async function asked(key: string, tool: string, ids: World): Promise<string> {
  const { status, text } = await bed.call(key, tool, fill(SAMPLES[tool] ?? {}, ids));
  let plain = text;
  for (const [name, id] of Object.entries(ids)) plain = plain.replaceAll(id, `{${name}}`);
  return `${status} ${plain}`;
}

describe('another organization', () => {
  async function viewOf(): Promise<string> {
    const views: string[] = [];
    for (const tool of VIEWS)
      views.push((await bed.call(bed.all, tool, fill(SAMPLES[tool] ?? {}, world))).text);
    return views.join('\n').replaceAll(/"lastUsedAt\W+[\w:.-]+/g, '');
  }

  test('has from each tool what the table says, and changes nothing here', { timeout: LONG_MS }, async () => {
    const before = await viewOf();
    const unknown = unknownWorld(world);
    const things = [...Object.values(world), 'Acme', 'acme_', '@acme.example'];
    const wrong: string[] = [];
    // What names nothing goes first: afterwards the own records have what was named.
    const isOwn = (line: Line) => line('foreign') === 'own';
    for (const line of [...TOOLS.filter(isOwn), ...TOOLS.filter((each) => !isOwn(each))]) {
      const tool = line('tool');
      const isNamed = /\{\w+\}/.test(JSON.stringify(SAMPLES[tool]));
      if (line('foreign') !== (isNamed ? 'unknown' : 'own')) wrong.push(`${tool}: no such cell`);
      const first = await asked(bed.rival, tool, world);
      const second = isNamed ? await asked(bed.rival, tool, unknown) : '';
      if (isNamed ? first !== second : things.some((thing) => first.includes(thing)))
        wrong.push(`${tool}: ${first.slice(0, 600)} AND ${second.slice(0, 600)}`);
    }
    expect(wrong).toEqual([]);
    expect(await viewOf()).toBe(before);
  });
});

interface Asked {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a route is asked with besides its path and `{}`. */
async function askedOf(route: string): Promise<Asked> {
  if (route.startsWith('POST /mcp')) {
    const body = modern('tools/list', {}, { id: 1 });
    return { body, headers: modernHeaders(body) };
  }
  if (route.endsWith(' /mcp')) return { headers: { ...ERA_2025, 'mcp-session-id': await newSession() } };
  if (route === 'POST /api/events') return { body: { type: 'table.tried' } };
  if (route.includes(' /__parley/'))
    return { headers: { origin: ORIGIN }, body: { type: 'session:ping', payload: {} } };
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin: bed.url };
  if (route.startsWith('POST /join') || route.startsWith('POST /feedback'))
    return { headers: form, body: '' };
  return {};
}

/** What routes ask for besides the names of tools. */
const RIGHTS: Readonly<Record<string, readonly string[]>> = { agent: agentToolset.rights ?? [] };

const ERA_2025 = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  'mcp-protocol-version': '2025-06-18',
};

/** The id of a session of the owner, as clients of 2025 have them. */
async function newSession(): Promise<string> {
  const clientInfo = { name: 'table', version: '1.0.0' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const answer = await fetch(`${bed.url}/mcp`, {
    method: 'POST',
    headers: { ...ERA_2025, authorization: `Bearer ${bed.keys.owner}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  });
  await answer.text();
  return answer.headers.get('mcp-session-id') ?? '';
}

/** Asks for a route with a key; a stream is left at its first byte. */
async function statusOf(
  route: string,
  key: string | undefined,
  ids: World,
): Promise<[status: string, text: string]> {
  const [method = '', pattern = ''] = route.split(' ');
  const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? 'nobody_0');
  const { body = {}, headers = {} } = await askedOf(route);
  const stop = new AbortController();
  const answer = await fetch(`${bed.url}${path}`, {
    method,
    redirect: 'manual',
    signal: stop.signal,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(method !== 'GET' && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(method !== 'GET' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const text = isStream ? '' : await answer.text();
  stop.abort();
  return [String(answer.status), text];
}

describe('routes', () => {
  const names = () => ({
    orgId: world['organization'] ?? '',
    id: world['delivery'] ?? '',
    token: bed.invitation,
  });

  test('have a line each, and no line is without its route', async () => {
    const toolsets = Object.keys(bed.tools).map((toolset) => `POST /mcp/${toolset}`);
    const own = ['/', ...PROBE_PATHS, ...ABSENT_FILES, ...ABSENT_OAUTH].map((path) => `GET ${path}`);
    const told = bed.app.routes.map(async (set) => set.routes?.() ?? [`nothing that "${set.name}" tells of`]);
    const sets = (await Promise.all(told)).flat();
    const written = [
      ...[...ROUTES, ...PAGES].map((line) => line('route')),
      ...FEEDBACK_ROUTES.map((line) => line('route').replace(' ', ' /api/v1')),
    ];
    const served = ['POST /mcp', 'GET /mcp', 'DELETE /mcp', ...toolsets, ...own, ...sets];
    expect(written.toSorted()).toEqual(served.toSorted());
  });

  test.each(['no key', ...ROLES])('answer a %s as the table says', { timeout: LONG_MS }, async (column) => {
    const key = column === 'no key' ? undefined : bed.keys[column as (typeof ROLES)[number]];
    const wrong: string[] = [];
    for (const line of ROUTES) {
      const [seen, text] = await statusOf(line('route'), key, names());
      if (seen !== line(column)) wrong.push(`${line('route')} for ${column}: ${seen} ${text.slice(0, 200)}`);
    }
    for (const line of FEEDBACK_ROUTES) {
      // Its own tests send what is complete; here it is enough who gets past the door.
      const [seen] = await statusOf(line('route').replace(' ', ' /api/v1'), key, {});
      const cell = cellOf(line, column, true);
      const isRight = cell.startsWith('2') ? !['401', '403'].includes(seen) : seen === cell;
      if (!isRight) wrong.push(`${line('route')} for ${column}: ${seen}`);
    }
    expect(wrong).toEqual([]);
  });

  test('ask for their grant', async () => {
    const wrong: string[] = [];
    for (const line of ROUTES.filter((each) => each('grant') !== '-')) {
      const [grant = '', toolset = 'self'] = line('grant').split(':').toReversed();
      const rest = [...(bed.tools[toolset] ?? []), ...(RIGHTS[toolset] ?? [])].filter(
        (name) => name !== grant,
      );
      const keys = {
        'its grant': await bed.keyWith({ [toolset]: [grant] }),
        'other grants': await bed.keyWith({ [toolset]: rest }),
      };
      for (const [column, key] of Object.entries(keys)) {
        const [seen] = await statusOf(line('route'), key, names());
        if (seen !== line(column)) wrong.push(`${line('route')} for ${column}: ${seen}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('give the owner of another organization what the table says', async () => {
    const wrong: string[] = [];
    const nobody = { ...names(), orgId: unknownWorld(world)['organization'] ?? '' };
    for (const line of ROUTES) {
      const [seen, text] = await statusOf(line('route'), bed.rival, names());
      const cell = line('foreign');
      const isRight = cell === 'own' ? seen === '200' && !text.includes('Acme') : seen === cell;
      if (!isRight) wrong.push(`${line('route')}: ${seen} ${text.slice(0, 200)}`);
      if (!line('route').includes(':orgId')) continue;
      const unknown = await statusOf(line('route'), bed.rival, nobody);
      if (unknown.join(' ') !== `${seen} ${text}`) wrong.push(`${line('route')}: ${text} and ${unknown[1]}`);
    }
    expect(wrong).toEqual([]);
  });
});

describe('pages', () => {
  const rest = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${bed.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${bed.keys.owner}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
    return ((await answer.json()) as { data: any }).data;
  };

  const places: Record<string, string> = {};
  beforeAll(async () => {
    const board = await rest('POST', '/boards', { name: 'Ideas' });
    const post = await rest('POST', '/posts', { boardId: board.id, title: 'Dark mode' });
    const comment = await rest('POST', `/posts/${post.id}/comments`, { content: 'Yes' });
    const publishedAt = new Date().toISOString();
    const entry = await rest('POST', '/changelog', { title: 'News', content: 'Text', publishedAt });
    const ids = { boards: board.slug, posts: post.id, comments: comment.id, changelog: entry.id };
    Object.assign(places, ids);
  });

  async function faults(column: string, key: string | undefined, lines: readonly Line[]): Promise<string[]> {
    const wrong: string[] = [];
    for (const line of lines) {
      const [, noun = ''] = /(\w+)\/:at/.exec(line('route')) ?? [];
      const [seen, text] = await statusOf(line('route'), key, { at: places[noun] ?? '' });
      if (seen !== line(column)) wrong.push(`${line('route')}: ${seen} ${text.slice(0, 100)}`);
    }
    return wrong;
  }

  test('are not there until they are published', async () => {
    expect(await faults('unpublished', undefined, PAGES)).toEqual([]);
  });

  test('are there for everybody afterwards, whatever key they send, and nothing changes', async () => {
    await rest('PATCH', '/settings', { isPublished: true });
    const before = await rest('GET', `/posts/${places['posts']}`);
    expect(await faults('published', undefined, PAGES)).toEqual([]);
    expect(await rest('GET', `/posts/${places['posts']}`)).toEqual(before);
    const reads = PAGES.filter((line) => line('route').startsWith('GET'));
    expect(await faults('published', bed.rival, reads)).toEqual([]);
  });
});

// Last, since it takes everything away.
test('whoever owns what the table calls unknown is answered otherwise', { timeout: LONG_MS }, async () => {
  const unknown = unknownWorld(world);
  const named = TOOLS.filter((line) => line('foreign') === 'unknown').map((line) => line('tool'));
  const takesAway = (tool: string) => /DELETE|REMOVE|CANCEL|UNSUBSCRIBE|revoke|cancel/.test(tool);
  const end = 'ORGANIZATION_DELETE';
  const taking = named.filter((tool) => takesAway(tool) && tool !== end).toReversed();
  const alike: string[] = [];
  for (const tool of [...named.filter((each) => !takesAway(each)), ...taking, end]) {
    const nothing = await asked(bed.all, tool, unknown);
    if ((await asked(bed.all, tool, world)) === nothing) alike.push(`${tool} ${nothing}`);
  }
  // No tool writes messages, so the thread has none; the tests of threads have some.
  expect(alike).toEqual([expect.stringMatching(/^COLLECTION_THREAD_MESSAGES_LIST 200 /)]);
});
