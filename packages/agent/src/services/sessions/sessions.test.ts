/** Sessions of agents: calls that belong together, runs with a timer, and time that can be asked for. */
import { StoreUnavailableError } from '@parley/store';
import { expect, test } from 'vitest';
import type { BedAgent } from '../../../test/agent-bed.ts';
import { onBothBeds } from '../../../test/agent-bed.ts';
import { AGENT } from '../../name.ts';
import { denialOf } from '../../permissions/denials.ts';
import type { NewRun } from './sessions.ts';
import type { SessionTables } from './schema.ts';

const EXTEND = 'corvid_extend_timeout';
const LIST = 'corvid_list_agents';
const MINUTE_MS = 60_000;

onBothBeds('sessions', (bed, replica) => {
  const agent = () => bed().agent(bed().acme.owner.caller);
  const rowsOf = ({ id }: BedAgent) =>
    bed()
      .store.db<SessionTables>()
      .selectFrom('agent_sessions')
      .selectAll()
      .where('agent_id', '=', id)
      .orderBy('started_at')
      .execute();
  const run = ({ id }: BedAgent, more: Partial<NewRun> = {}) =>
    bed().services.sessions.begin({
      organizationId: bed().acme.id,
      agentId: id,
      source: 'agent',
      depth: 2,
      unattended: false,
      timeoutMs: 30 * MINUTE_MS,
      ...more,
    });
  const inSession = ({ caller }: BedAgent, sessionId: string) =>
    bed().client({
      ...caller,
      agent: { id: '', name: '', depth: 2, source: 'agent', ...caller.agent, sessionId },
    });

  test('what a key is denied is written down with its session, as what it may call is', async () => {
    const ada = await agent();
    const { identity, store, services } = bed();
    const denied = (caller: BedAgent['caller'], name: string) => {
      const record = { caller, method: 'tools/call', toolset: AGENT, name, outcome: 'denied' } as const;
      identity.audit.denied(caller, { name, isTool: true }, denialOf({ ...record, code: 'not_in_set' }));
    };
    denied(ada.caller, 'corvid_first');
    await identity.audit.flush();
    await (await bed().client(ada.caller)).call(LIST, {});
    denied(ada.caller, 'corvid_second');
    const run3 = await run(ada);
    const { agent: acting = { id: '', name: '', depth: 1, source: 'api' } } = ada.caller;
    denied({ ...ada.caller, agent: { ...acting, sessionId: run3.id } }, 'corvid_third');
    const gone = await agent();
    await services.agents.delete(bed().acme.owner.caller, gone.id);
    denied(gone.caller, 'corvid_fourth');
    denied(bed().acme.owner.caller, 'corvid_fifth');
    await identity.audit.flush();
    await run3.end();
    const rows = await store
      .db<{ audit_log: { action: string; target: string; changed: string } }>()
      .selectFrom('audit_log')
      .select(['target', 'changed'])
      .where('action', '=', 'call.denied')
      .where('target', 'like', 'corvid_%')
      .execute();
    const sessions = Object.fromEntries(
      rows.map(({ target, changed }) => [target, (JSON.parse(changed) as { session: unknown }).session]),
    );
    const own = (await rowsOf(ada)).find(({ caller_id: caller }) => caller !== null);
    expect(own?.id).toMatch(/^ses_/);
    expect(sessions).toEqual({
      corvid_first: own?.id,
      corvid_second: own?.id,
      corvid_third: run3.id,
      corvid_fourth: null,
      corvid_fifth: null,
    });
  });

  test('the calls of a key are one session until none comes for 30 minutes, in every process', async () => {
    const ada = await agent();
    const asAda = await bed().client(ada.caller);
    await asAda.call(LIST, {});
    const other = await replica();
    const [first] = await rowsOf(ada);
    expect(first).toMatchObject({
      source: 'api',
      depth: 1,
      unattended: 0,
      deadline_at: null,
      ended_at: null,
    });
    const acting = {
      agentId: ada.id,
      name: ada.name,
      organizationId: bed().acme.id,
      caller: ada.caller,
      source: 'api',
      depth: 1,
      unattended: false,
      projectId: undefined,
    } as const;
    expect(await other.services.sessions.of(acting)).toBe(first?.id);
    bed().clock.nowMs += 59_999;
    await asAda.call(LIST, {});
    // Within the minute nothing is written.
    expect(await rowsOf(ada)).toEqual([first]);
    bed().clock.nowMs += 1;
    await asAda.call(LIST, {});
    expect(await rowsOf(ada)).toMatchObject([{ id: first?.id, updated_at: bed().clock.nowMs }]);
    bed().clock.nowMs += 30 * MINUTE_MS;
    await asAda.call(LIST, {});
    expect(await rowsOf(ada)).toMatchObject([
      { id: first?.id, ended_at: bed().clock.nowMs - 30 * MINUTE_MS },
      { ended_at: null },
    ]);
  });

  test('a database that takes no writes holds up no call that only reads, and its session is written later', async () => {
    const ada = await agent();
    const { sessions } = bed().services;
    let reason: 'full' | 'readonly' | 'lost' = 'full';
    let isOut = true;
    const of: typeof sessions.of = (acting) =>
      isOut ? Promise.reject(new StoreUnavailableError(reason)) : sessions.of(acting);
    const services = { ...bed().services, sessions: { ...sessions, of } };
    const asAda = await bed().client(ada.caller, { services });
    const send = { to_agent: ada.id, message: 'Hello' };
    for (reason of ['full', 'readonly'] as const) {
      expect(await asAda.attempt(LIST, {})).toMatchObject({ ok: true });
      expect(await asAda.attempt('corvid_send_message', send)).toMatchObject({ ok: false });
    }
    reason = 'lost';
    expect(await asAda.attempt(LIST, {})).toMatchObject({ ok: false });
    expect(await rowsOf(ada)).toEqual([]);
    isOut = false;
    await asAda.call(LIST, {});
    expect(await rowsOf(ada)).toMatchObject([{ ended_at: null }]);
  });

  test('check 55: 500 minutes grant 120, all in all four times the base, and no timer is unavailable', async () => {
    const ada = await agent();
    const asAda = await bed().client(ada.caller);
    const without = await asAda.attempt(EXTEND, { minutes: 10 });
    expect(without).toMatchObject({ ok: false, code: 'unavailable' });
    const began = bed().clock.nowMs;
    const session = await run(ada);
    const inRun = await inSession(ada, session.id);
    const latest = new Date(began + 120 * MINUTE_MS).toISOString();
    expect(await inRun.call(EXTEND, { minutes: 500 })).toEqual({ granted_minutes: 120, ends_at: latest });
    bed().clock.nowMs += 100 * MINUTE_MS;
    expect(await inRun.call(EXTEND, { minutes: 60 })).toEqual({ granted_minutes: 20, ends_at: latest });
    // Asking for less never takes time away.
    expect(await inRun.call(EXTEND, { minutes: -5 })).toEqual({ granted_minutes: 1, ends_at: latest });
    expect(session.signal.aborted).toBe(false);
    await session.end();
    expect(await inRun.attempt(EXTEND, { minutes: 5 })).toMatchObject({ ok: false, code: 'not_found' });
  });

  test('a session of another agent, and one that is over, are not found', async () => {
    const ada = await agent();
    const eve = await agent();
    const session = await run(ada);
    const asEve = await inSession(eve, session.id);
    const foreign = await asEve.attempt(EXTEND, { minutes: 5 });
    const asNobody = await inSession(eve, 'ses_nothing');
    expect(foreign).toEqual(await asNobody.attempt(EXTEND, { minutes: 5 }));
    expect(foreign).toMatchObject({ ok: false, code: 'not_found' });
    bed().clock.nowMs += 30 * MINUTE_MS;
    const late = await inSession(ada, session.id);
    expect(await late.attempt(EXTEND, { minutes: 5 })).toMatchObject({ ok: false, code: 'not_found' });
    await session.end();
  });

  test.each([{}, { minutes: '5' }, { minutes: 5, hours: 1 }])(
    'bad input names its field: %j',
    async (input) => {
      const asAda = await bed().client((await agent()).caller);
      expect(await asAda.attempt(EXTEND, input as never)).toMatchObject({ ok: false, code: 'invalid' });
    },
  );

  test('the signal of a run fires at its end, and not before an extension from anywhere is over', async () => {
    const ada = await agent();
    const session = await run(ada, { timeoutMs: 50 });
    const inRun = await inSession(ada, session.id);
    await inRun.call(EXTEND, { minutes: 1 });
    // The clock stands still, so the timer of the first deadline finds the new one.
    bed().clock.nowMs += 50;
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
    expect(session.signal.aborted).toBe(false);
    await session.end();
    const short = await run(ada, { timeoutMs: 20 });
    bed().clock.nowMs += 20;
    await expect.poll(() => short.signal.aborted).toBe(true);
    await short.end();
    expect((await rowsOf(ada)).at(-1)).toMatchObject({
      depth: 2,
      source: 'agent',
      ended_at: bed().clock.nowMs,
    });
  });
});
