/** A day of calls, so that charts have a shape: quiet at night, busy at noon, with errors and slow ones among them. */
import { agentToolset } from '@parley/agent';
import { DOCS, RELEASES, WEATHER } from './connections.ts';
import { KEYS, REVOKED } from './people.ts';
import type { Part, Scene } from './scene.ts';
import { createRolls, DAY_MS, DEMO_CALL } from './scene.ts';

const SEED = 4680;
const CALLS = 1400;

/** What is called: by weight, with how long it takes in milliseconds and how often it goes wrong. */
const TOOLS = [
  { toolset: 'annotations', tool: 'watch_annotations', effect: 'read', weight: 12, ms: 900, faults: 0.01 },
  { toolset: 'annotations', tool: 'get_pending', effect: 'read', weight: 16, ms: 7, faults: 0.01 },
  { toolset: 'annotations', tool: 'resolve', effect: 'update', weight: 6, ms: 14, faults: 0.04 },
  { toolset: 'feedback', tool: 'search_feedback', effect: 'read', weight: 18, ms: 22, faults: 0.01 },
  { toolset: 'feedback', tool: 'triage_post', effect: 'update', weight: 7, ms: 19, faults: 0.05 },
  { toolset: 'agent', tool: 'corvid_recall_memory', effect: 'read', weight: 10, ms: 9, faults: 0 },
  { toolset: 'agent', tool: 'corvid_send_message', effect: 'create', weight: 5, ms: 31, faults: 0.06 },
  { toolset: 'tasks', tool: 'get_task', effect: 'read', weight: 8, ms: 5, faults: 0.02 },
  { toolset: DOCS, tool: 'search_docs', effect: 'read', weight: 9, ms: 48, faults: 0.02 },
  { toolset: WEATHER, tool: 'get_forecast', effect: 'read', weight: 4, ms: 140, faults: 0.03 },
  { toolset: RELEASES, tool: 'list_releases', effect: 'read', weight: 5, ms: 61, faults: 0.02 },
  { toolset: RELEASES, tool: 'rebuild_search', effect: 'run', weight: 1, ms: 2400, faults: 0.5 },
  { toolset: 'self', tool: 'API_KEY_DELETE', effect: 'delete', weight: 1, ms: 1, faults: 1 },
] as const;

const FAULTS = [
  { outcome: 'error', code: 'invalid' },
  { outcome: 'error', code: 'not_found' },
  { outcome: 'error', code: 'rate_limited' },
] as const;

interface Who {
  readonly callerId: string;
  readonly source: string;
  readonly client: string | null;
}

export const calls: Part = {
  name: 'calls',
  isThere: async ({ host, organizationId }) => (await host.store.records.count({ organizationId })) > 0,
  async play(scene) {
    const { records } = scene.host.store;
    const roll = createRolls(SEED);
    const everybody = await callersOf(scene);
    const from = scene.now - DAY_MS;
    const times = Array.from({ length: CALLS }, () => from + timeOfDay(roll, from)).toSorted(
      (left, right) => left - right,
    );
    for (const at of times) records.append(callAt(scene, { at, roll, everybody }));
    await records.flush();
  },
};

/** Keys and agents, as records name them. */
async function callersOf({ host, owner, organizationId }: Scene): Promise<Who[]> {
  const keys = await host.identity.listKeys(owner, { all: false });
  const { agents, permissions } = host.servicesOf(agentToolset);
  const known = KEYS.filter(({ name }) => name !== REVOKED)
    .flatMap(({ name }) => keys.find((key) => key.name === name) ?? [])
    .map(({ id, name }) => ({
      callerId: id,
      source: 'key',
      client: name === 'CI pipeline' ? null : name,
    }));
  const acting = (await agents.list(organizationId)).map(async ({ id }) => {
    const { id: callerId } = await permissions.actAs(owner, id);
    return { callerId, source: 'agent', client: 'Claude Code' };
  });
  return [...known, ...(await Promise.all(acting))];
}

/** Within the day: hours in which people work have three times as many as the night. */
function timeOfDay(roll: () => number, from: number): number {
  for (;;) {
    const after = roll() * DAY_MS;
    const hour = new Date(from + after).getUTCHours() + roll();
    const weight = 0.25 + 0.75 * Math.max(0, Math.sin(((hour - 5) / 16) * Math.PI));
    if (roll() < weight) return Math.floor(after);
  }
}

function callAt(
  { owner, organizationId }: Scene,
  { at, roll, everybody }: { at: number; roll: () => number; everybody: readonly Who[] },
): Parameters<Scene['host']['store']['records']['append']>[0] {
  const { weight: _weight, ms, faults, ...tool } = weighed(roll);
  const { callerId, source, client } = everybody[Math.floor(roll() ** 1.6 * everybody.length)] ?? {
    callerId: owner.id,
    source: 'web',
    client: null,
  };
  // Something was slow for an hour in the afternoon.
  const isSlow = new Date(at).getUTCHours() === 14;
  const isFault = roll() < faults * (isSlow ? 3 : 1);
  const fault = FAULTS[Math.floor(roll() * FAULTS.length)] ?? FAULTS[0];
  const ended =
    tool.toolset === 'self' ? { outcome: 'denied' as const, code: 'forbidden' } : isFault ? fault : OK;
  const durationMs = ms * (0.5 + roll() + (roll() < 0.04 ? 6 : 0)) * (isSlow ? 2.5 : 1);
  return {
    at,
    organizationId,
    callerId,
    userId: owner.userId,
    source,
    ...tool,
    method: 'tools/call',
    ...ended,
    durationUs: Math.round(durationMs * 1000),
    era: roll() < 0.7 ? '2026-07-28' : '2025-11-25',
    client,
    requestId: `${DEMO_CALL}${at.toString(36)}`,
  };
}

const OK = { outcome: 'ok', code: null } as const;
const ALL = TOOLS.reduce((sum, { weight }) => sum + weight, 0);

function weighed(roll: () => number): (typeof TOOLS)[number] {
  let left = roll() * ALL;
  for (const tool of TOOLS) {
    left -= tool.weight;
    if (left <= 0) return tool;
  }
  return TOOLS[0];
}
