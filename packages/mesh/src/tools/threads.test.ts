/** What the tools on threads promise, on both databases. */
import { describe, expect, test } from 'vitest';
import { foreignIds } from '../../test/foreign-ids.ts';
import type { MeshBed } from '../../test/mesh-bed.ts';
import { onBothMeshes } from '../../test/mesh-bed.ts';
import { systemCaller } from '@parley/kit';

interface Listed {
  readonly items: { readonly id: string; readonly title: string }[];
  readonly totalCount: number;
  readonly hasMore: boolean;
}

async function newThread(bed: MeshBed, data: object = {}, as = bed.acme.owner): Promise<string> {
  const input = { data: { title: 'Plans', ...data } };
  return (await bed.call(as.caller, 'COLLECTION_THREADS_CREATE', input)).item.id;
}

const inThread = (value: string) => ({ field: ['thread_id'], operator: 'eq', value });
const titled = (value: string) => ({ field: ['title'], operator: 'contains', value });
const say = (id: string, text = id) => ({ id, role: 'user' as const, parts: [{ type: 'text', text }] });

onBothMeshes('threads', (bed) => {
  const list = (where?: object, more: object = {}, as = bed().acme.owner): Promise<Listed> =>
    bed().call(as.caller, 'COLLECTION_THREADS_LIST', { ...(where && { where }), ...more });
  const messages = (where: object, more: object = {}): Promise<Listed> =>
    bed().call(bed().acme.owner.caller, 'COLLECTION_THREAD_MESSAGES_LIST', { where, ...more });

  test('a new thread is its maker’s, completed and not hidden', async () => {
    const { member, id: organization } = bed().acme;
    const asked = { data: { title: 'Release', description: 'What is left' } };
    const { item } = await bed().call(member.caller, 'COLLECTION_THREADS_CREATE', asked);
    expect(item).toEqual({
      id: expect.stringMatching(/^thrd_/),
      title: 'Release',
      description: 'What is left',
      created_at: '2030-01-01T00:00:00.000Z',
      updated_at: '2030-01-01T00:00:00.000Z',
      created_by: member.userId,
      updated_by: null,
      organization_id: organization,
      hidden: false,
      status: 'completed',
    });
    expect(await bed().call(member.caller, 'COLLECTION_THREADS_GET', { id: item.id })).toEqual({ item });
  });

  test('an id of one’s own is kept, a second one is a conflict, and other people can have it too', async () => {
    const { owner, member } = bed().acme;
    const asked = { data: { id: 'my-thread_1', title: 'Mine' } };
    expect((await bed().call(owner.caller, 'COLLECTION_THREADS_CREATE', asked)).item.id).toBe('my-thread_1');
    expect(await bed().codeOf(owner.caller, 'COLLECTION_THREADS_CREATE', asked)).toBe('conflict');
    // Otherwise the answer would tell that somebody has it.
    expect(await bed().codeOf(member.caller, 'COLLECTION_THREADS_CREATE', asked)).toBe('ok');
    expect(await bed().codeOf(bed().rival.owner.caller, 'COLLECTION_THREADS_CREATE', asked)).toBe('ok');
  });

  describe('bad input names its field:', () => {
    test.each([
      ['an id with a slash', { id: 'a/b', title: 'x' }, 'data.id'],
      ['an id that is too long', { id: 'x'.repeat(65), title: 'x' }, 'data.id'],
      ['no title', { title: '' }, 'data.title'],
      ['a title that is too long', { title: 'x'.repeat(501) }, 'data.title'],
      ['a status', { title: 'x', status: 'failed' }, 'status'],
    ])('%s', async (_why, data, field) => {
      const { end } = await bed().ask(bed().acme.owner.caller, 'COLLECTION_THREADS_CREATE', { data });
      expect(end).toMatchObject({ code: 'invalid', message: expect.stringContaining(field) });
    });
  });

  test('the list has the newest first, honours where and orderBy, and counts what fits', async () => {
    for (const title of ['walk b', 'walk a', 'walk c']) {
      bed().clock.nowMs += 1000;
      await newThread(bed(), { title });
    }
    const titles = ({ items }: Listed) => items.map(({ title }) => title);
    expect(titles(await list(titled('WALK')))).toEqual(['walk c', 'walk a', 'walk b']);
    const byTitle = { orderBy: [{ field: ['title'], direction: 'desc' }] };
    expect(titles(await list(titled('walk'), byTitle))).toEqual(['walk c', 'walk b', 'walk a']);
    expect(await list(titled('walk'), { ...byTitle, limit: 1, offset: 1 })).toMatchObject({
      items: [{ title: 'walk b' }],
      totalCount: 3,
      hasMore: true,
    });
  });

  test('hidden threads are left out of lists that do not ask for them', async () => {
    const { caller } = bed().acme.owner;
    const id = await newThread(bed(), { title: 'cellar' });
    await bed().call(caller, 'COLLECTION_THREADS_UPDATE', { id, data: { hidden: true } });
    const hidden = { field: ['hidden'], operator: 'eq', value: true };
    expect((await list(titled('cellar'))).items).toEqual([]);
    expect((await list({ operator: 'not', conditions: [titled('attic')] })).items).not.toContainEqual(
      expect.objectContaining({ id }),
    );
    const asked = await list({ operator: 'and', conditions: [titled('cellar'), hidden] });
    expect(asked.items).toMatchObject([{ id }]);
    expect(await bed().call(caller, 'COLLECTION_THREADS_GET', { id })).toMatchObject({ item: { id } });
  });

  test('an update changes what it names, and null clears', async () => {
    const { caller, userId } = bed().acme.owner;
    const id = await newThread(bed(), { title: 'Old', description: 'Text' });
    bed().clock.nowMs += 5000;
    const time = new Date(bed().clock.nowMs).toISOString();
    const { item } = await bed().call(caller, 'COLLECTION_THREADS_UPDATE', { id, data: { title: 'New' } });
    expect(item).toMatchObject({ title: 'New', description: 'Text', updated_at: time, updated_by: userId });
    const cleared = { id, data: { description: null } };
    expect(await bed().call(caller, 'COLLECTION_THREADS_UPDATE', cleared)).toMatchObject({
      item: { title: 'New', description: null },
    });
    const unknown = { id: 'thrd_none', data: { title: 'New' } };
    expect(await bed().codeOf(caller, 'COLLECTION_THREADS_UPDATE', unknown)).toBe('not_found');
  });

  test('a thread in progress that nobody touches for 30 minutes is expired, in filters too', async () => {
    const { caller } = bed().acme.owner;
    const threadId = await newThread(bed(), { title: 'slow' });
    const save = (status: 'in_progress' | 'failed') =>
      bed().services.threads.saveMessages(caller, { threadId, messages: [say(`${threadId}-1`)], status });
    const expired = {
      operator: 'and',
      conditions: [titled('slow'), { ...inThread('expired'), field: ['status'] }],
    };
    await save('in_progress');
    expect((await list(expired)).totalCount).toBe(0);
    bed().clock.nowMs += 30 * 60_000 + 1;
    expect((await list(expired)).items).toMatchObject([{ id: threadId, status: 'expired' }]);
    await save('in_progress');
    expect((await list(expired)).totalCount).toBe(0);
    await save('failed');
    bed().clock.nowMs += 30 * 60_000 + 1;
    expect((await list(titled('slow'))).items).toMatchObject([{ status: 'failed' }]);
  });

  describe('messages', () => {
    test('are written by id, touch their thread, and come in their order', async () => {
      const { caller } = bed().acme.owner;
      const threadId = await newThread(bed());
      const save = (...written: ReturnType<typeof say>[]) =>
        bed().services.threads.saveMessages(caller, { threadId, messages: written });
      await save(say('m2', 'two'), say('m1', 'one'));
      bed().clock.nowMs += 1000;
      await save(say('m0', 'three'), say('m1', 'one, mended'));
      const { items, totalCount } = await messages(inThread(threadId));
      expect(items.map(({ id }) => id)).toEqual(['m1', 'm2', 'm0']);
      expect(items[0]).toMatchObject({ parts: [{ type: 'text', text: 'one, mended' }], metadata: null });
      expect(totalCount).toBe(3);
      const { item } = await bed().call(caller, 'COLLECTION_THREADS_GET', { id: threadId });
      expect(Date.parse(item.updated_at)).toBe(bed().clock.nowMs);
    });

    test('of another thread are not taken over, and none of the batch is written', async () => {
      const { caller } = bed().acme.owner;
      const [one, other] = [await newThread(bed()), await newThread(bed())];
      const { threads } = bed().services;
      await threads.saveMessages(caller, { threadId: one, messages: [say('taken')] });
      const batch = { threadId: other, messages: [say('fresh'), say('taken')] };
      await expect(threads.saveMessages(caller, batch)).rejects.toMatchObject({ code: 'conflict' });
      expect((await messages(inThread(other))).items).toEqual([]);
      // Ids are the person’s own here as well.
      const { member } = bed().acme;
      const theirs = await newThread(bed(), {}, member);
      await threads.saveMessages(member.caller, { threadId: theirs, messages: [say('taken', 'mine')] });
      expect((await messages(inThread(one))).items).toMatchObject([{ parts: [{ text: 'taken' }] }]);
    });

    test('need a thread of the caller', async () => {
      const { threads } = bed().services;
      const theirs = await newThread(bed(), {}, bed().acme.member);
      for (const threadId of ['thrd_none', theirs])
        await expect(
          threads.saveMessages(bed().acme.owner.caller, { threadId, messages: [say('lost')] }),
        ).rejects.toMatchObject({ code: 'not_found', message: 'Thread not found' });
    });

    test('are listed for one thread only: the filter has to bind it', async () => {
      const { caller } = bed().acme.owner;
      const role = { field: ['role'], operator: 'eq', value: 'user' };
      const unbound = [
        undefined,
        role,
        { operator: 'or', conditions: [inThread('a'), role] },
        { operator: 'not', conditions: [inThread('a')] },
        { ...inThread('a'), operator: 'like' },
        { field: ['thread_id'], operator: 'eq', value: null },
      ];
      for (const where of unbound)
        expect(
          await bed().codeOf(caller, 'COLLECTION_THREAD_MESSAGES_LIST', { ...(where && { where }) }),
        ).toBe('invalid');
      const threadId = await newThread(bed());
      await bed().services.threads.saveMessages(caller, { threadId, messages: [say('bound')] });
      const nested = {
        operator: 'and',
        conditions: [{ operator: 'and', conditions: [inThread(threadId)] }, role],
      };
      expect((await messages(nested)).items).toMatchObject([{ id: 'bound' }]);
      const unknownField = {
        operator: 'and',
        conditions: [inThread(threadId), { ...role, field: ['user_id'] }],
      };
      const asked = { where: unknownField };
      expect(await bed().codeOf(caller, 'COLLECTION_THREAD_MESSAGES_LIST', asked)).toBe('invalid');
    });

    test('go with their thread, and texts that a database cannot filter are still kept', async () => {
      const { caller } = bed().acme.owner;
      const threadId = await newThread(bed());
      const odd = { ...say('odd', 'a\0b\uD800'), metadata: { team: 'x' } };
      await bed().services.threads.saveMessages(caller, { threadId, messages: [odd] });
      const byTeam = { field: ['metadata', 'team'], operator: 'eq', value: 'x' };
      const where = { operator: 'and', conditions: [inThread(threadId), byTeam] };
      expect((await messages(where)).items).toMatchObject([{ id: 'odd' }]);
      await bed().call(caller, 'COLLECTION_THREADS_DELETE', { id: threadId });
      expect((await messages(inThread(threadId))).items).toEqual([]);
    });
  });

  describe('check 20: another person of the organization', () => {
    test('can neither get, list, update nor delete a thread, nor read its messages', async () => {
      const { owner, member } = bed().acme;
      const id = await newThread(bed(), { title: 'private' });
      await bed().services.threads.saveMessages(owner.caller, { threadId: id, messages: [say('secret')] });
      const before = await bed().content();
      const asked = (named: string): [string, Record<string, unknown>][] => [
        ['COLLECTION_THREADS_GET', { id: named }],
        ['COLLECTION_THREADS_UPDATE', { id: named, data: { title: 'Taken' } }],
        ['COLLECTION_THREADS_DELETE', { id: named }],
        ['COLLECTION_THREAD_MESSAGES_LIST', { where: inThread(named) }],
      ];
      for (const [at, [tool, input]] of asked(id).entries()) {
        const foreign = await bed().ask(member.caller, tool, input);
        const unknown = await bed().ask(member.caller, tool, asked('thrd_random')[at]?.[1]);
        expect(foreign.raw.replaceAll(id, 'ID')).toBe(unknown.raw.replaceAll('thrd_random', 'ID'));
      }
      expect((await list(titled('private'), {}, member)).items).toEqual([]);
      expect(await bed().content()).toBe(before);
    });

    test('a key acts as the person who owns it', async () => {
      const { owner } = bed().acme;
      const id = await newThread(bed());
      const grants = { self: ['COLLECTION_THREADS_GET'] };
      const key = await bed().callerWith(owner, grants);
      expect(await bed().call(key, 'COLLECTION_THREADS_GET', { id })).toMatchObject({ item: { id } });
    });

    test('work that belongs to nobody has no threads', async () => {
      const nobody = { ...systemCaller('caller_none', 'Nobody', bed().acme.id), grants: { self: ['*'] } };
      expect(await bed().codeOf(nobody, 'COLLECTION_THREADS_LIST')).toBe('forbidden');
    });
  });

  foreignIds(bed, [
    { tool: 'COLLECTION_THREADS_GET', id: newThread, input: (id) => ({ id }) },
    { tool: 'COLLECTION_THREADS_UPDATE', id: newThread, input: (id) => ({ id, data: { title: 'x' } }) },
    { tool: 'COLLECTION_THREADS_DELETE', id: newThread, input: (id) => ({ id }) },
    { tool: 'COLLECTION_THREAD_MESSAGES_LIST', id: newThread, input: (id) => ({ where: inThread(id) }) },
  ]);
});
