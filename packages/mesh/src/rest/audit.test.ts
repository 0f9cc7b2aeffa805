/** The audit log over HTTP: who may read it, of which organization, what fits, and page by page. */
import { ALL_GRANTS } from '@parley/kit';
import { expect, test } from 'vitest';
import { onBothMeshes } from '../../test/mesh-bed.ts';
import { newScene } from '../../test/scene.ts';
import { serveRoutes } from '../../test/serve-routes.ts';

interface Entry {
  readonly id: string;
  readonly action: string;
  readonly target: string;
  readonly at: string;
}

async function ask(url: string, key: string | undefined, query = '') {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/api/audit${query}`, { headers });
  const text = await answer.text();
  const { data, error } = JSON.parse(text) as {
    data: { entries: Entry[]; cursor: string | null; hasMore: boolean };
    error: { message: string };
  };
  return { status: answer.status, text, data, message: error?.message };
}

const named = ({ entries }: { readonly entries: readonly Entry[] }) =>
  entries.map(({ action, target }) => `${action} ${target}`);

onBothMeshes('the route of the audit log', (bed) => {
  test('answers people who administer, with a key that has the right, and nobody else', async () => {
    const { url } = await serveRoutes(bed());
    const { owner, stranger, join, keyOf, identity } = await newScene(bed());
    const [admin, member] = [await join(['admin']), await join(['member'])];
    await identity.roles.save(owner.caller, { name: 'auditor', grants: { self: ['audit_read'] } });
    const auditor = await join(['auditor']);
    const alone = await keyOf(owner.caller, { self: ['audit_read'] });
    const narrow = await keyOf(owner.caller, { self: ['MONITORING_LOGS_LIST'] });
    const asMember = await identity.createKey(owner.caller, {
      name: 'Narrowed',
      grants: ALL_GRANTS,
      expiresAt: null,
      role: 'member',
    });
    // Whatever its key holds: an agent does not read what was written down about it.
    const lookup = {
      current: async () => undefined,
      named: async () => undefined,
      why: async () => undefined,
      lack: async () => undefined,
      sessionOf: async () => undefined,
    };
    identity.serveAgents({
      ...lookup,
      bound: async (caller) => ({
        ...caller,
        agent: { id: 'agent-1', name: 'Ada', depth: 1, source: 'api' },
      }),
    });
    const agent = await identity.createKey(owner.caller, {
      name: 'Agent',
      grants: ALL_GRANTS,
      expiresAt: null,
      agent: { agentId: 'agent-1' },
    });
    for (const [who, key, status] of [
      ['nobody', undefined, 401],
      ['the owner', owner.key, 200],
      ['an administrator', admin.key, 200],
      ['the right alone', alone.key, 200],
      ['a member', member.key, 403],
      ['a member whose role has the right', auditor.key, 403],
      ['another right', narrow.key, 403],
      ["an owner's key for members", asMember.text, 403],
      ['an agent of the owner', agent.text, 403],
      ['the owner of another organization', stranger.key, 200],
    ] as const)
      expect([who, (await ask(url, key)).status]).toEqual([who, status]);
  });

  test('gives the own organization alone, without the hashes that chain it', async () => {
    const { url } = await serveRoutes(bed());
    const { owner, stranger, identity, own, foreign } = await newScene(bed());
    await identity.roles.save(owner.caller, { name: 'crew', grants: { self: ['TAGS_LIST'] } });
    await identity.roles.save(stranger.caller, { name: 'raiders', grants: {} });
    const kept = async () => JSON.stringify({ ...(await bed().tables()), self_rate_windows: [] });
    const before = await kept();
    const { data, text } = await ask(url, owner.key);
    expect(data.entries[0]).toEqual({
      seq: 3,
      id: expect.stringMatching(/^audit_/),
      at: new Date(bed().clock.nowMs).toISOString(),
      callerId: owner.keyId,
      userId: owner.userId,
      source: 'key',
      requestId: null,
      action: 'role.saved',
      target: 'crew',
      outcome: 'ok',
      changed: { grants: { self: ['TAGS_LIST'] } },
    });
    expect(named(data)).toEqual([
      'role.saved crew',
      `key.created ${owner.keyId}`,
      `organization.created ${own}`,
    ]);
    expect([data.cursor, data.hasMore]).toEqual([null, false]);
    for (const strange of [foreign, stranger.userId, stranger.keyId, 'raiders', 'hash'])
      expect(text).not.toContain(strange);
    // Naming somebody of another organization finds as much as naming nobody.
    for (const actor of [stranger.userId, stranger.keyId, 'nobody'])
      expect((await ask(url, owner.key, `?actor=${actor}`)).data.entries).toEqual([]);
    // Reading leaves everything as it was, but for the count of requests.
    expect((await kept()) === before).toBe(true);
  });

  test('filters, pages to the end, and refuses what it cannot read by the name of the field', async () => {
    const { url } = await serveRoutes(bed());
    const { owner, stranger, identity } = await newScene(bed());
    const { clock } = bed();
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      clock.nowMs += 1000;
      await identity.roles.save(owner.caller, { name, grants: {} });
    }
    identity.audit.denied(owner.caller, { name: 'TAGS_DELETE', isTool: true });
    await identity.audit.flush();
    const read = async (query: string) => (await ask(url, owner.key, query)).data;
    expect(named(await read('?outcome=denied'))).toEqual(['call.denied TAGS_DELETE']);
    const [{ id }] = (await read('?target=b')).entries as [Entry];
    expect(named(await read('?target=b'))).toEqual(['role.saved b']);
    expect(named(await read(`?id=${id}`))).toEqual(['role.saved b']);
    expect((await ask(url, stranger.key, `?id=${id}`)).data.entries).toEqual([]);
    const at = (back: number) => new Date(clock.nowMs - back * 1000).toISOString();
    expect(named(await read(`?action=role.saved&since=${at(2)}&until=${at(1)}`))).toEqual([
      'role.saved d',
      'role.saved c',
    ]);
    expect(await read(`?actor=${owner.keyId}&limit=99999`)).toMatchObject({ hasMore: false });

    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await read(`?action=role.saved&limit=2${cursor && `&cursor=${cursor}`}`);
      expect(page.entries.length).toBeLessThanOrEqual(2);
      paged.push(...named(page));
      ({ cursor } = page);
    }
    expect(paged).toEqual(['e', 'd', 'c', 'b', 'a'].map((name) => `role.saved ${name}`));

    for (const [query, field] of [
      ['?cursor=abc', 'cursor'],
      [`?cursor=${'1'.repeat(400)}-1`, 'cursor'],
      ['?since=yesterday', 'since'],
      ['?until=1', 'until'],
      ['?outcome=maybe', 'outcome'],
      ['?limit=x', 'limit'],
      [`?actor=${'a'.repeat(129)}`, 'actor'],
      [`?target=${'a'.repeat(257)}`, 'target'],
      ['?action=', 'action'],
      ['?organization=other', 'organization'],
      ['?actor=a&actor=b', 'actor'],
    ] as const) {
      const { status, message } = await ask(url, owner.key, query);
      expect([query, status, message]).toEqual([query, 400, expect.stringContaining(field)]);
    }
  });

  test('is in the document that clients are made from', async () => {
    const { url } = await serveRoutes(bed());
    const answer = await fetch(`${url}/api/audit/openapi.json`);
    const { paths } = (await answer.json()) as {
      paths: Record<string, { get: { parameters: { name: string }[] } }>;
    };
    const [route] = Object.values(paths);
    expect(Object.keys(paths)).toEqual(['/', '/check']);
    expect(route?.get.parameters.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['actor', 'action', 'target', 'outcome', 'since', 'until', 'cursor', 'limit']),
    );
  });
});
