/** Reputation: scores by the formulas, and attestations that a changed byte gives away. */
import { createPublicKey, sign, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import type { AgentBed } from '../../test/agent-bed.ts';
import { onBothBeds } from '../../test/agent-bed.ts';
import { servedUntilEnd } from '../../test/rest-server.ts';
import { privateKeyOf } from '../services/chain/keys.ts';
import type { ChainTables } from '../services/chain/schema.ts';
import type { MemoryTables } from '../services/memories/schema.ts';
import type { AgentCounts } from '../services/reputation/counts.ts';
import type { ReputationTables } from '../services/reputation/schema.ts';

const CHECK = 'corvid_check_reputation';
const PUBLISH = 'corvid_publish_attestation';
const VERIFY = 'corvid_verify_agent_reputation';
const SAVE = 'corvid_save_memory';
const RECALL = 'corvid_recall_memory';
const DAY_MS = 86_400_000;

const sessions = new Map<string, number>();
const work = new Map<string, { completed: number; failed: number }>();
const counts: AgentCounts = { workTasks: async () => work, sessions: async () => sessions };

async function member({ acme, agent, client, services }: AgentBed, more = {}) {
  const made = await agent(acme.member.caller, more);
  const found = await services.agents.get(acme.id, made.id);
  return { ...made, accountId: found?.account_id ?? '', client: await client(made.caller) };
}

async function onTheWeb({ acme, client, services }: AgentBed, agentId: string) {
  const how = { organizationId: acme.id, agentId, depth: 1, unattended: false };
  const caller = await services.callers.acting({ ...how, source: 'web', sessionSource: 'web' });
  return client(caller!);
}

type Signed = Pick<
  MemoryTables & ReputationTables & ChainTables,
  'agent_memories' | 'reputation_attestations' | 'agent_chain'
>;

/** Changes a row behind the back of the server, or takes it away; the answer puts it back. */
async function changed(
  { store }: AgentBed,
  {
    table,
    agentId,
    seq,
    change,
  }: { table: keyof Signed; agentId: string; seq: number; change: object | 'gone' },
): Promise<() => Promise<unknown>> {
  // The three have these columns.
  const db = store.db<Record<string, { agent_id: string; seq: number } & Record<string, unknown>>>();
  const rows = db.selectFrom(table).selectAll().where('agent_id', '=', agentId).where('seq', '=', seq);
  const row = await rows.executeTakeFirstOrThrow();
  if (change === 'gone') {
    await db.deleteFrom(table).where('agent_id', '=', agentId).where('seq', '=', seq).execute();
    return () => db.insertInto(table).values(row).execute();
  }
  const set = (values: object) =>
    db.updateTable(table).set(values).where('agent_id', '=', agentId).where('seq', '=', seq).execute();
  await set(change);
  return () => set(Object.fromEntries(Object.keys(change).map((name) => [name, row[name]])));
}

onBothBeds(
  'reputation',
  (bed) => {
    test('check 37: a new agent scores 55, one violation gives 51, ten sessions more give 61', async () => {
      const { client, id } = await member(bed());
      const { store, services, clock } = bed();
      expect(await client.call(CHECK, {})).toEqual({
        overall: 55,
        trust_level: 'medium',
        components: { task: 50, peer: 50, credit: 50, security: 100, activity: 0 },
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        computed_at: new Date(clock.nowMs).toISOString(),
        events: [],
      });
      await store.transaction((tx) =>
        services.reputation.recordViolation(tx, id, 'blocked_address', 'http://10.0.0.1/\0'),
      );
      expect(await client.call(CHECK, {})).toMatchObject({
        overall: 51,
        events: [{ kind: 'blocked_address', detail: 'http://10.0.0.1/' }],
      });
      sessions.set(id, 10);
      expect(await client.call(CHECK, {})).toMatchObject({ overall: 61, components: { activity: 100 } });
      work.set(id, { completed: 1, failed: 2 });
      expect(await client.call(CHECK, {})).toMatchObject({ components: { task: 33.33 }, overall: 56 });
      const { clock: time } = bed();
      time.nowMs += 90 * DAY_MS + 1;
      expect(await client.call(CHECK, {})).toMatchObject({ components: { security: 100 } });
    });

    test('looking changes nothing, and a foreign agent answers like an unknown one', async () => {
      const { client } = await member(bed());
      const other = await member(bed());
      const { rival, agent, store } = bed();
      const stored = () => store.db<ReputationTables>().selectFrom('agent_reputation').selectAll().execute();
      const before = await stored();
      expect(await client.call(CHECK, { agent_id: other.id })).toMatchObject({ overall: 55 });
      expect(await client.call(VERIFY, { wallet_address: other.accountId })).toMatchObject({ count: 0 });
      expect(await stored()).toEqual(before);
      const { acme, services } = bed();
      const levels = await services.reputation.levels(acme.id);
      expect([levels.get(other.id), [...levels.values()].includes('untrusted')]).toEqual(['medium', false]);
      const foreign = await agent(rival.owner.caller);
      const theirs = await bed().services.agents.get(rival.id, foreign.id);
      const unknown = await client.attempt(CHECK, { agent_id: 'agt_unknown' });
      expect(unknown).toMatchObject({ code: 'not_found' });
      expect(await client.attempt(CHECK, { agent_id: foreign.id })).toEqual(unknown);
      const noAccount = await client.attempt(VERIFY, { wallet_address: 'acct_unknown' });
      expect(noAccount).toMatchObject({ code: 'not_found' });
      expect(await client.attempt(VERIFY, { wallet_address: theirs?.account_id ?? '' })).toEqual(noAccount);
    });

    test('check 38: an agent attests only itself, a person in the console any; twelve in a day count as one', async () => {
      const { client, id, accountId } = await member(bed());
      const other = await member(bed());
      const forbidden = await client.attempt(PUBLISH, { agent_id: other.id });
      expect(forbidden).toMatchObject({ code: 'forbidden' });
      expect(await client.attempt(PUBLISH, { agent_id: 'agt_unknown' })).toEqual(forbidden);
      const web = await onTheWeb(bed(), id);
      expect(await web.call(PUBLISH, { agent_id: other.id })).toMatchObject({ seq: 1, counted: true });
      expect(await web.attempt(PUBLISH, { agent_id: 'agt_unknown' })).toMatchObject({ code: 'not_found' });
      const published = [];
      for (let made = 0; made < 12; made += 1) published.push(await client.call(PUBLISH, {}));
      expect(published.map(({ seq, counted }) => [seq, counted])).toEqual(
        published.map((_, index) => [index + 1, index === 0]),
      );
      expect(published[0]?.prev_hash).toBe('0'.repeat(64));
      expect(published[11]?.prev_hash).toBe(published[10]?.hash);
      const verified = await other.client.call(VERIFY, { wallet_address: accountId });
      expect(verified).toMatchObject({ level: 'low', count: 1, meets_minimum: true, chain_ok: true });
      expect(verified.attestations).toHaveLength(10);
      expect(verified.attestations[0]).toMatchObject({ hash: published[11]?.hash, overall: 55, valid: true });
      expect(await client.call(VERIFY, { min_trust: 'medium' })).toMatchObject({ meets_minimum: false });
    });

    test('the level grows with the days, and is never above the newest score; a mark in a row is worth nothing', async () => {
      const { client, id } = await member(bed());
      const { clock, store, services } = bed();
      await client.call(PUBLISH, {});
      await client.call(PUBLISH, {});
      await client.call(PUBLISH, {});
      const rows = store.db<ReputationTables>().updateTable('reputation_attestations').set({ counted: 1 });
      await rows.where('agent_id', '=', id).execute();
      expect(await client.call(VERIFY, {})).toMatchObject({ count: 1, level: 'low' });
      for (let day = 0; day < 5; day += 1) {
        clock.nowMs += DAY_MS;
        await client.call(PUBLISH, {});
      }
      expect(await client.call(VERIFY, {})).toMatchObject({ count: 6, level: 'medium' });
      for (let count = 0; count < 6; count += 1)
        await store.transaction((tx) => services.reputation.recordViolation(tx, id, 'path_escape', '..'));
      // within five minutes the score of before is attested
      expect(await client.call(PUBLISH, {})).toMatchObject({ counted: false });
      expect(await client.call(VERIFY, {})).toMatchObject({ level: 'medium' });
      clock.nowMs += 5 * 60_000 + 1;
      await client.call(PUBLISH, {});
      expect(await client.call(CHECK, {})).toMatchObject({ overall: 35, trust_level: 'low' });
      expect(await client.call(VERIFY, {})).toMatchObject({ level: 'low' });
    });

    test('a row that is taken away, moved, or cut off with its entry shows, also after the next entry', async () => {
      const { client, id } = await member(bed());
      const other = await member(bed());
      const { store } = bed();
      await client.call(SAVE, { key: 'a', content: 'first' });
      await client.call(SAVE, { key: 'b', content: 'second' });
      await client.call(SAVE, { key: 'b', forget: true });
      await client.call(PUBLISH, {});
      await client.call(SAVE, { key: 'c', content: 'third' });
      expect(await client.call(VERIFY, {})).toMatchObject({ chain_ok: true });
      for (const [table, seq, change] of [
        ['agent_memories', 1, 'gone'],
        ['agent_memories', 5, 'gone'],
        ['reputation_attestations', 4, 'gone'],
        ['agent_chain', 5, 'gone'],
      ] as const) {
        const restore = await changed(bed(), { table, agentId: id, seq, change });
        const what = [table, seq];
        expect([what, await client.call(VERIFY, {})]).toMatchObject([
          what,
          { chain_ok: false, broken_at: seq, level: 'untrusted' },
        ]);
        await restore();
        expect([what, await client.call(VERIFY, {})]).toMatchObject([what, { chain_ok: true }]);
      }
      const owned = store.db<MemoryTables>().updateTable('agent_memories').where('key', '=', 'a');
      await owned.set({ agent_id: other.id }).where('agent_id', '=', id).execute();
      expect(await client.call(VERIFY, {})).toMatchObject({ chain_ok: false, broken_at: 1 });
      expect(await other.client.call(VERIFY, {})).toMatchObject({ chain_ok: false });
      await owned.set({ agent_id: id }).where('agent_id', '=', other.id).execute();
      expect(await client.call(VERIFY, {})).toMatchObject({ chain_ok: true });
      // The word of the agent, not the missing row, says that it was removed.
      await changed(bed(), { table: 'agent_memories', agentId: id, seq: 1, change: 'gone' });
      await client.call(SAVE, { key: 'a', forget: true });
      expect(await client.call(VERIFY, {})).toMatchObject({ chain_ok: true });

      const heads = store.db<ChainTables>();
      const mine = heads.selectFrom('agent_chain_heads').selectAll().where('agent_id', '=', id);
      const head = await mine.executeTakeFirstOrThrow();
      await heads.deleteFrom('agent_chain_heads').where('agent_id', '=', id).execute();
      expect(await client.call(VERIFY, {})).toMatchObject({ chain_ok: false, broken_at: 6 });
      await heads
        .insertInto('agent_chain_heads')
        .values({ ...head, head: head.head.replace(/.$/, '') })
        .execute();
      expect(await client.call(VERIFY, {})).toMatchObject({ chain_ok: false, broken_at: 6 });
      const { head: whole } = head;
      await heads.updateTable('agent_chain_heads').set({ head: whole }).where('agent_id', '=', id).execute();
      expect(await client.call(VERIFY, {})).toMatchObject({ chain_ok: true });

      await client.call(SAVE, { key: 'z', content: 'last' });
      for (const table of ['agent_chain', 'agent_memories'] as const)
        await changed(bed(), { table, agentId: id, seq: 7, change: 'gone' });
      expect(await client.call(VERIFY, {})).toMatchObject({ chain_ok: false, broken_at: 7 });
      await client.call(SAVE, { key: 'd', content: 'after' });
      expect(await client.call(VERIFY, {})).toMatchObject({ chain_ok: false, broken_at: 7 });
    });

    test('check 36: one byte of a memory or of an attestation shows as invalid, and verify names the seq', async () => {
      const { client, id } = await member(bed());
      await client.call(SAVE, { key: 'k', content: 'before' });
      await client.call(SAVE, { key: 'k', content: 'kept' });
      await client.call(PUBLISH, {});
      const whole = { chain_ok: true, level: 'low', attestations: [{ valid: true }] };
      expect(await client.call(VERIFY, {})).toMatchObject(whole);
      const [memory, attestation, entry] = [
        'agent_memories',
        'reputation_attestations',
        'agent_chain',
      ] as const;
      for (const [table, seq, change] of [
        [memory, 2, { content: 'Kept' }],
        [memory, 2, { updated_at: 1 }],
        [memory, 2, { expires_at: 8.7e15 }],
        [memory, 2, { hash: 'x' }],
        [attestation, 3, { overall: 56 }],
        [attestation, 3, { level: 'high' }],
        [attestation, 3, { components: '{"task":50' }],
        [attestation, 3, { computed_at: 8.7e15 }],
        [entry, 1, { hash: 'f'.repeat(64) }],
        [entry, 1, { payload_hash: 'f'.repeat(64) }],
        [entry, 2, { prev_hash: 'f'.repeat(64) }],
        [entry, 3, { signature: 'AAAA' }],
        [entry, 3, { created_at: 8.7e15 }],
        [entry, 2, 'gone'],
        [entry, 3, 'gone'],
      ] as const) {
        const what = JSON.stringify([table, seq, change]);
        const restore = await changed(bed(), { table, agentId: id, seq, change });
        const verified = await client.call(VERIFY, {});
        expect([what, verified]).toMatchObject([
          what,
          { chain_ok: false, broken_at: seq, level: 'untrusted', count: 0, meets_minimum: false },
        ]);
        const { memories } = await client.call(RECALL, { key: 'k' });
        const isMemory = table === memory || (table === entry && seq === 2);
        expect([what, memories[0]?.signature]).toEqual([what, isMemory ? 'invalid' : 'valid']);
        const isAttestation = seq === 3;
        expect([what, verified.attestations[0]?.valid]).toEqual([what, !isAttestation]);
        await restore();
      }
      expect(await client.call(VERIFY, {})).toMatchObject(whole);
      const { store } = bed();
      const keys = store
        .db<ChainTables>()
        .updateTable('agent_keys')
        .set({ public_key: 'A'.repeat(43) });
      await keys.where('agent_id', '=', id).execute();
      expect(await client.call(VERIFY, {})).toMatchObject({ chain_ok: false, broken_at: 1 });
    });

    test('check 36: a memory put back to what it was shows as invalid, and verify names its last entry', async () => {
      const { client, id } = await member(bed());
      const { clock, store } = bed();
      const save = (key: string, content: string) => client.call(SAVE, { key, content });
      const stored = () =>
        store.db<MemoryTables>().selectFrom('agent_memories').selectAll().where('agent_id', '=', id);
      const put = ({ id: row, ...values }: { id: number }) =>
        store.db<MemoryTables>().updateTable('agent_memories').set(values).where('id', '=', row).execute();
      const signatures = async () => {
        const { memories } = await client.call(RECALL, {});
        return Object.fromEntries(memories.map(({ key, signature }) => [key, signature]));
      };
      await save('k', 'pay Ada');
      const old = await stored().executeTakeFirstOrThrow();
      clock.nowMs += 1000;
      await save('other', 'stays');
      await save('k', 'pay nobody');
      const now = await stored().where('key', '=', 'k').executeTakeFirstOrThrow();
      await client.call(PUBLISH, {});
      const whole = { chain_ok: true, count: 1 };
      expect(await client.call(VERIFY, {})).toMatchObject(whole);
      await put(old);
      expect(await signatures()).toEqual({ k: 'invalid', other: 'valid' });
      for (const asked of [{ key: 'k' }, { query: 'pay' }])
        expect(await client.call(RECALL, asked)).toMatchObject({ memories: [{ signature: 'invalid' }] });
      const broken = { chain_ok: false, broken_at: 3, level: 'untrusted', count: 0 };
      expect(await client.call(VERIFY, {})).toMatchObject(broken);
      // under the number of the last entry, under none that there is, and as what another memory is
      const { seq, hash } = await stored().where('key', '=', 'other').executeTakeFirstOrThrow();
      for (const [more, brokenAt] of [
        [{ seq: 3 }, 3],
        [{ seq: 0 }, 3],
        [{ seq: 99 }, 99],
        [{ seq, hash }, 3],
      ] as const) {
        await put({ ...old, ...more });
        expect([more, await signatures()]).toEqual([more, { k: 'invalid', other: 'valid' }]);
        expect([more, await client.call(VERIFY, {})]).toMatchObject([
          more,
          { ...broken, broken_at: brokenAt },
        ]);
      }
      await put(now);
      expect(await signatures()).toEqual({ k: 'valid', other: 'valid' });
      expect(await client.call(VERIFY, {})).toMatchObject(whole);
      // over more entries than are looked at together, the first that is broken is named
      for (let made = 0; made < 105; made += 1) await save('other', `turn ${made}`);
      await save('k', 'pay Bob');
      await put(old);
      expect(await client.call(VERIFY, {})).toMatchObject({ chain_ok: false, broken_at: 110 });
      const change = { signature: 'AAAA' };
      await changed(bed(), { table: 'agent_chain', agentId: id, seq: 105, change });
      expect(await client.call(VERIFY, {})).toMatchObject({ chain_ok: false, broken_at: 105 });
    });

    test('check 36: a memory moved to another agent is invalid there, whatever that agent has signed', async () => {
      const one = await member(bed());
      const other = await member(bed());
      const third = await member(bed());
      await one.client.call(SAVE, { key: 'moved', content: 'not yours' });
      // an entry of the same number, and one of the same key
      await other.client.call(SAVE, { key: 'own', content: 'mine' });
      await third.client.call(SAVE, { key: 'first', content: 'mine' });
      await third.client.call(SAVE, { key: 'moved', content: 'mine' });
      await third.client.call(SAVE, { key: 'moved', forget: true });
      const { store } = bed();
      const rows = store.db<MemoryTables>().updateTable('agent_memories').where('key', '=', 'moved');
      for (const [to, own, brokenAt] of [
        [other, 'own', 1],
        [third, 'first', 3],
      ] as const) {
        await rows.set({ agent_id: to.id }).where('content', '=', 'not yours').execute();
        const { memories } = await to.client.call(RECALL, {});
        const shown = Object.fromEntries(memories.map(({ key, signature }) => [key, signature]));
        expect(shown).toEqual({ moved: 'invalid', [own]: 'valid' });
        const byKey = await to.client.call(RECALL, { key: 'moved' });
        expect(byKey).toMatchObject({ memories: [{ signature: 'invalid' }] });
        const verified = await to.client.call(VERIFY, {});
        expect(verified).toMatchObject({ chain_ok: false, broken_at: brokenAt });
      }
      await rows.set({ agent_id: one.id }).where('content', '=', 'not yours').execute();
      const back = await one.client.call(RECALL, { key: 'moved' });
      expect(back).toMatchObject({ memories: [{ signature: 'valid' }] });
    });

    test('a key is changed by an entry of the old one, and what either signed can be verified by anybody', async () => {
      const { client, id } = await member(bed());
      const { acme, rival, store } = bed();
      const ask = await servedUntilEnd(bed());
      const first = await client.call(PUBLISH, {});
      const [old] = (await ask(acme.member.key, 'GET', `/api/agents/${id}/keys`)).json.data.keys;
      expect(old).toMatchObject({ key_id: first.key_id, active: true, retired_at: null });
      const publicKey = createPublicKey({
        key: { kty: 'OKP', crv: 'Ed25519', x: old.public_key },
        format: 'jwk',
      });
      const isSigned = (hash: string) =>
        verify(null, Buffer.from(hash, 'hex'), publicKey, Buffer.from(first.signature, 'base64url'));
      expect([isSigned(first.hash), isSigned('0'.repeat(64))]).toEqual([true, false]);
      const changed = await ask(acme.member.key, 'POST', `/api/agents/${id}/keys/rotate`);
      expect([changed.status, changed.json.data.active]).toEqual([201, true]);
      const second = await client.call(PUBLISH, {});
      expect(second).toMatchObject({ seq: 3, key_id: changed.json.data.key_id });
      const { keys } = (await ask(acme.member.key, 'GET', `/api/agents/${id}/keys`)).json.data;
      expect(keys).toHaveLength(2);
      expect(JSON.stringify(keys)).not.toContain('private');
      expect(await client.call(VERIFY, {})).toMatchObject({ chain_ok: true, count: 1 });
      const unknown = await ask(acme.member.key, 'GET', '/api/agents/agt_unknown/keys');
      expect(unknown.status).toBe(404);
      for (const [method, path] of [
        ['GET', `/api/agents/${id}/keys`],
        ['POST', `/api/agents/${id}/keys/rotate`],
      ] as const)
        expect((await ask(rival.owner.key, method, path)).text).toBe(unknown.text);
      const db = store.db<ChainTables>();
      const stored = await db.selectFrom('agent_keys').selectAll().where('agent_id', '=', id).execute();
      for (const { private_key } of stored) expect(private_key).toMatch(/^v1\./);
      // what a retired key signs later is not believed
      const retired = stored.find(({ key_id }) => key_id === first.key_id);
      const stolen = sign(null, Buffer.from(second.hash, 'hex'), privateKeyOf(retired!, store.secrets));
      const signed = { key_id: first.key_id, signature: stolen.toString('base64url') };
      const entry = db.updateTable('agent_chain').set(signed);
      await entry.where('agent_id', '=', id).where('seq', '=', 3).execute();
      expect(await client.call(VERIFY, {})).toMatchObject({ chain_ok: false, broken_at: 3 });
    });

    test('people rate agents, each once; agents rate nobody', async () => {
      const { client, id, key } = await member(bed());
      const { acme, rival } = bed();
      const ask = await servedUntilEnd(bed());
      const path = `/api/agents/${id}/reviews`;
      const rate = (as: string, rating: unknown) => ask(as, 'POST', path, { rating });
      expect((await rate(acme.member.key, 1)).json.data).toEqual({ agent_id: id, rating: 1 });
      expect((await rate(acme.member.key, 5)).status).toBe(200);
      expect((await rate(acme.owner.key, 4)).status).toBe(200);
      expect(await client.call(CHECK, {})).toMatchObject({ components: { peer: 90 }, overall: 65 });
      for (const rating of [0, 6, 2.5, '5', null])
        expect([rating, (await rate(acme.owner.key, rating)).status]).toEqual([rating, 400]);
      expect((await rate(key, 5)).status).toBe(403);
      const unknown = await ask(acme.owner.key, 'POST', '/api/agents/agt_unknown/reviews', { rating: 5 });
      const foreign = await rate(rival.owner.key, 5);
      expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
      expect(await client.call(CHECK, {})).toMatchObject({ components: { peer: 90 } });
    });
  },
  () => ({ services: { counts } }),
);
