/** The audit log: every change of rights leaves an entry, and a change of the log itself is found. */
import { ALL_GRANTS } from '@parley/kit';
import type { Store } from '@parley/store';
import { scratchStore } from '@parley/store/testing';
import { expect, test, vi } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { found, join, settle } from '../../test/people.ts';
import type { AuditRow, IdentityTables } from '../schema.ts';

const PATIENCE = { timeout: 20_000, interval: 50 };

const entriesOf = (store: Store, organizationId: string): Promise<AuditRow[]> =>
  store
    .db<IdentityTables>()
    .selectFrom('audit_log')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('seq')
    .execute();

onBothEngines('the audit log', (open) => {
  test('has an entry for each change, with who did it, and none of a change that was undone', async () => {
    const { store, identity } = await settle(await open());
    const owner = { ...(await found(identity)), requestId: 'req-7' };
    const { organizationId } = owner;
    await identity.roles.save(owner, { name: 'crew', grants: { feedback: ['x'] } });
    const { userId } = await join(identity, owner, ['crew']);
    const { info } = await identity.createKey(owner, { name: 'CI', grants: ALL_GRANTS, expiresAt: null });
    await identity.updateKey(owner, { keyId: info.id, name: 'CD' });
    // What changes nothing is no entry.
    await identity.updateKey(owner, { keyId: info.id, name: 'CD' });
    const { id: memberId = '' } = (await identity.memberOf(organizationId, userId)) ?? {};
    await identity.setRoles(owner, { memberId, roles: ['member'] });
    await identity.organizations.update(owner, { name: 'New' });
    await identity.organizations.saveSettings(owner, { enabledPlugins: ['a'] });
    await identity.invitations.create(owner, { email: 'bo@acme.example', roles: ['member'] });
    await identity.roles.delete(owner, 'crew');
    await identity.removeMember(owner, userId);
    await expect(identity.removeMember(owner, owner.userId ?? '')).rejects.toThrow('at least one owner');
    const visitor = await identity.createUser({ name: 'V', email: null });
    await identity.addMember(owner, { userId: visitor, roles: ['user'] });
    for (const who of [owner.userId ?? '', visitor])
      await identity.sessions.open({ organizationId, userId: who });
    const entries = await entriesOf(store, organizationId);
    expect(entries.map(({ action }) => action)).toEqual([
      'organization.created',
      'role.saved',
      'member.added',
      'key.created',
      'key.created',
      'key.updated',
      'member.roles_changed',
      'organization.updated',
      'settings.updated',
      'member.invited',
      'role.deleted',
      'member.removed',
      'session.opened',
    ]);
    expect(entries[1]).toMatchObject({
      seq: 2,
      caller_id: owner.id,
      user_id: owner.userId,
      source: 'key',
      request_id: 'req-7',
      target: 'crew',
      changed: JSON.stringify({ grants: { feedback: ['x'] } }),
      outcome: 'ok',
    });
    expect(await identity.audit.check()).toEqual({ entries: 13, broken: [] });
  });

  test('tells of an entry that was changed, taken out or cut off, and of no other organization', async () => {
    const { store, identity } = await settle(await open());
    const owners = await Promise.all(['one', 'two', 'three', 'four'].map((slug) => found(identity, slug)));
    for (const owner of owners)
      for (const name of ['a', 'b', 'c']) await identity.roles.save(owner, { name, grants: {} });
    expect(await identity.audit.check()).toEqual({ entries: 16, broken: [] });
    const [changed, removed, cut] = owners.map(({ organizationId }) => organizationId);
    const db = store.db<IdentityTables>();
    const at = (organizationId = '') => ({ organization_id: organizationId });
    await db
      .updateTable('audit_log')
      .set({ caller_id: 'somebody-else' })
      .where('organization_id', '=', at(changed).organization_id)
      .where('seq', '=', 2)
      .execute();
    for (const [organizationId = '', seq] of [
      [removed, 2],
      [cut, 4],
    ] as const) {
      await db
        .deleteFrom('audit_log')
        .where('organization_id', '=', organizationId)
        .where('seq', '=', seq)
        .execute();
    }
    const { broken } = await identity.audit.check();
    expect(broken.toSorted((a, b) => (a.organizationId < b.organizationId ? -1 : 1))).toEqual(
      [
        { organizationId: changed, seq: 2 },
        { organizationId: removed, seq: 3 },
        { organizationId: cut, seq: 4 },
      ].toSorted((a, b) => ((a.organizationId ?? '') < (b.organizationId ?? '') ? -1 : 1)),
    );
  });

  test('that is kept for some time only begins later, and is whole from there on', async () => {
    const { store, identity } = await settle(await open());
    const [owner, other] = [await found(identity, 'one'), await found(identity, 'two')];
    for (let index = 0; index < 450; index += 1)
      await identity.roles.save(owner, { name: `role-${index % 5}`, grants: { feedback: [`x${index}`] } });
    const db = store.db<IdentityTables>();
    const { at } = (await entriesOf(store, owner.organizationId)).at(-1) ?? { at: 0 };
    await identity.audit.sweep(at - 100_000);
    expect(await identity.audit.check()).toEqual({ entries: 452, broken: [] });
    await identity.audit.sweep(at + 100_000);
    // The newest one stays: the next holds its hash.
    expect(await identity.audit.check()).toEqual({ entries: 2, broken: [] });
    for (const by of [owner, other]) await identity.roles.save(by, { name: 'later', grants: {} });
    expect(await identity.audit.check()).toEqual({ entries: 4, broken: [] });
    // Whoever takes out the oldest by hand is found.
    await db
      .deleteFrom('audit_log')
      .where('organization_id', '=', owner.organizationId)
      .where('seq', '=', 451)
      .execute();
    expect((await identity.audit.check()).broken).toEqual([
      { organizationId: owner.organizationId, seq: 452 },
    ]);
  });

  test('holds together when many write at once, from two processes', async () => {
    const [here, there] = [await settle(await open()), await settle(await open())];
    const owner = await found(here.identity);
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? here : there).identity.roles.save(owner, { name: `role-${index}`, grants: {} }),
      ),
    );
    expect(await here.identity.audit.check()).toEqual({ entries: 21, broken: [] });
  });
});

const tool = (name: string) => ({ name, isTool: true });

test('denials of the same tool are counted together, once a minute; 200 of a caller and a thousand in all', async () => {
  await using store = await scratchStore();
  const { identity } = await settle(store);
  const owner = await found(identity);
  const denials = async () => {
    const entries = await entriesOf(store, owner.organizationId);
    return entries.flatMap((row) => (row.outcome === 'denied' ? [`${row.target} ${row.changed}`] : []));
  };
  for (let times = 0; times < 5; times += 1) identity.audit.denied(owner, tool('TAGS_DELETE'));
  await vi.waitFor(async () => expect(await denials()).toEqual(['TAGS_DELETE {"times":5}']), PATIENCE);
  identity.audit.denied(owner, tool('TAGS_DELETE'));
  identity.audit.denied(owner, tool('TAGS_LIST'));
  // The other one is written by the same timer, so the first would have been too.
  await vi.waitFor(async () => expect(await denials()).toContain('TAGS_LIST {"times":1}'), PATIENCE);
  expect(await denials()).toHaveLength(2);
  // What else is told of a denial makes it another one.
  identity.audit.denied(owner, tool('TAGS_LIST'), { reason: 'unattended' });
  await identity.audit.flush();
  expect((await denials()).at(-1)).toBe('TAGS_LIST {"reason":"unattended","times":1}');
  for (let each = 0; each < 300; each += 1) identity.audit.denied(owner, tool(`TOOL_${each}`));
  await identity.audit.flush();
  expect(await denials()).toHaveLength(200 + 1);
  expect((await denials()).at(-1)).toBe('and more {"dropped":"tools","times":104}');
  for (let each = 0; each < 1500; each += 1)
    identity.audit.denied({ ...owner, id: `key_${each % 10}` }, tool(`TOOL_${each}`));
  await identity.audit.flush();
  expect(await denials()).toHaveLength(201 + 1000 + 10);
  expect((await identity.audit.check()).broken).toEqual([]);
});

test('names that no tool has hide no denial of a tool, and what is not written is counted', async () => {
  await using store = await scratchStore();
  const { identity } = await settle(store);
  const owner = await found(identity);
  const about = { agent: 'agt_1', reason: 'not_registered' };
  for (let each = 0; each < 1200; each += 1)
    identity.audit.denied(owner, { name: `made_up_${each}`, isTool: false }, about);
  identity.audit.denied(owner, tool('TAGS_DELETE'), { agent: 'agt_1', reason: 'not_in_set' });
  await identity.audit.flush();
  const rows = (await entriesOf(store, owner.organizationId)).filter(({ outcome }) => outcome === 'denied');
  expect(rows.filter(({ target }) => target.startsWith('made_up_'))).toHaveLength(20);
  expect(rows.slice(20).map(({ target, changed }) => [target, JSON.parse(changed)])).toEqual([
    ['and more', { agent: 'agt_1', dropped: 'other names', times: 1180 }],
    ['TAGS_DELETE', { agent: 'agt_1', reason: 'not_in_set', times: 1 }],
  ]);
});
