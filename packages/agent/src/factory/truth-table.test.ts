/** The truth table of permissions through servers that the factory makes, row by row, in both eras. */
import type { IdentityTables } from '@parley/identity';
import type { Store } from '@parley/store';
import { afterAll, expect, test } from 'vitest';
import type { AgentBed } from '../../test/agent-bed.ts';
import { onBothBeds, onOneBed } from '../../test/agent-bed.ts';
import { clientOf } from '../../test/session-client.ts';
import { agentOf, PROJECT, reasonFor, refusal } from '../../test/table-agents.ts';
import type { Missing, Row } from '../../test/truth-table.ts';
import { expectedOf, ROWS } from '../../test/truth-table.ts';
import { AGENT } from '../name.ts';
import { AGENT_TOOLS } from '../tools/sets.ts';
import type { McpToolContext } from './context.ts';
import { closeAgentStore } from './on-store.ts';
import { createCorvidMcpServer } from './server.ts';

const options = () => ({
  services: { projectExists: async (_organizationId: string, id: string) => id.startsWith(PROJECT) },
});

async function contextOf(bed: AgentBed, row: Row): Promise<McpToolContext> {
  const { acme, store, services, clock } = bed;
  const { id, projectId } = await agentOf(bed, row);
  const has = (service: Missing) => row.without?.includes(service) !== true;
  return {
    agentId: id,
    store,
    clock: () => clock.nowMs,
    projectId: row.projectBundle && projectId,
    sessionSource: row.source,
    schedulerMode: row.unattended,
    resolvedToolPermissions: row.resolved,
    workTaskService: has('work tasks') ? services.work : undefined,
    astParserService: has('code') ? services.code : undefined,
    caller: row.grant && { ...acme.owner.caller, grants: { [AGENT]: row.grant } },
  };
}

onBothBeds(
  'the truth table in the process',
  (bed) => {
    afterAll(() => closeAgentStore(bed().store));

    test.each(ROWS)('row $row is listed in both eras: $situation', async (row) => {
      const ctx = await contextOf(bed(), row);
      const expected = expectedOf(row, AGENT_TOOLS);
      expect(expected).toHaveLength(row.count);
      for (const era of ['modern', 'legacy'] as const) {
        await using client = await clientOf(createCorvidMcpServer(ctx), era);
        expect((await client.names()).toSorted()).toEqual(expected.toSorted());
      }
    });

    test('row 14 lists without a look at the row of the agent', async () => {
      const row = ROWS.find(({ resolved }) => resolved === null) ?? expect.unreachable();
      const ctx = await contextOf(bed(), { ...row, row: '14 unread' });
      const store = unread(ctx.store);
      await using client = await clientOf(createCorvidMcpServer({ ...ctx, store }));
      expect(await client.names()).toHaveLength(35);
      const refused = createCorvidMcpServer({ ...ctx, store, resolvedToolPermissions: undefined });
      await using other = await clientOf(refused);
      await expect(other.names()).rejects.toThrow('Internal error');
    });
  },
  options,
);

onOneBed(
  'calls beside the truth table in the process',
  (bed) => {
    afterAll(() => closeAgentStore(bed().store));

    test.each(ROWS)('check 24: row $row: $situation', async (row) => {
      const ctx = await contextOf(bed(), row);
      const expected = expectedOf(row, AGENT_TOOLS);
      const left = AGENT_TOOLS.map(({ name }) => name).filter((name) => !expected.includes(name));
      {
        // The rows take turns at the eras.
        const era = ROWS.indexOf(row) % 2 === 0 ? 'legacy' : 'modern';
        await using client = await clientOf(createCorvidMcpServer(ctx), era);
        const unknown = await refusal(client.raw, 'corvid_nope');
        for (const name of left) expect(await refusal(client.raw, name)).toBe(unknown);
        for (const name of expected.slice(0, 2)) expect(await refusal(client.raw, name)).toBe('passes');
      }
      expect(await denialsOf(ctx)).toEqual({
        ...Object.fromEntries(left.map((name) => [name, reasonFor(row, name)])),
        corvid_nope: 'not_registered',
      });
    });
  },
  options,
);

/** The reasons in the audit log by the names that an agent was denied. */
async function denialsOf({ store, agentId }: McpToolContext): Promise<Record<string, unknown>> {
  const query = store.db<IdentityTables>().selectFrom('audit_log').selectAll();
  const rows = await query.where('action', '=', 'call.denied').execute();
  const denials = rows.map(({ target, changed }) => ({ target, ...JSON.parse(changed) }));
  const own = denials.filter(({ agent }) => agent === agentId);
  return Object.fromEntries(own.map(({ target, reason }) => [target, reason]));
}

/** The store, whose rows cannot be read. */
function unread(store: Store): Store {
  const db = () => {
    throw new Error('The row of the agent was read.');
  };
  return { ...store, db };
}
