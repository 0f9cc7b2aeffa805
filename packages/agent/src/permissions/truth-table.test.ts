/** The truth table of permissions, row by row: resolved by the function, and through a client of either era. */
import type { Caller } from '@parley/kit';
import { describe, expect, test } from 'vitest';
import type { AgentBed } from '../../test/agent-bed.ts';
import { onBothBeds } from '../../test/agent-bed.ts';
import type { Missing, Row } from '../../test/truth-table.ts';
import { ALL_TOOLS, BLOCKED_NAMES, expectedOf, ROWS } from '../../test/truth-table.ts';
import { AGENT } from '../name.ts';
import type { AgentServices } from '../services/index.ts';
import { callSourceOf } from '../session.ts';
import {
  AGENT_TOOLS,
  blockedAmong,
  DEFAULT_ALLOWED_TOOLS,
  defaultsAmong,
  SCHEDULER_BLOCKED_TOOLS,
} from '../tools/sets.ts';
import { resolveAmong } from './context-tools.ts';
import { denialOf } from './denials.ts';

const PROJECT = 'proj_table';
const WORDS = 'Say where you found it.';

/** What takes a service away from those of a bed; a row that needs one that stands here not is told by the function alone. */
const TAKEN_AWAY: Partial<Record<Missing, (services: AgentServices) => AgentServices>> = {};

/** An agent as a row has it; bundles get a name of their own. */
async function agentOf({ services, agent, acme }: AgentBed, { row, ...given }: Row) {
  const { caller } = acme.owner;
  const { id } = await agent(caller, { name: `Row ${row}`, tools: given.list ?? null });
  const projectId = `${PROJECT} ${row}`;
  for (const [kind, tools] of [
    ['agent', given.agentBundle],
    ['project', given.projectBundle],
  ] as const) {
    if (tools === undefined) continue;
    const facts = { name: `${kind} ${row}`, description: '', tools, prompt_additions: WORDS };
    const { bundle } = await services.bundles.create(caller, facts);
    const owner = { kind, id: kind === 'agent' ? id : projectId };
    await services.skills.assign(caller, owner, { bundleId: bundle.id, sortOrder: 0 });
  }
  return { id, projectId };
}

describe('check 23: the lists', () => {
  test('have 37, 35 and 8 names', () => {
    expect(ALL_TOOLS).toHaveLength(37);
    expect(defaultsAmong(ALL_TOOLS)).toHaveLength(35);
    expect(blockedAmong(ALL_TOOLS)).toHaveLength(8);
    expect(ROWS.map((row) => [row.row, expectedOf(row, ALL_TOOLS).length])).toEqual(
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
});

onBothBeds(
  'the truth table',
  (bed, _replica, once) => {
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

    const over = ROWS.filter(
      ({ resolved, without = [] }) =>
        resolved === undefined && without.every((service) => TAKEN_AWAY[service]),
    );

    /** A client as who acts in a row, in its situation. */
    async function clientOf(row: Row, as: Caller, era: 'modern' | 'legacy') {
      const { client, services: own } = bed();
      const services = (row.without ?? []).reduce((all, service) => TAKEN_AWAY[service]?.(all) ?? all, own);
      return client(as, { era, ...(services !== own && { services }) });
    }

    test.each(over)('check 24: row $row in lists of both eras: $situation', async (row) => {
      const as = await callerOf(row);
      for (const era of ['modern', 'legacy'] as const) {
        await using client = await clientOf(row, as, era);
        expect((await client.toolNames()).toSorted()).toEqual(expectedOf(row, AGENT_TOOLS).toSorted());
      }
    });

    for (const row of over)
      once(`check 24: row ${row.row} in calls: ${row.situation}`, async () => {
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
  () => ({ services: { projectExists: async (_organizationId, id) => id.startsWith(PROJECT) } }),
);

/** What a call is refused with; an argument that no tool knows keeps those that are there from running. */
async function refusal(
  client: { callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown> },
  name: string,
): Promise<string> {
  try {
    await client.callTool({ name, arguments: { no_such_field: 1 } });
    return 'passes';
  } catch (error) {
    const { code, message, data } = error as { code?: unknown; message: string; data?: unknown };
    return JSON.stringify({ code, message, data }).replaceAll(name, 'TOOL');
  }
}

/** Why a row leaves a tool out. */
function reasonFor(row: Row, name: string): string {
  if (row.grant !== undefined && !row.grant.includes(name)) return 'not_granted';
  const watched = {
    ...row,
    unattended: false,
    source: row.source === 'web' ? ('web' as const) : ('api' as const),
  };
  if (!expectedOf({ ...watched, without: [] }, AGENT_TOOLS).includes(name)) return 'not_in_set';
  return expectedOf({ ...row, without: [] }, AGENT_TOOLS).includes(name) ? 'not_registered' : 'unattended';
}
