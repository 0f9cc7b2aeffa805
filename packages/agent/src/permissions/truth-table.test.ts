/** The truth table of permissions, row by row: resolved by the function, and through a client of either era. */
import type { Caller } from '@parley/kit';
import { connect } from '@parley/kit/testing';
import { describe, expect, test } from 'vitest';
import { onBothBeds } from '../../test/agent-bed.ts';
import { servicesBeside } from '../../test/services-beside.ts';
import { agentOf, PROJECT, reasonFor, refusal, WORDS } from '../../test/table-agents.ts';
import type { Missing, Row } from '../../test/truth-table.ts';
import { ALL_TOOLS, BLOCKED_NAMES, expectedOf, ROWS } from '../../test/truth-table.ts';
import { AGENT } from '../name.ts';
import { callSourceOf } from '../session.ts';
import { AGENT_TOOLS, DEFAULT_ALLOWED_TOOLS, defaultsAmong, SCHEDULER_BLOCKED_TOOLS } from '../tools/sets.ts';
import { agentToolset } from '../toolset.ts';
import { agentTools } from '../tools/index.ts';
import { resolveAmong } from './context-tools.ts';
import { denialOf } from './denials.ts';

const projectExists = async (_organizationId: string, id: string) => id.startsWith(PROJECT);

describe('check 23: the lists', () => {
  test('have 37, 35 and 8 names, and give every row its count', () => {
    expect(AGENT_TOOLS).toHaveLength(37);
    expect(DEFAULT_ALLOWED_TOOLS).toHaveLength(35);
    expect(SCHEDULER_BLOCKED_TOOLS).toHaveLength(8);
    expect(ROWS.map((row) => [row.row, expectedOf(row, AGENT_TOOLS).length])).toEqual(
      ROWS.map(({ row, count }) => [row, count]),
    );
  });

  test('are computed from what is defined, which is as it was written down', () => {
    const flags = ({ name, privileged, unattended }: (typeof ALL_TOOLS)[number]) => [
      name,
      privileged,
      unattended,
    ];
    expect(AGENT_TOOLS.map(flags)).toEqual(ALL_TOOLS.map(flags));
    expect(DEFAULT_ALLOWED_TOOLS).toEqual(defaultsAmong(ALL_TOOLS));
    expect(SCHEDULER_BLOCKED_TOOLS.toSorted()).toEqual(BLOCKED_NAMES.toSorted());
  });

  test('hold 16 tools that read, 10 that create, 6 that update, 1 that deletes and 4 that run', () => {
    const count = Object.groupBy(agentTools, ({ effect }) => effect);
    expect(Object.entries(count).map(([effect, tools]) => [effect, tools.length])).toEqual([
      ['run', 4],
      ['read', 16],
      ['update', 6],
      ['create', 10],
      ['delete', 1],
    ]);
  });

  test('are listed with the hints of their effects', async () => {
    await using client = await connect(agentToolset, { as: { agent: NOBODY } });
    const { tools } = await client.raw.listTools();
    const effects = new Map<string, { effect: keyof typeof HINTS; external?: boolean }>(
      agentTools.map((tool) => [tool.name, tool]),
    );
    expect(tools.length).toBeGreaterThan(30);
    for (const { name, title, annotations } of tools) {
      const { effect, external = false } = effects.get(name) ?? expect.unreachable();
      const [readOnlyHint, destructiveHint, idempotentHint] = HINTS[effect];
      expect([name, annotations]).toEqual([
        name,
        { title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint: external },
      ]);
    }
  });
});

/** Read-only, destructive, idempotent: the table of the design. */
const HINTS = {
  read: [true, false, true],
  create: [false, false, false],
  update: [false, false, true],
  delete: [false, true, true],
  run: [false, true, false],
} as const;

const NOBODY = { id: 'agt_nobody', name: 'Nobody', depth: 1, source: 'api' };

onBothBeds(
  'the truth table',
  (bed) => {
    const agents = new Map<string, Promise<Awaited<ReturnType<typeof agentOf>>>>();
    const made = (row: Row) => {
      const known = agents.get(row.row) ?? agentOf(bed(), row);
      agents.set(row.row, known);
      return known;
    };

    test.each(ROWS)('row $row by the function: $situation', async (row) => {
      const { id, projectId } = await made(row);
      const { acme, store } = bed();
      const unread = { engine: store.engine, db: () => expect.unreachable('The row of the agent was read.') };
      const has = (service: Missing) => (row.without?.includes(service) ? undefined : {});
      const report = await resolveAmong(
        {
          agentId: id,
          store: row.resolved === undefined ? store : unread,
          projectId: row.projectBundle && projectId,
          sessionSource: row.source,
          schedulerMode: row.unattended,
          resolvedToolPermissions: row.resolved,
          workTaskService: has('work tasks'),
          astParserService: has('code'),
          caller: row.grant && { ...acme.owner.caller, grants: { [AGENT]: row.grant } },
        },
        ALL_TOOLS,
      );
      expect(report.tools).toEqual(expectedOf(row, ALL_TOOLS));
      expect(report.tools).toHaveLength(row.count);
      expect([...report.tools, ...report.removed.map(({ name }) => name)].toSorted()).toEqual(
        ALL_TOOLS.map(({ name }) => name).toSorted(),
      );
      expect(report.unknown).toEqual(row.row === '21' ? ['corvid_no_such'] : []);
      const bundles = [row.agentBundle, row.projectBundle].filter((bundle) => bundle !== undefined);
      expect(report.prompt).toBe(bundles.map(() => WORDS).join('\n\n'));
    });

    /** Who acts in a row: with a key where there can be one, otherwise as the server would have them. */
    async function callerOf(row: Row): Promise<Caller> {
      const { id: agentId, projectId } = await made(row);
      const { acme, identity, services } = bed();
      const { source = 'api', unattended = false } = row;
      const project = row.projectBundle && { projectId };
      const from = callSourceOf(source);
      if (from === 'web') {
        const how = { organizationId: acme.id, agentId, source: from, sessionSource: source };
        const caller = await services.callers.acting({ ...how, depth: 1, unattended, ...project });
        return caller ?? expect.unreachable('The agent is gone.');
      }
      const { text } = await identity.createKey(acme.owner.caller, {
        name: row.row,
        grants: { [AGENT]: row.grant ?? ['*'] },
        expiresAt: null,
        agent: {
          agentId,
          unattended,
          ...project,
          ...(from !== 'key' && from !== 'stdio' && from !== 'cli' && { source: from }),
        },
      });
      const caller = await identity.authenticate(text, 'key');
      return caller ?? expect.unreachable('A new key is not accepted.');
    }

    /** The services of a server, with what a row goes without switched off. */
    const servicesFor = ({ without = [] }: Row) => {
      const { host, services, clock } = bed();
      if (without.length === 0) return services;
      const has = (service: Missing) => (without.includes(service) ? 'off' : 'on');
      const settings = { projectRoots: [], workTasks: has('work tasks'), codeIndex: has('code') };
      return servicesBeside(host, settings, { now: () => clock.nowMs, projectExists }).services;
    };

    // Only a context can bring its permissions: those rows are the factory's.
    const over = ROWS.filter(({ resolved }) => resolved === undefined);

    /** A client as who acts in a row, in its situation. */
    const clientOf = (row: Row, as: Caller, era: 'modern' | 'legacy') =>
      bed().client(as, { era, services: servicesFor(row) });

    test.each(over)('check 24: row $row in lists of both eras: $situation', async (row) => {
      const as = await callerOf(row);
      for (const era of ['modern', 'legacy'] as const) {
        await using client = await clientOf(row, as, era);
        expect((await client.toolNames()).toSorted()).toEqual(expectedOf(row, AGENT_TOOLS).toSorted());
      }
    });

    for (const row of over)
      test(`check 24: row ${row.row} in calls: ${row.situation}`, async () => {
        const as = await callerOf(row);
        const expected = expectedOf(row, AGENT_TOOLS);
        // The eras take turns, since the calls are many.
        await using client = await clientOf(row, as, ROWS.indexOf(row) % 2 === 0 ? 'modern' : 'legacy');
        const unknown = await refusal(client.raw, 'corvid_nope');
        for (const { name } of AGENT_TOOLS) {
          if (expected.includes(name)) expect(await refusal(client.raw, name)).toBe('passes');
          else {
            expect(await refusal(client.raw, name)).toBe(unknown);
            expect(denialOf(client.records.at(-1) ?? expect.unreachable())).toMatchObject({
              agent: as.agent?.id,
              reason: reasonFor(row, name),
            });
          }
        }
      });
  },
  () => ({ services: { projectExists } }),
);
