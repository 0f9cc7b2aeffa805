/** The console's API: live news for those who may hear them, tasks, annotations, calls of tools, and what strangers and floods get. */
import { request } from 'node:http';
import { eventually } from '@parley/test-support/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPage, tokenOf } from './annotations-page.ts';
import type { Browser, ConsoleServer, StreamEvent } from './console-browser.ts';
import { startConsole } from './console-browser.ts';
import { callTool, message, post } from './mcp-messages.ts';

let server: ConsoleServer;
let owner: Browser;
let member: Browser;
/** The owner of a neighbour on the same server. */
let rival: Browser;

beforeAll(async () => {
  server = await startConsole();
  const { identity } = server.app.host;
  owner = await server.signedIn();
  const { person, organization } = (await owner.ask('GET /api/session')).body.data;
  const by = (await identity.callerOfMember(organization.id, person.id))!;
  const userId = await identity.ensureUser({ email: 'bo@acme.example', name: 'Bo' });
  await identity.addMember(by, { userId, roles: ['member'] });
  member = await server.signedIn('bo@acme.example');
  const other = { name: 'Rita Rival', email: 'rita@rival.example' };
  await identity.createOrganization({ slug: 'rival', name: 'Rival', owner: other });
  rival = await server.signedIn('rita@rival.example');
});
afterAll(() => server[Symbol.asyncDispose]());

/** Reads until something fits. */
async function until(
  stream: { next(): Promise<StreamEvent | undefined> },
  fits: (event: StreamEvent) => boolean,
) {
  for (let event = await stream.next(); event !== undefined; event = await stream.next())
    if (fits(event)) return event;
  throw new Error('The stream ended without it.');
}

const of = (topic: string, id?: string) => (event: StreamEvent) =>
  event.data.topic === topic && (id === undefined || event.data.id === id || event.data.id === null);

describe('the live stream', () => {
  test('tells of changes by others within moments, each topic to those who may look, and nothing of a neighbour', async () => {
    const [heard, narrow, far] = await Promise.all(
      [owner, member, rival].map((browser) => browser.stream('GET /api/live')),
    );
    const board = (await owner.ask('POST /api/v1/boards', { body: { name: 'Live' } })).body.data;
    expect(board.id).toBeDefined();
    await until(heard!, of('posts', 'boards'));
    await until(narrow!, of('posts', 'boards'));
    await callTool(server, 'parley_whoami');
    await until(heard!, of('calls'));
    const source = { path: '$', from: 'output' };
    const widgets = [{ id: 'w1', name: 'Calls', type: 'metric', source, aggregation: { fn: 'count' } }];
    await owner.call('self', 'MONITORING_DASHBOARD_CREATE', { name: 'Live', filters: {}, widgets });
    await until(heard!, of('dashboards'));
    const { organization } = (await owner.ask('GET /api/session')).body.data;
    const project = { organizationId: organization.id, slug: 'live', name: 'Live' };
    await owner.call('self', 'PROJECT_CREATE', project);
    await until(heard!, of('projects'));
    await server.app.host.identity.roles.save((await sessionOf(owner)).caller, {
      name: 'curator',
      grants: { parley: ['parley_whoami'] },
    });
    await until(heard!, of('members'));
    await until(narrow!, of('members'));
    // Nobody but the owner has looked at calls, and the neighbour has heard of none of it.
    await rival.ask('POST /api/v1/boards', { body: { name: 'Theirs' } });
    expect((await far!.next())?.data).toMatchObject({ topic: 'posts', id: 'boards' });
    for (const stream of [heard, narrow, far]) stream?.close();
  });

  test('is for the topics that were asked for, and refuses none that is unknown', async () => {
    const stream = await owner.stream('GET /api/live?topics=keys,nonsense');
    expect(stream.status).toBe(200);
    await owner.ask('POST /api/v1/boards', { body: { name: 'Quiet' } });
    await owner.call('self', 'API_KEY_CREATE', { name: 'Told', permissions: { parley: ['parley_whoami'] } });
    expect((await stream.next())?.data).toMatchObject({ topic: 'keys' });
    stream.close();
  });

  test('is silent about what a role does not allow any more, while it is open', async () => {
    const { identity } = server.app.host;
    const { caller: by } = await sessionOf(owner);
    const { caller } = await sessionOf(member);
    await identity.setRank(by, caller.id, 'admin');
    const stream = await member.stream('GET /api/live?topics=calls,members');
    await callTool(server, 'parley_whoami');
    await until(stream, of('calls'));
    await identity.setRank(by, caller.id, 'member');
    await until(stream, of('members'));
    // Told after the change of rights was looked at, since the stream itself says nothing when it becomes silent.
    await eventually(async () => {
      await callTool(server, 'parley_whoami');
      await identity.roles.save(by, { name: `role${Date.now()}`, grants: { parley: ['parley_whoami'] } });
      const next = await until(stream, () => true);
      expect(next.data.topic).toBe('members');
    });
    stream.close();
  });

  test('ends with the session, and says so', async () => {
    const browser = await server.signedIn();
    const stream = await browser.stream('GET /api/live?topics=sessions');
    await browser.ask('DELETE /api/session');
    expect((await stream.all()).at(-1)).toMatchObject({ event: 'signed-out' });
  });

  test('has so many places for one person, and one that nobody reads harms no other', async () => {
    const { cookie = '', headers } = owner;
    const { port } = new URL(server.url);
    const unread = Array.from({ length: 20 }, () => {
      const req = request({
        port,
        host: '127.0.0.1',
        path: '/api/live',
        headers: { ...headers.call(owner, 'GET'), cookie },
      });
      req.on('error', () => undefined);
      req.on('response', (res) => res.pause()).end();
      return req;
    });
    const opened = await Promise.all(Array.from({ length: 15 }, () => owner.stream('GET /api/live')));
    await eventually(async () => {
      const more = await owner.stream('GET /api/live');
      opened.push(more);
      expect(more.status).toBe(429);
      expect(more.answer.headers.get('retry-after')).toBe('15');
    });
    const { organizationId } = (await sessionOf(owner)).caller;
    for (let count = 0; count < 50; count += 1)
      await server.app.host.store.signal.publish('feedback.posts', organizationId);
    expect((await member.ask('GET /api/counts')).status).toBe(200);
    for (const req of unread) req.destroy();
    for (const stream of opened) stream.close();
    await eventually(async () => {
      const again = await owner.stream('GET /api/live');
      again.close();
      expect(again.status).toBe(200);
    });
  });
});

async function sessionOf(browser: Browser) {
  return (await server.app.host.identity.web.find(browser.cookie?.split('=')[1] ?? ''))!;
}

describe('tasks', () => {
  test('are everybody’s for administrators, one’s own for others, and nobody’s of a neighbour', async () => {
    const { status } = await owner.ask('GET /api/tasks');
    expect(status).toBe(200);
    // Their key began it over MCP, so it is theirs in the console too.
    const { body } = await callTool(server, 'start_long_running_task', { steps: 1, delayMs: 100 });
    const { taskId } = body.result!.structuredContent as { taskId: string };
    const [first] = (await owner.ask('GET /api/tasks?limit=1')).body.data.tasks;
    expect(first).toMatchObject({
      id: taskId,
      tool: 'start_long_running_task',
      toolset: 'tasks',
      owner: { name: 'Owner key' },
      isOwn: true,
    });
    const idsOf = async (text: string) => {
      const { data } = (await owner.ask(`GET /api/tasks?text=${encodeURIComponent(text)}`)).body;
      return data.tasks.map(({ id }: { id: string }) => id);
    };
    for (const text of ['LONG running', 'long_running', 'owner k'])
      expect(await idsOf(text), text).toContain(taskId);
    for (const text of ['long%task', '%', 'nobody']) expect(await idsOf(text), text).toEqual([]);
    expect((await owner.ask(`GET /api/tasks?text=${'x'.repeat(201)}`)).status).toBe(400);
    for (const browser of [member, rival]) {
      const foreign = await browser.ask(`GET /api/tasks/${taskId}`);
      const unknown = await browser.ask(`GET /api/tasks/task_${'A'.repeat(43)}`);
      expect([foreign.status, foreign.text]).toEqual([unknown.status, unknown.text]);
    }
    expect((await rival.ask('GET /api/tasks')).body.data.tasks).toEqual([]);
    await eventually(async () => {
      const { data } = (await owner.ask(`GET /api/tasks/${taskId}`)).body;
      expect(data).toMatchObject({
        state: 'completed',
        arguments: { steps: 1 },
        canRunAgain: true,
        questions: {},
      });
      expect(data.result.structuredContent).toMatchObject({ status: 'completed' });
    });
    const again = (await owner.ask(`POST /api/tasks/${taskId}/run-again`, { body: {} })).body.data;
    expect(again.taskId).not.toBe(taskId);
  });

  test('are cancelled, once, with who did it', async () => {
    const { body } = await callTool(server, 'start_long_running_task', { steps: 1000, delayMs: 100 });
    const { taskId } = body.result!.structuredContent as { taskId: string };
    expect((await rival.ask(`POST /api/tasks/${taskId}/cancel`, { body: {} })).status).toBe(404);
    expect((await owner.ask(`POST /api/tasks/${taskId}/cancel`, { body: {} })).status).toBe(200);
    await eventually(async () => {
      const { data } = (await owner.ask(`GET /api/tasks/${taskId}`)).body;
      expect(data).toMatchObject({ state: 'cancelled', message: expect.stringContaining('Cancelled by') });
    });
    expect((await owner.ask(`POST /api/tasks/${taskId}/cancel`, { body: {} })).status).toBe(409);
    const page = (await owner.ask('GET /api/tasks?state=cancelled&limit=1')).body.data;
    expect(page.tasks[0].id).toBe(taskId);
    expect((await owner.ask('GET /api/tasks?cursor=x')).status).toBe(400);
    const ids = (data: { tasks: { id: string }[] }) => data.tasks.map(({ id }) => id);
    const newest = ids((await owner.ask('GET /api/tasks')).body.data);
    const oldest = (await owner.ask('GET /api/tasks?order=asc&limit=2')).body.data;
    const rest = (await owner.ask(`GET /api/tasks?order=asc&cursor=${oldest.cursor}`)).body.data;
    expect([...ids(oldest), ...ids(rest)]).toEqual(newest.toReversed());
  });
});

describe('annotations', () => {
  const open = async () => {
    const { tag } = (await owner.ask('GET /api/annotations/page-tokens/tag')).body.data;
    return openPage(server.url, tokenOf(tag));
  };

  test('are looked through, answered in the name of a person, closed and opened again', async () => {
    const page = await open();
    const id = await page.annotate('Make it <b>bold</b> & 100%_sure');
    const list = (await owner.ask('GET /api/annotations?status=pending&text=100%25_SURE')).body;
    expect(list.data.map((each: { annotation: { id: string } }) => each.annotation.id)).toEqual([id]);
    expect(list.pagination).toMatchObject({ total: 1, hasMore: false });
    const pages = (await owner.ask('GET /api/annotations/pages')).body.data;
    expect(pages[0]).toMatchObject({ session: { active: true }, counts: { pending: 1 } });
    const said = await owner.ask(`POST /api/annotations/${id}/replies`, {
      body: { message: 'Which shade?' },
    });
    expect(said.body.data.replies.at(-1)).toMatchObject({
      author: 'user',
      authorName: 'Owner',
      message: 'Which shade?',
    });
    expect(
      (await owner.ask(`POST /api/annotations/${id}/resolve`, { body: { summary: 'Done' } })).body.data,
    ).toMatchObject({ status: 'resolved', resolvedBy: 'user' });
    expect((await owner.ask(`POST /api/annotations/${id}/resolve`, { body: {} })).status).toBe(409);
    expect((await owner.ask(`POST /api/annotations/${id}/reopen`, { body: {} })).body.data.status).toBe(
      'pending',
    );
    const full = (await owner.ask(`GET /api/annotations/${id}`)).body.data;
    expect(full.markdown).toContain('Make it');
    expect((await owner.ask(`GET /api/annotations/${id}/picture`)).status).toBe(404);
    // The page hears what the team did.
    await page.until(
      (each) => each.type === 'annotation:updated' && JSON.stringify(each).includes('Which shade?'),
    );
    page.close();
  });

  test('are read from either end', async () => {
    const page = await open();
    for (const words of ['First', 'Second', 'Third']) await page.annotate(words);
    page.close();
    const ids = (data: { annotation: { id: string } }[]) => data.map(({ annotation }) => annotation.id);
    const newest = ids((await owner.ask('GET /api/annotations')).body.data);
    const { data, pagination } = (await owner.ask('GET /api/annotations?order=asc&limit=2')).body;
    const rest = await owner.ask(`GET /api/annotations?order=asc&cursor=${pagination.cursor}`);
    expect([...ids(data), ...ids(rest.body.data)]).toEqual(newest.toReversed());
    expect((await owner.ask('GET /api/annotations?order=up')).status).toBe(400);
  });

  test('a proposed diff is approved for the proposal that was looked at', async () => {
    const page = await open();
    const id = await page.annotate('Wider');
    const diff = '--- a/x.css\n+++ b/x.css\n@@ -1 +1 @@\n-a\n+b\n';
    await callTool(server, 'acknowledge', { id });
    await callTool(server, 'propose_diff', { id, diff });
    const { diffRevision } = (await owner.ask(`GET /api/annotations/${id}`)).body.data.annotation;
    const stale = { response: 'approved', revision: diffRevision + 1 };
    expect((await owner.ask(`POST /api/annotations/${id}/diff`, { body: stale })).status).toBe(409);
    const { status, body } = await owner.ask(`POST /api/annotations/${id}/diff`, {
      body: { ...stale, revision: diffRevision, message: 'Go' },
    });
    expect([status, body.data.diffResponse]).toEqual([200, 'approved']);
    page.close();
  });

  test('of a neighbour answer like unknown ones, and a member without the grant has none', async () => {
    const page = await open();
    const id = await page.annotate('Ours');
    page.close();
    const act = (path: string) => rival.ask(`POST /api/annotations/${path}`, { body: {} });
    for (const [own, unknown] of [
      [await rival.ask(`GET /api/annotations/${id}`), await rival.ask('GET /api/annotations/ann_nobody')],
      [await act(`${id}/resolve`), await act('ann_nobody/resolve')],
    ])
      expect([own!.status, own!.text.replaceAll(id, 'ID')]).toEqual([
        404,
        unknown!.text.replaceAll('ann_nobody', 'ID'),
      ]);
    expect((await rival.ask('GET /api/annotations')).body.data).toEqual([]);
    expect((await member.ask('GET /api/annotations')).status).toBe(403);
    expect((await member.ask('GET /api/annotations/page-tokens')).status).toBe(403);
  });

  test('page tokens are bound, revoked and made anew', async () => {
    const [{ id }] = (await owner.ask('GET /api/annotations/page-tokens')).body.data;
    const bind = (origins: string[]) =>
      owner.ask(`PUT /api/annotations/page-tokens/${id}`, { body: { origins } });
    expect((await bind(['https://shop.example/path'])).body.error.details.errors.origins).toHaveLength(1);
    expect((await bind(['https://shop.example'])).body.data.origins).toEqual(['https://shop.example']);
    expect((await owner.ask('POST /api/annotations/page-tokens', { body: {} })).status).toBe(409);
    expect((await rival.ask(`DELETE /api/annotations/page-tokens/${id}`)).status).toBe(404);
    expect((await owner.ask(`DELETE /api/annotations/page-tokens/${id}`)).body.data.state).toBe('revoked');
    expect((await owner.ask('POST /api/annotations/page-tokens', { body: {} })).status).toBe(201);
  });
});

describe('calls of tools', () => {
  test('stream progress and the result; a hidden tool is an unknown one', async () => {
    const stream = await owner.stream('POST /api/call/tasks/start_long_running_task', {
      body: { arguments: { steps: 2, delayMs: 100 } },
    });
    const events = await stream.all();
    expect(events.map(({ event }) => event)).toEqual(['progress', 'progress', 'result']);
    expect(events[0]?.data).toEqual({ done: 1, total: 2, message: 'Step 1 of 2' });
    const hidden = await member.ask('POST /api/call/self/MONITORING_LOGS_LIST', { body: {} });
    const unknown = await member.ask('POST /api/call/self/NO_SUCH', { body: {} });
    expect(hidden.status).toBe(404);
    expect(hidden.text.replaceAll('MONITORING_LOGS_LIST', 'NO_SUCH')).toBe(unknown.text);
    for (const endpoint of ['nowhere', 'conn_x', 'virtual-mcp%2Fvir_x', '..%2Fmetrics', ''])
      expect(
        (await owner.ask(`POST /api/call/${endpoint}/parley_whoami`, { body: {} })).status,
        endpoint,
      ).toBe(404);
  });

  test('a wrong argument names its field, and what is too large is refused', async () => {
    const { status, body } = await owner.ask('POST /api/call/tasks/get_task', {
      body: { arguments: { taskId: '' } },
    });
    expect([status, body.data]).toMatchObject([
      200,
      { isError: true, code: 'invalid', content: [{ text: expect.stringContaining('taskId: ') }] },
    ]);
    expect(
      (
        await owner.ask('POST /api/call/tasks/get_task', {
          body: { arguments: { taskId: 'x'.repeat(5_000_000) } },
        })
      ).status,
    ).toBe(413);
    expect((await owner.ask('POST /api/call/tasks/get_task', { body: { other: 1 } })).status).toBe(400);
    const deep = JSON.parse(`${'['.repeat(80)}${']'.repeat(80)}`) as unknown;
    expect((await owner.ask('POST /api/call/tasks/get_task', { body: { arguments: { deep } } })).status).toBe(
      400,
    );
  });

  test('are recorded as the person’s, while what screens read is not', async () => {
    const { records } = server.app.host.store;
    const { caller } = await sessionOf(member);
    await member.ask('GET /api/home');
    await member.ask('GET /api/v1/boards');
    await member.call('parley', 'parley_whoami');
    await member.ask('GET /api/audit');
    await records.flush();
    const own = await records.list({ organizationId: caller.organizationId, callerId: caller.id, limit: 3 });
    expect(own.map(({ tool, outcome, source }) => `${tool} ${outcome} ${source}`)).toEqual(
      expect.arrayContaining(['parley_whoami ok web', 'GET /api/audit denied web']),
    );
    expect(own.map(({ tool }) => tool)).not.toContain('GET /api/home');
    expect(own.map(({ tool }) => tool)).not.toContain('GET /api/v1/boards');
  });

  test('made by oneself in the console are one’s own to see, endpoint by endpoint, without a grant', async () => {
    const { records } = server.app.host.store;
    for (const browser of [member, member, owner]) await browser.call('parley', 'parley_whoami');
    await records.flush();
    const runs = (browser: Browser, more = '', endpoint = 'parley') =>
      browser.ask(`GET /api/runs?endpoint=${endpoint}&tool=parley_whoami${more}`);
    expect((await member.ask('GET /api/calls')).status).toBe(403);
    const first = (await runs(member, '&limit=1')).body.data;
    expect(first).toMatchObject({ hasMore: true, runs: [{ toolName: 'parley_whoami', outcome: 'ok' }] });
    const second = (await runs(member, `&before=${first.runs[0].id}`)).body.data;
    expect(second.runs[0].id).not.toBe(first.runs[0].id);
    expect((await runs(member, '', 'tasks')).body.data).toEqual({ runs: [], hasMore: false });
    const [{ id }] = first.runs;
    const one = (await member.ask(`GET /api/runs/${id}`)).body.data;
    expect(one).toMatchObject({ id, input: '{}', output: expect.stringContaining('Bo') });
    expect(one).not.toHaveProperty('grant');
    const unknown = await owner.ask('GET /api/runs/999999999');
    expect(unknown.status).toBe(404);
    for (const browser of [owner, rival])
      expect((await browser.ask(`GET /api/runs/${id}`)).text).toBe(unknown.text);
    expect((await runs(member, '&before=x')).body.error.details.errors).toHaveProperty('before');
  });

  test('act as a key of one’s own with its grants, and as nobody else', async () => {
    const made = await owner.call('self', 'API_KEY_CREATE', {
      name: 'Narrow one',
      permissions: { parley: ['parley_whoami'] },
    });
    const as = (named: string, path = 'parley/parley_whoami') =>
      owner.ask(`POST /api/call/${path}`, { body: { as: named } });
    expect((await as(made.item?.id ?? made.id ?? 'Narrow one')).status).toBe(200);
    expect((await as('Narrow one')).body.data.structuredContent.caller.name).toBe('Narrow one');
    expect((await as('Narrow one', 'tasks/list_tasks')).status).toBe(404);
    const { caller } = await sessionOf(rival);
    for (const named of ['Owner key', caller.id])
      expect((await member.ask('POST /api/call/parley/parley_whoami', { body: { as: named } })).status).toBe(
        404,
      );
  });
});

describe('what is one’s own', () => {
  test('views are kept per person and organization, within their bounds', async () => {
    const views = [{ name: 'Mine', search: '?status=pending' }];
    expect((await owner.ask('PUT /api/views/annotations', { body: { views } })).status).toBe(200);
    expect((await owner.ask('GET /api/views/annotations')).body.data).toEqual(views);
    for (const browser of [member, rival])
      expect((await browser.ask('GET /api/views/annotations')).body.data).toEqual([]);
    expect((await owner.ask('GET /api/views/__proto__')).body.data).toEqual([]);
    const many = Array.from({ length: 201 }, (_, at) => ({ name: String(at), search: '' }));
    expect((await owner.ask('PUT /api/views/x', { body: { views: many } })).status).toBe(400);
    expect((await owner.ask('PUT /api/views/annotations', { body: { views: [] } })).body.data).toEqual([]);
  });

  test('the first run ticks as it is done, and can be left', async () => {
    const before = (await rival.ask('GET /api/first-run')).body.data;
    expect(before).toEqual({
      steps: { signIn: false, client: false, call: null },
      isDone: false,
      isSkipped: false,
    });
    expect((await rival.ask('GET /api/session')).body.data.isFirstRun).toBe(true);
    const { key } = await rival.call('self', 'API_KEY_CREATE', {
      name: 'Client',
      permissions: { '*': ['*'] },
    });
    // Whoever only talks to the REST API is no client of MCP.
    const authorization = `Bearer ${key}`;
    expect((await fetch(`${server.url}/api/v1/boards`, { headers: { authorization } })).status).toBe(200);
    expect((await rival.ask('GET /api/first-run')).body.data.steps.client).toBe(false);
    const heard = await rival.stream('GET /api/live?topics=calls');
    await post(server.mcp, key, message(1, 'tools/list'));
    await until(heard, of('calls'));
    heard.close();
    expect((await rival.ask('GET /api/first-run')).body.data.steps).toEqual({
      signIn: false,
      client: true,
      call: null,
    });
    await callTool({ mcp: server.mcp, key }, 'parley_whoami');
    await eventually(async () => {
      const { steps } = (await rival.ask('GET /api/first-run')).body.data;
      expect(steps).toMatchObject({
        client: true,
        call: { id: expect.stringMatching(/^\d+$/), tool: 'parley_whoami' },
      });
    });
    expect((await rival.ask('PUT /api/first-run', { body: { isSkipped: true } })).body.data.isSkipped).toBe(
      true,
    );
    // Left before it was done: Home leads back to it.
    const left = (await rival.ask('GET /api/session')).body.data;
    expect([left.isFirstRun, left.isFirstRunSkipped]).toEqual([false, true]);
  });

  test('home and counts tell a member what is theirs to deal with', async () => {
    const { data } = (await member.ask('GET /api/home')).body;
    // Not empty lists, which would say that nothing was called or changed.
    expect([data.recent, data.calls]).toEqual([null, null]);
    expect(data.waiting.map(({ kind }: { kind: string }) => kind)).not.toContain('connections');
    const full = (await owner.ask('GET /api/home')).body.data;
    expect(full.calls.points).toHaveLength(24);
    expect(full.recent.length).toBeGreaterThan(0);
    expect(full.health[0]).toEqual({ part: 'database', state: 'ok', reason: expect.any(String) });
  });

  test('another organization is gone to only by its own team', async () => {
    const { organization } = (await rival.ask('GET /api/session')).body.data;
    expect((await owner.ask('PUT /api/session/organization', { body: { id: organization.id } })).status).toBe(
      404,
    );
    expect((await owner.ask('PUT /api/session/organization', { body: { id: 'org_nobody' } })).status).toBe(
      404,
    );
  });

  test('a tab that still shows the organization before changes nothing in the next one', async () => {
    const { person, organization: first } = (await owner.ask('GET /api/session')).body.data;
    const { identity } = server.app.host;
    const slug = 'second-home';
    const two = await identity.createOrganization({ slug, name: 'Two', owner: { userId: person.userId } });
    const stale = owner.csrfToken;
    const live = await owner.stream('GET /api/live');
    const moved = await owner.ask('PUT /api/session/organization', { body: { id: two.organizationId } });
    expect([moved.status, moved.body.data.organization.id]).toEqual([200, two.organizationId]);
    // Other tabs are not left listening to what they do not show any more.
    await live.all();
    const fresh = owner.csrfToken;
    const save = { body: { isSkipped: true } };
    owner.csrfToken = stale;
    const refused = await owner.ask('PUT /api/first-run', save);
    expect([refused.status, refused.body.error.code]).toEqual([403, 'CSRF']);
    owner.csrfToken = fresh;
    expect((await owner.ask('PUT /api/first-run', save)).status).toBe(200);
    expect((await owner.ask('PUT /api/session/organization', { body: { id: first.id } })).status).toBe(200);
  });

  test('who has a tool, and why, is for administrators', async () => {
    const who = '/api/tools/who?endpoint=parley&tool=parley_whoami';
    expect((await owner.ask(`GET ${who}`)).body.data.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['Owner', 'Bo', 'Owner key']),
    );
    expect((await member.ask(`GET ${who}`)).body.data).toBeNull();
    const { caller } = await sessionOf(member);
    const why = await owner.ask(`GET /api/explain?caller=${caller.id}&tool=MONITORING_LOGS_LIST`);
    expect(why.body.data).toMatchObject({ visible: false, reason: 'no_grant', caller: { name: 'Bo' } });
    expect((await member.ask('GET /api/explain?caller=x&tool=y')).status).toBe(403);
    expect((await rival.ask(`GET /api/explain?caller=${caller.id}&tool=x`)).status).toBe(404);
  });
});
