/** Credits: what accounts have is the sum of what went through them, whoever moves them at the same time. */
import type { IdentityTables } from '@parley/identity';
import { expect, test } from 'vitest';
import type { AgentBed } from '../../test/agent-bed.ts';
import { onBothBeds } from '../../test/agent-bed.ts';
import type { CreditTables } from '../services/credits/schema.ts';

const CHECK = 'corvid_check_credits';
const GRANT = 'corvid_grant_credits';
const CONFIG = 'corvid_credit_config';
const TOOLS = [CHECK, GRANT, CONFIG, 'corvid_check_reputation'];

async function payer({ acme, agent, client, services }: AgentBed) {
  const made = await agent(acme.owner.caller, { tools: TOOLS });
  const found = await services.agents.get(acme.id, made.id);
  const as = await client(made.caller);
  const accountId = found?.account_id ?? '';
  return {
    ...made,
    client: as,
    accountId,
    charged: { organizationId: acme.id, agentId: made.id, actor: made.id, reason: 'test' },
  };
}

async function sumOf({ store }: AgentBed, accountId: string): Promise<number> {
  const rows = await store
    .db<CreditTables>()
    .selectFrom('credit_transactions')
    .select('amount')
    .where('account_id', '=', accountId)
    .execute();
  return rows.reduce((sum, { amount }) => sum + amount, 0);
}

async function audited({ store, acme }: AgentBed, action: string) {
  return store
    .db<IdentityTables>()
    .selectFrom('audit_log')
    .select(['caller_id', 'target', 'changed'])
    .where('organization_id', '=', acme.id)
    .where('action', '=', action)
    .orderBy('seq', 'desc')
    .execute();
}

onBothBeds('credits', (bed, replica) => {
  test('a new agent has an account with its first credits', async () => {
    const { client, accountId } = await payer(bed());
    expect(await client.call(CHECK, {})).toEqual({
      account_id: accountId,
      available: 100,
      reserved: 0,
      total: 100,
      lifetime_bought: 100,
      lifetime_used: 0,
      config: { credits_per_unit: 1000, credits_per_turn: 1, low_credit_threshold: 50 },
      low: false,
    });
  });

  test('accounts of the organization can be looked at; a foreign one answers like an unknown one', async () => {
    const { rival, agent, services } = bed();
    const { client } = await payer(bed());
    const other = await payer(bed());
    expect(await client.call(CHECK, { wallet_address: other.accountId })).toMatchObject({ available: 100 });
    const theirs = await agent(rival.owner.caller);
    const foreign = (await services.agents.get(rival.id, theirs.id))?.account_id ?? '';
    for (const ask of [
      (wallet_address: string) => client.attempt(CHECK, { wallet_address }),
      (wallet_address: string) => client.attempt(GRANT, { wallet_address, amount: 1 }),
    ]) {
      const unknown = await ask('acct_unknown');
      expect(unknown).toMatchObject({ code: 'not_found' });
      expect(await ask(foreign)).toEqual(unknown);
    }
    expect(await sumOf(bed(), foreign)).toBe(100);
  });

  test('a grant adds to another account, and is audited with who gave it', async () => {
    const { client, caller } = await payer(bed());
    const { accountId, ...other } = await payer(bed());
    const granted = await client.call(GRANT, { wallet_address: accountId, amount: 7, reason: 'thanks' });
    expect(granted).toMatchObject({ available: 107, total: 107 });
    expect(await other.client.call(CHECK, {})).toMatchObject({ available: 107, lifetime_bought: 107 });
    expect(await sumOf(bed(), accountId)).toBe(107);
    const [entry] = await audited(bed(), 'credits.granted');
    expect(entry).toMatchObject({ caller_id: caller.id, target: accountId });
    expect(JSON.parse(entry?.changed ?? '')).toEqual({
      amount: 7,
      reason: 'thanks',
      transaction: granted.transaction_id,
    });
  });

  test('check 50: 0, 1000001 and 1.5 are no amounts, and no agent grants to itself', async () => {
    const { client, accountId, id } = await payer(bed());
    const { accountId: other } = await payer(bed());
    for (const amount of [0, 1_000_001, 1.5, -1, '5'])
      expect([amount, await client.attempt(GRANT, { wallet_address: other, amount } as never)]).toMatchObject(
        [amount, { code: 'invalid', message: expect.stringContaining('amount') }],
      );
    expect(
      await client.attempt(GRANT, { wallet_address: other, amount: 1, reason: 'r'.repeat(201) }),
    ).toMatchObject({ code: 'invalid', message: expect.stringContaining('reason') });
    expect(await sumOf(bed(), other)).toBe(100);
    expect(await client.attempt(GRANT, { wallet_address: accountId, amount: 1 })).toMatchObject({
      code: 'self_grant',
    });
    expect(await sumOf(bed(), accountId)).toBe(100);
    expect(await client.call('corvid_check_reputation', {})).toMatchObject({
      components: { security: 80 },
      events: [{ kind: 'self_grant' }],
    });
    const { acme, client: connect, services } = bed();
    const how = { organizationId: acme.id, agentId: id, depth: 1, unattended: false };
    const web = await services.callers.acting({ ...how, source: 'web', sessionSource: 'web' });
    const watched = await connect(web!);
    expect(await watched.attempt(GRANT, { wallet_address: accountId, amount: 1 })).toMatchObject({
      ok: true,
    });
  });

  test('check 50: after 1000 debits at once from two processes the balance is the sum of transactions', async () => {
    const { charged, accountId, client } = await payer(bed());
    const giver = await payer(bed());
    await giver.client.call(GRANT, { wallet_address: accountId, amount: 3000 });
    const processes = [bed(), await replica()];
    const debit = ({ store, services }: (typeof processes)[number]) =>
      store.transaction((tx) => services.credits.charge(tx, charged, 'agent_message'));
    // as many at once as a process lets wait for its database
    const lane = async (index: number) => {
      for (let made = 0; made < 50; made += 1) await debit(processes[index % 2]!);
    };
    await Promise.all(Array.from({ length: 20 }, (_, index) => lane(index)));
    // 620 debits of 5 empty the account; the others find nothing, and never take more
    expect(await client.call(CHECK, {})).toMatchObject({
      available: 0,
      total: 0,
      lifetime_used: 3100,
      low: true,
    });
    expect(await sumOf(bed(), accountId)).toBe(0);
  });

  test('check 50: only the known settings can be set, to what they may be; changes are audited', async () => {
    const { client, caller } = await payer(bed());
    const all = {
      credits_per_unit: 1000,
      low_credit_threshold: 50,
      credits_per_turn: 1,
      credits_per_agent_message: 5,
      reserve_per_group_message: 10,
      free_credits_first_time: 100,
      enforce: false,
    };
    expect(await client.call(CONFIG, {})).toEqual({ config: all });
    expect(await client.call(CONFIG, { key: 'enforce' })).toEqual({ config: all });
    for (const [input, code] of [
      [{ key: 'price', value: 1 }, 'unknown_key'],
      [{ key: 'price' }, 'unknown_key'],
      [{ key: 'constructor', value: 1 }, 'unknown_key'],
      [{ value: 1 }, 'invalid'],
      [{ key: 'credits_per_turn', value: -1 }, 'invalid'],
      [{ key: 'credits_per_turn', value: 1_000_001 }, 'invalid'],
      [{ key: 'credits_per_turn', value: 0.5 }, 'invalid'],
      [{ key: 'credits_per_turn', value: true }, 'invalid'],
      [{ key: 'credits_per_turn', value: '1e3' }, 'invalid'],
      [{ key: 'enforce', value: 1 }, 'invalid'],
    ] as const)
      expect([input, await client.attempt(CONFIG, input)]).toMatchObject([input, { code }]);
    expect(await client.call(CONFIG, {})).toEqual({ config: all });
    expect(await audited(bed(), 'credits.configured')).toEqual([]);
    const set = { key: 'free_credits_first_time', value: 0 };
    expect(await client.call(CONFIG, set)).toMatchObject({
      changed: true,
      config: { free_credits_first_time: 0 },
    });
    expect(await client.call(CONFIG, set)).toMatchObject({ changed: false });
    const entries = await audited(bed(), 'credits.configured');
    expect(entries.map(({ caller_id, target }) => [caller_id, target])).toEqual([[caller.id, set.key]]);
    const poor = await payer(bed());
    expect(await poor.client.call(CHECK, {})).toMatchObject({ available: 0, total: 0 });
    const { rival, services } = bed();
    expect(await services.credits.config(rival.id)).toEqual(all);
    expect(await client.call(CONFIG, { key: set.key, value: '100' })).toMatchObject({ changed: true });
  });

  test('where the organization insists, an empty account is refused, and a failed delivery is paid back once', async () => {
    const { client, charged, accountId } = await payer(bed());
    const { store, services } = bed();
    const { charge, refund, reserve, release } = services.credits;
    await client.call(CONFIG, { key: 'enforce', value: true });
    await client.call(CONFIG, { key: 'credits_per_agent_message', value: 60 });
    const within = <T>(work: (tx: Parameters<typeof charge>[0]) => Promise<T>) => store.transaction(work);
    const taken = await within((tx) => charge(tx, charged, 'agent_message'));
    expect(taken).toMatchObject({ amount: 60 });
    expect(await within((tx) => charge(tx, charged, 'agent_message'))).toBe('refused');
    expect(await client.call(CHECK, {})).toMatchObject({ available: 40, lifetime_used: 60, low: true });
    expect(await client.call('corvid_check_reputation', {})).toMatchObject({ components: { credit: 50 } });
    if (taken === 'refused') return;
    await within((tx) => refund(tx, charged, taken.id));
    await within((tx) => refund(tx, charged, taken.id));
    expect(await client.call(CHECK, {})).toMatchObject({ available: 100, lifetime_used: 0 });
    const aside = await within((tx) => reserve(tx, charged, 3));
    expect(await client.call(CHECK, {})).toMatchObject({ available: 70, reserved: 30, total: 100 });
    expect(await within((tx) => reserve(tx, charged, 8))).toBe('refused');
    expect(await sumOf(bed(), accountId)).toBe(70);
    if (aside === 'refused') return;
    await within((tx) => release(tx, charged, aside.id));
    await within((tx) => release(tx, charged, aside.id));
    expect(await client.call(CHECK, {})).toMatchObject({ available: 100, reserved: 0 });
    expect(await sumOf(bed(), accountId)).toBe(100);
    await client.call(CONFIG, { key: 'enforce', value: false });
    await client.call(CONFIG, { key: 'credits_per_agent_message', value: 5 });
  });

  test('the privileged two are hidden from an agent without them, and from everybody when nobody watches', async () => {
    const { acme, agent, client, services } = bed();
    const plain = await client((await agent(acme.owner.caller)).caller);
    const names = await plain.toolNames();
    expect(names).toContain(CHECK);
    for (const tool of [GRANT, CONFIG]) expect(names).not.toContain(tool);
    await expect(plain.raw.callTool({ name: GRANT, arguments: {} })).rejects.toThrow(/unknown tool/i);
    const { id } = await payer(bed());
    const how = { organizationId: acme.id, agentId: id, depth: 1, unattended: true };
    const alone = await services.callers.acting({ ...how, source: 'schedule', sessionSource: 'schedule' });
    expect(await (await client(alone!)).toolNames()).toEqual([CHECK, 'corvid_check_reputation']);
  });
});
