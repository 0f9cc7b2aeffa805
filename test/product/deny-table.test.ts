/** Every tool and every route of the server by every kind of caller, compared with `deny-table.md`. */
import { agentToolset } from '@parley/agent';
import type { Caller } from '@parley/kit';
import { requestInfo } from '@parley/kit';
import { meshToolset } from '@parley/mesh';
import { modern, modernHeaders } from '@parley/test-support/wire';
import type { Line } from '@parley/test-support/table-lines';
import { linesOf } from '@parley/test-support/table-lines';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ABSENT_FILES, ABSENT_OAUTH } from '../../apps/server/src/known-strangers.ts';
import { OPEN_ROUTES, PROBE_PATHS } from '../../apps/server/src/probes.ts';
import { ORIGIN } from './annotations-page.ts';
import { AGENT_VIEWS, ROUTE_BODIES, ROUTE_IDS } from './deny-agents.ts';
import type { DenyBed, Role } from './deny-bed.ts';
import { openDenyBed, ROLES } from './deny-bed.ts';
import type { World } from './deny-samples.ts';
import { fill, makeWorld, SAMPLES, unknownWorld, VIEWS } from './deny-samples.ts';

const LONG_MS = 120_000;
const FEEDBACK = new URL('../../packages/feedback/src/deny-table.md', import.meta.url);
const HOUSE = new URL('deny-table.md', import.meta.url);
const TOOLS = linesOf(HOUSE, 'Tools');
const AGENT_TOOLS = linesOf(HOUSE, 'Tools of agents');
const FEEDBACK_TOOLS = linesOf(FEEDBACK, 'Tools');
const ROUTES = linesOf(HOUSE, 'Routes');
const FEEDBACK_ROUTES = linesOf(FEEDBACK, 'Routes');
const REMOTE_ROUTES = linesOf(HOUSE, 'Routes for other servers');
// Tried by deny-console.test.ts.
const CONSOLE_ROUTES = linesOf(HOUSE, 'Routes of the console');
const PAGES = linesOf(HOUSE, 'Pages');

let bed: DenyBed;
let world: World;

beforeAll(async () => {
  bed = await openDenyBed();
  world = await makeWorld(bed);
}, LONG_MS);
afterAll(() => bed.close());

/** The key of who stands in a column. */
const keyOf = (column: string) => (column === 'agent' ? bed.agents.key : bed.keys[column as Role]);

/** The lines of feedback have no column for a custom role, which gives nothing there, and no agent is let in. */
const cellOf = (line: Line, column: string, isOfFeedback: boolean, closed = '') => {
  if (isOfFeedback && column === 'agent') return closed;
  return line(isOfFeedback && column === 'curator' ? 'member' : column);
};

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
    expect(AGENT_TOOLS.map((line) => line('tool')).toSorted()).toEqual(bed.tools['agent']?.toSorted());
  });

  const refusal = async (key: string | undefined, name: string) => {
    const { status, text } = await bed.call(key, name);
    return `${status} ${text.replaceAll(name, 'TOOL')}`;
  };

  test.each(['no key', ...ROLES, 'agent'])('are there for a %s as the table says', async (column) => {
    const key = column === 'no key' ? undefined : keyOf(column);
    const listed = key === undefined ? [] : await bed.list(key);
    const nothing = await refusal(key, 'no_such_tool');
    const wrong: string[] = [];
    for (const line of [...TOOLS, ...FEEDBACK_TOOLS]) {
      const name = line('tool');
      const isOfFeedback = FEEDBACK_TOOLS.includes(line);
      const wanted = isOfFeedback && key === undefined ? '401' : cellOf(line, column, isOfFeedback, 'hidden');
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
  type Callers = Readonly<Record<string, (tool: string) => Caller>>;
  const CALLERS: Callers = {
    'member by name': (tool) => narrowed(bed.naming.member, (name) => name === tool),
    'owner by name': (tool) => narrowed(bed.naming.owner, (name) => name === tool),
    'other grants': (tool) => narrowed(bed.naming.owner, (name) => name !== tool),
    unattended: (tool) => ({ ...narrowed(bed.naming.owner, (name) => name === tool), unattended: true }),
  };

  /** The agent that may do everything, as if its list had only what fits. */
  const listing = (keeps: (name: string) => boolean): Caller => ({
    ...bed.acting.listing,
    held: { agent: (bed.tools['agent'] ?? []).filter(keeps) },
  });
  const ACTING: Callers = {
    agent: () => bed.acting.agent,
    "member's agent": () => bed.acting.member,
    named: (tool) => listing((name) => name === tool),
    'others named': (tool) => listing((name) => name !== tool),
    unattended: (tool) => ({ ...listing((name) => name === tool), unattended: true }),
  };

  /** What is otherwise than the lines say, for one column. */
  async function faultsOf(lines: readonly Line[], column: string, callers: Callers): Promise<string[]> {
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
    for (const line of lines) {
      const name = line('tool');
      const as = callers[column]?.(name);
      if (as === undefined) throw new Error(`Nobody calls as ${column}.`);
      const isListed = engine.list(as).tools.some((tool) => tool.name === name);
      const answer = isListed ? 'ok' : await refused(as, name);
      const seen = answer === (await refused(as, 'no_such_tool')) ? 'hidden' : answer;
      if (seen !== line(column)) wrong.push(`${name} for ${column}: ${seen}`);
    }
    return wrong;
  }

  // As the server narrows keys when they are used, without a key for each cell.
  test.each(Object.keys(CALLERS))('are there with %s as the table says', async (column) => {
    expect(await faultsOf(TOOLS, column, CALLERS)).toEqual([]);
  });

  test.each(Object.keys(ACTING))('of agents are there for %s as the table says', async (column) => {
    expect(await faultsOf(AGENT_TOOLS, column, ACTING)).toEqual([]);
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

/**
 * What goes on here by itself: the last use of keys and agents, and with it how an agent stands, is read off the records of
 * calls, which are written a moment after the tests before; a message that nobody takes up is given up after a while.
 */
const BY_ITSELF =
  /\\?"(?:(?:lastUsedAt|last_run_at)\\?":(?:null|\\?"[^"\\]*\\?")|status\\?":\\?"(?:idle|watched|running|queued|claimed|failed)\\?")/g;

describe('another organization', () => {
  async function viewOf(): Promise<string> {
    const views: string[] = [];
    for (const tool of VIEWS)
      views.push((await bed.call(bed.all, tool, fill(SAMPLES[tool] ?? {}, world))).text);
    for (const path of AGENT_VIEWS)
      views.push((await statusOf(`GET ${fill(path, world)}`, bed.keys.owner)).join());
    return views.join('\n').replaceAll(BY_ITSELF, '');
  }

  test('has from each tool what the table says, and changes nothing here', { timeout: LONG_MS }, async () => {
    const before = await viewOf();
    const unknown = unknownWorld(world);
    const things = [...Object.values(world), 'Acme', 'acme_', '@acme.example'];
    const wrong: string[] = [];
    const people = TOOLS.filter((line) => line('toolset') !== 'agent').map(
      (line) => [line, bed.rival] as const,
    );
    const acting = AGENT_TOOLS.map((line) => [line, bed.rivalAgents.key] as const);
    const isOwn = ([line]: readonly [Line, string]) => line('foreign') === 'own';
    const all = [...people, ...acting];
    // What names nothing goes first: afterwards the own records have what was named.
    for (const [line, key] of [...all.filter(isOwn), ...all.filter((each) => !isOwn(each))]) {
      const tool = line('tool');
      const isNamed = /\{\w+\}/.test(JSON.stringify(SAMPLES[tool]));
      if (line('foreign') !== (isNamed ? 'unknown' : 'own')) wrong.push(`${tool}: no such cell`);
      const first = await asked(key, tool, world);
      const second = isNamed ? await asked(key, tool, unknown) : '';
      if (isNamed ? first !== second : things.some((thing) => first.includes(thing)))
        wrong.push(`${tool}: ${first.slice(0, 600)} AND ${second.slice(0, 600)}`);
    }
    const nothing = await asked(bed.rival, 'no_such_tool', world);
    for (const line of TOOLS.filter((each) => each('toolset') === 'agent')) {
      const answer = await asked(bed.rival, line('tool'), world);
      const seen = answer.replaceAll(line('tool'), 'no_such_tool') === nothing ? 'hidden' : answer;
      if (seen !== line('foreign')) wrong.push(`${line('tool')}: ${seen}`);
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

/** What the sets of routes of a server tell of themselves. */
async function routesOf({ routes }: DenyBed['app']): Promise<string[]> {
  const told = routes.map(async (set) => set.routes?.() ?? [`nothing that "${set.name}" tells of`]);
  return (await Promise.all(told)).flat();
}

/** What routes ask for besides the names of tools. */
const RIGHTS: Readonly<Record<string, readonly string[]>> = {
  agent: agentToolset.rights ?? [],
  self: meshToolset.rights ?? [],
};

/** Routes that name things of an organization. */
const NAMING = / \/api\/.*\/:/;

/** What a route answers that names things of a world, with the names of ids in their places. */
async function namedBy(route: string, key: string, ids: World): Promise<string> {
  const [, named = {}] = Object.entries(ROUTE_IDS).find(([start]) => route.includes(` ${start}`)) ?? [];
  const [status, text] = await statusOf(route, key, fill(named, ids), {
    given: fill(ROUTE_BODIES[route] ?? {}, ids),
  });
  let plain = text;
  for (const [name, id] of Object.entries(ids)) plain = plain.replaceAll(id, `{${name}}`);
  return `${status} ${plain}`;
}

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
  ids: World = {},
  { given = {}, at = bed.url }: { given?: unknown; at?: string } = {},
): Promise<[status: string, text: string]> {
  const [method = '', pattern = ''] = route.split(' ');
  const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? 'nobody_0');
  const { body = given, headers = {} } = await askedOf(route);
  const stop = new AbortController();
  const answer = await fetch(`${at}${path}`, {
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
  const names = (route: string) => ({
    ...(route.includes('/organizations/') && {
      orgId: world['organization'] ?? '',
      id: world['delivery'] ?? '',
      eventId: world['event'] ?? '',
    }),
    token: bed.invitation,
  });

  test('have a line each, and no line is without its route', async () => {
    const toolsets = Object.keys(bed.tools).map((toolset) => `POST /mcp/${toolset}`);
    const open = [...OPEN_ROUTES, ...PROBE_PATHS, ...ABSENT_FILES, ...ABSENT_OAUTH];
    const own = [...new Set(open)].map((path) => `GET ${path}`);
    const sets = await routesOf(bed.app);
    const written = [
      ...[...ROUTES, ...CONSOLE_ROUTES, ...PAGES].map((line) => line('route')),
      ...FEEDBACK_ROUTES.map((line) => line('route').replace(' ', ' /api/v1')),
    ];
    const served = ['POST /mcp', 'GET /mcp', 'DELETE /mcp', ...toolsets, ...own, ...sets];
    expect(written.toSorted()).toEqual(served.toSorted());
  });

  const COLUMNS = ['no key', ...ROLES, 'agent'];
  test.each(COLUMNS)('answer a %s as the table says', { timeout: LONG_MS }, async (column) => {
    const key = column === 'no key' ? undefined : keyOf(column);
    const wrong: string[] = [];
    for (const line of ROUTES) {
      const [seen, text] = await statusOf(line('route'), key, names(line('route')));
      if (seen !== line(column)) wrong.push(`${line('route')} for ${column}: ${seen} ${text.slice(0, 200)}`);
    }
    for (const line of FEEDBACK_ROUTES) {
      // Its own tests send what is complete; here it is enough who gets past the door.
      const [seen] = await statusOf(line('route').replace(' ', ' /api/v1'), key, {});
      const cell = cellOf(line, column, true, '403');
      const isRight = cell.startsWith('2') ? !['401', '403'].includes(seen) : seen === cell;
      if (!isRight) wrong.push(`${line('route')} for ${column}: ${seen}`);
    }
    expect(wrong).toEqual([]);
  });

  async function ungranted(lines: readonly Line[], at: string): Promise<string[]> {
    const wrong: string[] = [];
    for (const line of lines.filter((each) => each('grant') !== '-')) {
      const [grant = '', toolset = 'self'] = line('grant').split(':').toReversed();
      const rest = [...(bed.tools[toolset] ?? []), ...(RIGHTS[toolset] ?? [])].filter(
        (name) => name !== grant,
      );
      const keys = {
        'its grant': await bed.keyWith({ [toolset]: [grant] }),
        'other grants': await bed.keyWith({ [toolset]: rest }),
      };
      for (const [column, key] of Object.entries(keys)) {
        const [seen] = await statusOf(line('route'), key, names(line('route')), { at });
        if (seen !== line(column)) wrong.push(`${line('route')} for ${column}: ${seen}`);
      }
    }
    return wrong;
  }

  test('ask for their grant', async () => {
    expect(await ungranted(ROUTES, bed.url)).toEqual([]);
  });

  test('for other servers are there when an agent is offered, and as the table says', async () => {
    const offering = await bed.offering();
    const usual = new Set(await routesOf(bed.app));
    const more = (await routesOf(offering.app)).filter((route) => !usual.has(route));
    expect(REMOTE_ROUTES.map((line) => line('route')).toSorted()).toEqual(more.toSorted());
    const wrong = await ungranted(REMOTE_ROUTES, offering.url);
    for (const line of REMOTE_ROUTES)
      for (const column of [...COLUMNS, 'foreign']) {
        const key = column === 'foreign' ? bed.rival : keyOf(column);
        const [seen] = await statusOf(
          line('route'),
          column === 'no key' ? undefined : key,
          {},
          { at: offering.url },
        );
        if (seen !== line(column)) wrong.push(`${line('route')} for ${column}: ${seen}`);
      }
    expect(wrong).toEqual([]);
  });

  test('give the owner of another organization what the table says', async () => {
    const wrong: string[] = [];
    const unknown = unknownWorld(world);
    for (const line of ROUTES) {
      const route = line('route');
      const answer = NAMING.test(route)
        ? await namedBy(route, bed.rival, world)
        : (await statusOf(route, bed.rival, names(route))).join(' ');
      const cell = line('foreign');
      const isRight = answer.startsWith(cell === 'own' ? '200 ' : `${cell} `);
      if (!isRight || (cell === 'own' && answer.includes('Acme')))
        wrong.push(`${route}: ${answer.slice(0, 200)}`);
      const second = NAMING.test(route) ? await namedBy(route, bed.rival, unknown) : answer;
      if (second !== answer) wrong.push(`${route}: ${answer} and ${second}`);
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
describe('whoever owns what the table calls unknown', () => {
  const takesAway = (name: string) => /DELETE|REMOVE|CANCEL|UNSUBSCRIBE|revoke|cancel/.test(name);

  test('is answered otherwise by tools of agents', async () => {
    const unknown = unknownWorld(world);
    const named = AGENT_TOOLS.filter((line) => line('foreign') === 'unknown').map((line) => line('tool'));
    const alike: string[] = [];
    for (const tool of named) {
      const nothing = await asked(bed.agents.key, tool, unknown);
      if ((await asked(bed.agents.key, tool, world)) === nothing) alike.push(`${tool} ${nothing}`);
    }
    expect(alike).toEqual([]);
  });

  test('is answered otherwise by routes', { timeout: LONG_MS }, async () => {
    const unknown = unknownWorld(world);
    const named = ROUTES.map((line) => line('route')).filter((route) => NAMING.test(route));
    // What is below something goes before it.
    const taking = named.filter(takesAway).toSorted((a, b) => b.length - a.length);
    const alike: string[] = [];
    for (const route of [...named.filter((each) => !takesAway(each)), ...taking]) {
      const nothing = await namedBy(route, bed.keys.owner, unknown);
      if ((await namedBy(route, bed.keys.owner, world)) === nothing) alike.push(`${route} ${nothing}`);
    }
    // Here no project has code, so there is no work, no plugin is loaded, the bundle is no preset, and the note has no picture.
    expect(alike.filter((each) => !/\/work|\/code|\/plugins|\/reset|\/picture/.test(each))).toEqual([]);
  });

  test('is answered otherwise by tools', { timeout: LONG_MS }, async () => {
    const unknown = unknownWorld(world);
    const named = TOOLS.filter((line) => line('foreign') === 'unknown').map((line) => line('tool'));
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
});
