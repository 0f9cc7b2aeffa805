/** Memories: kept, replaced, found the same way on both databases, capped, forgotten, signed. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { AgentClient } from '../../test/agent-bed.ts';
import { onBothBeds } from '../../test/agent-bed.ts';
import type { ChainTables } from '../services/chain/schema.ts';
import type { MemoryTables } from '../services/memories/schema.ts';

const SAVE = 'corvid_save_memory';
const RECALL = 'corvid_recall_memory';
const VERIFY = 'corvid_verify_agent_reputation';
const DAY_MS = 86_400_000;

const keysOf = async (client: AgentClient, query: string) =>
  (await client.call(RECALL, { query })).memories.map(({ key }) => key);

onBothBeds('memories', (bed) => {
  const rememberer = async () => {
    const { acme, agent, client } = bed();
    const made = await agent(acme.member.caller);
    return { ...made, client: await client(made.caller) };
  };

  test('check 35: a memory is saved, replaced and recalled by key, by word prefix and with none', async () => {
    const { client } = await rememberer();
    const { clock } = bed();
    const first = await client.call(SAVE, { key: ' deploy ', content: 'The deployment runs on Fridays.' });
    expect(first).toEqual({
      key: 'deploy',
      created: true,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      seq: 1,
      updated_at: new Date(clock.nowMs).toISOString(),
    });
    clock.nowMs += 1000;
    const second = await client.call(SAVE, { key: 'deploy', content: 'Deployments run on Mondays.' });
    expect(second).toMatchObject({ created: false, seq: 2 });
    expect(second.hash).not.toBe(first.hash);
    await client.call(SAVE, { key: 'tea', content: 'Green, without sugar.' });
    const found = {
      key: 'deploy',
      content: 'Deployments run on Mondays.',
      saved_at: new Date(clock.nowMs).toISOString(),
      hash: second.hash,
      signature: 'valid',
      archived: false,
    };
    expect(await client.call(RECALL, { key: 'deploy' })).toEqual({ memories: [found], total: 1 });
    expect(await client.call(RECALL, { query: 'depl mon' })).toEqual({ memories: [found], total: 1 });
    const all = await client.call(RECALL, {});
    expect([all.memories.map(({ key }) => key), all.total]).toEqual([['tea', 'deploy'], 2]);
    expect(await client.call(RECALL, { limit: 1 })).toMatchObject({ memories: [{ key: 'tea' }], total: 2 });
    expect(await client.call(RECALL, { key: 'unknown' })).toEqual({ memories: [], total: 0 });
    expect(await client.call(RECALL, { query: 'fridays' })).toEqual({ memories: [], total: 0 });
  });

  test('check 35: agent B never sees what A keeps, and both may use one key', async () => {
    const a = await rememberer();
    const b = await rememberer();
    await a.client.call(SAVE, { key: 'secret', content: 'the word is swordfish' });
    expect(await b.client.call(RECALL, { key: 'secret' })).toEqual({ memories: [], total: 0 });
    for (const query of ['swordfish', 'ordfis', 'secret'])
      expect(await b.client.call(RECALL, { query })).toEqual({ memories: [], total: 0 });
    expect(await b.client.call(RECALL, {})).toEqual({ memories: [], total: 0 });
    expect(await b.client.attempt(SAVE, { key: 'secret', forget: true })).toMatchObject({
      code: 'not_found',
    });
    await b.client.call(SAVE, { key: 'secret', content: 'mine' });
    expect(await a.client.call(RECALL, { key: 'secret' })).toMatchObject({
      memories: [{ content: 'the word is swordfish' }],
    });
  });

  test('check 35: row 10001 and byte 65537 are refused, and the refusal names the cap', async () => {
    const { client, id } = await rememberer();
    const { acme, store } = bed();
    expect(await client.attempt(SAVE, { key: 'long', content: 'é'.repeat(32_768) })).toMatchObject({
      ok: true,
    });
    expect(await client.attempt(SAVE, { key: 'longer', content: `${'é'.repeat(32_768)}x` })).toMatchObject({
      code: 'quota_exceeded',
      message: expect.stringContaining('65536'),
    });
    await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 9998)
      insert into agent_memories (organization_id, agent_id, key, key_words, hash, seq, archived, bytes, content, folded,
        created_at, updated_at)
      select ${acme.id}, ${id}, 'row ' || i, '', '', i + 10, 0, 1, 'x', '', 0, 0 from n`.execute(store.db());
    expect(await client.attempt(SAVE, { key: 'the last', content: 'x' })).toMatchObject({ ok: true });
    expect(await client.attempt(SAVE, { key: 'one more', content: 'x' })).toMatchObject({
      code: 'quota_exceeded',
      message: expect.stringContaining('10000'),
    });
    expect(await client.attempt(SAVE, { key: 'the last', content: 'y' })).toMatchObject({ ok: true });
    await client.call(SAVE, { key: 'the last', forget: true });
    expect(await client.attempt(SAVE, { key: 'one more', content: 'x' })).toMatchObject({ ok: true });
    // 64 MiB, as if one row held nearly all of it
    const bytes = 64 * 1024 * 1024 - 75_000;
    const rows = store.db<MemoryTables>().updateTable('agent_memories').set({ bytes });
    await rows.where('agent_id', '=', id).where('key', '=', 'row 1').execute();
    const content = 'x'.repeat(60_000);
    expect(await client.attempt(SAVE, { key: 'row 2', content })).toMatchObject({
      code: 'quota_exceeded',
      message: expect.stringContaining('67108864'),
    });
    expect(await client.attempt(SAVE, { key: 'row 1', content })).toMatchObject({ ok: true });
  });

  test('check 35: signs in a query are only text', async () => {
    const { client } = await rememberer();
    await client.call(SAVE, { key: 'stars', content: 'rated **five** of "five" (5/5)' });
    await client.call(SAVE, { key: 'other', content: 'nothing of the kind' });
    for (const query of ['"', '*', '**', '"five"', 'five*', '(5/5)', '** of', 'fi"ve OR five', "five' | 'x"])
      expect([query, await client.attempt(RECALL, { query })]).toMatchObject([query, { ok: true }]);
    expect(await keysOf(client, '"five"')).toEqual(['stars']);
    expect(await keysOf(client, '**')).toEqual(['stars']);
    expect(await keysOf(client, 'five NOT rated')).toEqual([]);
    expect(await keysOf(client, 'five OR nothing')).toEqual([]);
    expect(await keysOf(client, '%')).toEqual([]);
    expect(await keysOf(client, 'nothing:')).toEqual(['other']);
  });

  test('words are ranked: those in the key first, then the newest; all must match', async () => {
    const { client } = await rememberer();
    await client.call(SAVE, { key: 'Résumé of Ada', content: 'Analyst' });
    await client.call(SAVE, { key: 'one', content: 'a resume of somebody' });
    await client.call(SAVE, { key: 'two', content: 'RESUMES, many' });
    await client.call(SAVE, { key: 'three', content: 'presumed lost' });
    expect(await keysOf(client, 'resum')).toEqual(['Résumé of Ada', 'two', 'one']);
    expect(await keysOf(client, 'résum ANAL')).toEqual(['Résumé of Ada']);
    expect(await keysOf(client, 'resum nowhere')).toEqual([]);
    // no word begins with it, so any part of the text does
    expect(await keysOf(client, 'ESUMED LO')).toEqual(['three']);
    expect(await keysOf(client, 'esum')).toEqual(['three', 'two', 'one', 'Résumé of Ada']);
  });

  test('writing without blanks is found by any part of it', async () => {
    const { client } = await rememberer();
    await client.call(SAVE, { key: '飲み物', content: '我喜歡喝咖啡。' });
    await client.call(SAVE, { key: '한국어', content: '저는 커피를 좋아합니다' });
    await client.call(SAVE, { key: 'long', content: `${'咖'.repeat(200)}終` });
    for (const [query, keys] of [
      ['咖啡', ['飲み物']],
      ['我喜', ['飲み物']],
      ['飲み', ['飲み物']],
      ['み物', ['飲み物']],
      ['좋아', ['한국어']],
      ['피를', ['한국어']],
      ['咖'.repeat(70), ['long']],
      ['咖終', ['long']],
      ['茶', []],
    ] as const)
      expect([query, await keysOf(client, query)]).toEqual([query, keys]);
  });

  test('a memory that has expired is archived: found by its key alone', async () => {
    const { client, id } = await rememberer();
    const { acme, clock, services } = bed();
    await client.call(SAVE, { key: 'soon', content: 'parking level three', expires_in_days: 1 });
    await client.call(SAVE, { key: 'stays', content: 'parking permit' });
    expect(await keysOf(client, 'parking')).toEqual(['stays', 'soon']);
    clock.nowMs += DAY_MS;
    const recalled = { key: 'soon', archived: true, signature: 'valid' };
    const look = async () => {
      expect(await keysOf(client, 'parking')).toEqual(['stays']);
      expect(await keysOf(client, 'arking')).toEqual(['stays']);
      expect((await client.call(RECALL, {})).total).toBe(1);
      expect(await client.call(RECALL, { key: 'soon' })).toMatchObject({ memories: [recalled] });
    };
    await look();
    const owner = { organizationId: acme.id, agentId: id };
    expect(await services.memories.maintain(owner)).toBe(1);
    expect(await services.memories.maintain(owner)).toBe(0);
    await look();
    await client.call(SAVE, { key: 'soon', content: 'parking level three' });
    expect(await keysOf(client, 'parking')).toEqual(['soon', 'stays']);
  });

  test('what is forgotten is gone, its entry stays, a second one says so, and twice is as once', async () => {
    const { client, id } = await rememberer();
    const { store } = bed();
    const { hash, seq } = await client.call(SAVE, { key: 'gone', content: 'forget me not' });
    const forgotten = await client.call(SAVE, { key: 'gone', forget: true });
    expect(forgotten).toMatchObject({ key: 'gone', created: false, seq: seq + 1 });
    expect(await client.call(SAVE, { key: 'gone', forget: true })).toEqual(forgotten);
    expect(await client.call(RECALL, { key: 'gone' })).toEqual({ memories: [], total: 0 });
    expect(await keysOf(client, 'forget')).toEqual([]);
    const entries = await store
      .db<ChainTables>()
      .selectFrom('agent_chain')
      .select(['kind', 'hash'])
      .where('agent_id', '=', id)
      .orderBy('seq')
      .execute();
    expect(entries).toEqual([
      { kind: 'memory', hash },
      { kind: 'memory', hash: forgotten.hash },
    ]);
    const rows = await store.db<MemoryTables>().selectFrom('agent_memories').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain('forget me not');
    expect(await client.call(VERIFY, {})).toMatchObject({ chain_ok: true });
    expect(await client.call(SAVE, { key: 'gone', content: 'back' })).toMatchObject({
      created: true,
      seq: 3,
    });
  });

  test('a memory that was forgotten and is put back is invalid, until it is saved or forgotten again', async () => {
    const { client, id } = await rememberer();
    const { clock, store } = bed();
    const db = store.db<MemoryTables>();
    await client.call(SAVE, { key: 'stays', content: 'stays' });
    await client.call(SAVE, { key: 'back', content: 'the old plan' });
    const query = db.selectFrom('agent_memories').selectAll().where('agent_id', '=', id);
    const row = await query.where('key', '=', 'back').executeTakeFirstOrThrow();
    clock.nowMs += 1000;
    await client.call(SAVE, { key: 'back', forget: true });
    const back = () => db.insertInto('agent_memories').values(row).execute();
    const whole = { chain_ok: true };
    const broken = { chain_ok: false, broken_at: 3 };
    expect(await client.call(VERIFY, {})).toMatchObject(whole);
    await back();
    for (const asked of [{ key: 'back' }, { query: 'plan' }, { query: 'lan' }])
      for (const memory of (await client.call(RECALL, asked)).memories)
        expect([asked, memory]).toMatchObject([asked, { key: 'back', signature: 'invalid' }]);
    expect((await client.call(RECALL, { key: 'back' })).total).toBe(1);
    expect(await client.call(VERIFY, {})).toMatchObject(broken);
    // By either it is the agent's own word again.
    await client.call(SAVE, { key: 'back', forget: true });
    expect(await client.call(VERIFY, {})).toMatchObject(whole);
    await back();
    await client.call(SAVE, { key: 'back', content: 'the old plan' });
    expect(await client.call(RECALL, { key: 'back' })).toMatchObject({ memories: [{ signature: 'valid' }] });
    expect(await client.call(VERIFY, {})).toMatchObject(whole);
  });

  test('saving the same text again signs a row anew that somebody changed', async () => {
    const { client, id } = await rememberer();
    const { clock, store } = bed();
    const { hash: strange } = await client.call(SAVE, { key: 'other', content: 'other' });
    const saved = async () => client.call(SAVE, { key: 'same', content: 'same' });
    for (const change of [{ hash: strange }, { seq: 1 }, { updated_at: 0 }, { content: 'sane' }]) {
      const before = await saved();
      expect(await saved()).toMatchObject({ seq: before.seq, hash: before.hash });
      const rows = store.db<MemoryTables>().updateTable('agent_memories').set(change);
      await rows.where('agent_id', '=', id).where('key', '=', 'same').execute();
      const signature = async () => (await client.call(RECALL, { key: 'same' })).memories[0]?.signature;
      expect([change, await signature()]).toEqual([change, 'invalid']);
      clock.nowMs += 1000;
      const after = await saved();
      expect([change, await signature()]).toEqual([change, 'valid']);
      expect(after).toMatchObject({ seq: before.seq + 1, created: false });
      expect(await client.call(VERIFY, {})).toMatchObject({ chain_ok: true });
    }
  });

  test('the same text again changes nothing', async () => {
    const { client } = await rememberer();
    const { clock } = bed();
    const first = await client.call(SAVE, { key: 'same', content: 'same' });
    clock.nowMs += 1000;
    expect(await client.call(SAVE, { key: 'same', content: 'same' })).toEqual({ ...first, created: false });
  });

  test('bad input names its field, and nothing happens', async () => {
    const { client } = await rememberer();
    for (const [input, message] of [
      [{}, /key/],
      [{ key: '  ', content: 'x' }, /key/],
      [{ key: 'k'.repeat(201), content: 'x' }, /key.*200/],
      [{ key: 'k' }, /content/],
      [{ key: 'k', content: ' ' }, /content/],
      [{ key: 'k', content: '\ud800' }, /content/],
      [{ key: 'k', content: 'x', expires_in_days: 0 }, /expires_in_days/],
      [{ key: 'k', content: 'x', expires_in_days: 3651 }, /expires_in_days/],
      [{ key: 'k', content: 'x', forget: true }, /forget/],
      [{ key: 'k', content: 'x', tag: 'y' }, /tag/],
    ] as const)
      expect([input, await client.attempt(SAVE, input as never)]).toMatchObject([
        input,
        { code: 'invalid', message: expect.stringMatching(message) },
      ]);
    expect(await client.call(RECALL, {})).toEqual({ memories: [], total: 0 });
    for (const [input, message] of [
      [{ key: 'k', query: 'q' }, /key/],
      [{ query: '' }, /query/],
      [{ query: 'q'.repeat(501) }, /query.*500/],
      [{ limit: 0 }, /limit/],
      [{ limit: 21 }, /limit/],
      [{ limit: 'all' }, /limit/],
    ] as const)
      expect([input, await client.attempt(RECALL, input as never)]).toMatchObject([
        input,
        { code: 'invalid', message: expect.stringMatching(message) },
      ]);
  });

  test('many savings at once make one chain without a gap', async () => {
    const { client } = await rememberer();
    const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`);
    const made = await Promise.all(keys.map((key) => client.call(SAVE, { key, content: key })));
    expect(made.map(({ seq }) => seq).toSorted((one, other) => one - other)).toEqual(
      keys.map((_, index) => index + 1),
    );
    expect(await client.call(VERIFY, {})).toMatchObject({ chain_ok: true });
  });

  test('a memory that is replaced while it is recalled is never taken for a changed one', async () => {
    const { client } = await rememberer();
    await client.call(SAVE, { key: 'busy', content: 'turn' });
    const turns = Array.from({ length: 30 }, (_, turn) => turn);
    const saved = Promise.all(
      turns.map((turn) => client.call(SAVE, { key: 'busy', content: `turn ${turn}` })),
    );
    const recalled = await Promise.all(
      turns.map((turn) => client.call(RECALL, turn % 2 === 0 ? { key: 'busy' } : {})),
    );
    await saved;
    expect(recalled.map(({ memories }) => memories[0]?.signature)).toEqual(turns.map(() => 'valid'));
  });

  test('what an agent remembers goes with it, from the index too', async () => {
    const { client, id } = await rememberer();
    const { acme, services, store } = bed();
    await client.call(SAVE, { key: 'left', content: 'left behind' });
    expect(await services.agents.delete(acme.owner.caller, id)).toBe(true);
    const rows = await store.db<MemoryTables>().selectFrom('agent_memories').selectAll().execute();
    expect(rows.filter(({ agent_id }) => agent_id === id)).toEqual([]);
  });
});
