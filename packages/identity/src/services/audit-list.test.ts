/** Reading the audit log: whoever asks gets the entries of one organization that fit, in pages, each once. */
import type { Caller } from '@parley/kit';
import { ALL_GRANTS } from '@parley/kit';
import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import type { Place } from '../../test/people.ts';
import { found, settle } from '../../test/people.ts';
import type { AuditFilter, AuditItem } from './audit-list.ts';

const AGENT = 'agent-1';
const SECOND = 1000;

/** Writes an entry a second after the one before. */
function writing({ store, identity, clock }: Place) {
  return (caller: Caller, action: string, target: string) =>
    store.transaction(async (tx) => {
      clock.nowMs += SECOND;
      await identity.audit.write(tx, { caller, action, target });
    });
}

const named = (entries: readonly AuditItem[]) => entries.map(({ action, target }) => `${action} ${target}`);

onBothEngines('reading the audit log', (open) => {
  test('gives what fits, newest first, and nothing of another organization', async () => {
    const place = await settle(await open());
    const { identity, clock } = place;
    const [owner, stranger] = [await found(identity), await found(identity, 'rival')];
    const key = await identity.createKey(owner, {
      name: 'Agent Ada',
      grants: ALL_GRANTS,
      expiresAt: null,
      agent: { agentId: AGENT },
    });
    const write = writing(place);
    const byKey = { ...owner, id: key.info.id };
    await write(owner, 'thing.made', 'a');
    await write(byKey, 'thing.made', 'b');
    await write({ ...owner, id: AGENT }, 'thing.gone', 'a');
    await write({ ...owner, id: 'other', userId: 'somebody' }, 'thing.made', 'c');
    await write(stranger, 'thing.made', 'a');
    identity.audit.denied(byKey, { name: 'tool_x', isTool: true });
    clock.nowMs += SECOND;
    await identity.audit.flush();

    const { organizationId } = owner;
    const read = async (filter: AuditFilter, more = {}) =>
      named(await identity.audit.list(organizationId, { limit: 50, ...filter, ...more }));
    const all = await read({});
    expect(all).toEqual([
      'call.denied tool_x',
      'thing.made c',
      'thing.gone a',
      'thing.made b',
      'thing.made a',
      `key.created ${key.info.id}`,
      `organization.created ${organizationId}`,
    ]);
    const [, c, gone] = await identity.audit.list(organizationId, { limit: 3 });
    const cases: [AuditFilter, string[]][] = [
      [{ action: 'thing.made' }, ['thing.made c', 'thing.made b', 'thing.made a']],
      [{ target: 'a' }, ['thing.gone a', 'thing.made a']],
      [{ action: 'thing.made', target: 'a' }, ['thing.made a']],
      [{ outcome: 'denied' }, ['call.denied tool_x']],
      [{ outcome: 'denied', actor: 'other' }, []],
      [{ since: c?.at, until: c?.at }, ['thing.made c']],
      [{ until: gone?.at }, all.slice(2)],
      // By its key, by the person behind it, and by the agent with all its keys.
      [{ actor: key.info.id }, ['call.denied tool_x', 'thing.made b']],
      [{ actor: 'somebody' }, ['thing.made c']],
      [{ actor: owner.userId ?? '' }, all.filter((entry) => entry !== 'thing.made c')],
      [{ actor: AGENT }, ['call.denied tool_x', 'thing.gone a', 'thing.made b']],
      [{ actor: AGENT, action: 'thing.gone' }, ['thing.gone a']],
      [{ actor: 'nobody' }, []],
      [{ action: 'thing.' }, []],
      [{ target: "a' or 1=1 --" }, []],
    ];
    for (const [filter, expected] of cases) {
      expect([filter, await read(filter)]).toEqual([filter, expected]);
      // Page by page it is the same, for one who acts by many ids too, and from the other end the other way.
      for (const oldestFirst of [false, true]) {
        const paged: string[] = [];
        let before: AuditItem | undefined;
        for (;;) {
          const page = await identity.audit.list(organizationId, {
            ...filter,
            limit: 2,
            before,
            oldestFirst,
          });
          paged.push(...named(page));
          before = page.at(-1);
          if (page.length < 2) break;
        }
        expect([filter, paged]).toEqual([filter, oldestFirst ? expected.toReversed() : expected]);
      }
    }
  });

  test('goes on after a page whose last entries have the same time', async () => {
    const place = await settle(await open());
    const owner = await found(place.identity);
    await place.store.transaction(async (tx) => {
      for (const target of ['a', 'b', 'c', 'd'])
        await place.identity.audit.write(tx, { caller: owner, action: 'thing.made', target });
    });
    const list = (before?: AuditItem) =>
      place.identity.audit.list(owner.organizationId, { action: 'thing.made', limit: 3, before });
    const first = await list();
    expect(named(first)).toEqual(['thing.made d', 'thing.made c', 'thing.made b']);
    expect(named(await list(first.at(-1)))).toEqual(['thing.made a']);
  });

  test('finds a text in the act, in what it was done to or changed, and in who did it', async () => {
    const place = await settle(await open());
    const owner = await found(place.identity);
    await place.store.transaction(async (tx) => {
      const write = (action: string, target: string, changed = {}) =>
        place.identity.audit.write(tx, { caller: owner, action, target, changed });
      await write('thing.made', 'th_100%');
      await write('thing.gone', 'th_2', { title: 'Green Lamp' });
    });
    const list = async (text: string) =>
      named(await place.identity.audit.list(owner.organizationId, { text, limit: 50 }));
    expect(await list('GONE')).toEqual(['thing.gone th_2']);
    expect(await list('green l')).toEqual(['thing.gone th_2']);
    // Signs of patterns are plain signs.
    expect(await list('100%')).toEqual(['thing.made th_100%']);
    expect(await list('th_')).toEqual(['thing.gone th_2', 'thing.made th_100%']);
    expect(await list('th%2')).toEqual([]);
    const userId = owner.userId ?? '';
    const { users } = await place.identity.namesOf(owner.organizationId, { callers: [], users: [userId] });
    expect(await list((users.get(userId) ?? '').toUpperCase())).toContain('thing.gone th_2');
  });

  test('follows it from where it ended: each entry that fits once, in its order', async () => {
    const place = await settle(await open());
    const { identity } = place;
    const owner = await found(identity);
    const after = (last?: number, filter: AuditFilter = {}, limit = 50) =>
      identity.audit.after(owner.organizationId, { ...filter, after: last, limit });
    const begin = await after();
    expect(begin).toEqual({ entries: [], last: 1 });
    const write = writing(place);
    for (const target of ['a', 'b', 'c']) await write(owner, 'thing.made', target);
    await write({ ...owner, id: 'other', userId: null }, 'thing.gone', 'a');
    const first = await after(begin.last, {}, 2);
    expect([named(first.entries), first.last]).toEqual([['thing.made a', 'thing.made b'], 3]);
    const second = await after(first.last);
    expect([named(second.entries), second.last]).toEqual([['thing.made c', 'thing.gone a'], 5]);
    // What did not fit is not looked at again.
    expect(await after(begin.last, { action: 'none' })).toEqual({ entries: [], last: 5 });
    expect(named((await after(begin.last, { actor: 'other' })).entries)).toEqual(['thing.gone a']);
    expect(named((await after(begin.last, { actor: owner.userId ?? '' })).entries)).toHaveLength(3);
    expect(await after(second.last)).toEqual({ entries: [], last: 5 });
    expect(await identity.audit.after('org_unknown', { after: 0, limit: 5 })).toEqual({
      entries: [],
      last: 0,
    });
  });
});
