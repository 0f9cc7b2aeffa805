/** Agents of the demo: who they are, what they remember and say, when they act, and what waits for their owner. */
import { agentToolset } from '@parley/agent';
import type { AgentServices } from '@parley/agent';
import { meshToolset } from '@parley/mesh';
import { AGENTS, LAUNCH, MESSAGES, QUESTIONS, SCHEDULES } from './agent-texts.ts';
import type { Part, Scene } from './scene.ts';
import { HOUR_MS } from './scene.ts';

/** An agent that acts, as the services of agents see it. */
type Acting = Parameters<AgentServices['schedules']['create']>[0];

export const agents: Part = {
  name: 'agents',
  isThere: async ({ host, organizationId }) =>
    (await host.servicesOf(agentToolset).agents.list(organizationId)).length > 0,
  async play(scene) {
    const services = scene.host.servicesOf(agentToolset);
    const { organizationId, owner } = scene;
    const { projects } = scene.host.servicesOf(meshToolset);
    const project = await projects.create(organizationId, 'harbor-web', {
      name: 'Harbor web',
      description: 'The app that people see.',
    });
    const acting = new Map<string, Acting>();
    for (const { name, description, tools, memories, rating } of AGENTS) {
      const given = { name, description, tools, defaultProjectId: project.id };
      const { agent } = await services.agents.create(owner, given);
      await services.projects.assign(owner, agent.id, project.id);
      for (const [key, content] of Object.entries(memories))
        await services.memories.save({ organizationId, agentId: agent.id }, { key, content });
      await services.reputation.review(owner, agent.id, rating);
      acting.set(name, await actingAs(services, scene, agent));
    }
    const named = (name: string) => {
      const found = acting.get(name);
      if (found === undefined) throw new Error(`The demo has no agent ${name}.`);
      return found;
    };
    await sayAll(services, named);
    await planAll(services, named, owner);
    for (const { by, ...question } of QUESTIONS)
      await services.owner.questions.ask(named(by), { ...question, taskId: null });
    await keepWork(scene, named('Ada').agentId, project.id);
  },
};

async function actingAs(
  { permissions, sessions }: AgentServices,
  { owner, organizationId }: Scene,
  { id: agentId, name }: { readonly id: string; readonly name: string },
): Promise<Acting> {
  const caller = await permissions.actAs(owner, agentId);
  const acting = {
    agentId,
    name,
    organizationId,
    caller,
    source: 'mcp' as const,
    depth: 1,
    unattended: false,
    sessionId: undefined,
    projectId: undefined,
  };
  return { ...acting, sessionId: await sessions.of(acting) };
}

/** Messages, some of which are answered. */
async function sayAll({ messages }: AgentServices, named: (name: string) => Acting): Promise<void> {
  for (const { from, to, text, reply } of MESSAGES) {
    const { id } = await messages.send(named(from), { to, text });
    if (reply !== undefined) await messages.inbox.reply(named(to), id, reply);
  }
}

/** Schedules, of which one has run and one waits for a word; and a workflow with a run that is over and one that goes on. */
async function planAll(
  { schedules, workflows }: AgentServices,
  named: (name: string) => Acting,
  owner: Scene['owner'],
): Promise<void> {
  for (const { by, isRunNow, isPaused, to, ...schedule } of SCHEDULES) {
    const actions = schedule.actions.map((action) =>
      to === undefined ? action : { ...action, to_agent_id: named(to).agentId },
    );
    const { id } = await schedules.create(named(by), { ...schedule, actions });
    // The agent itself: what its owner starts needs no word of theirs.
    if (isRunNow === true) await schedules.runNow(named(by), id);
    if (isPaused === true) await schedules.pause(named(by), id, owner);
  }
  const bruno = named('Bruno');
  const { id } = await workflows.create(bruno, LAUNCH);
  await workflows.setStatus(bruno, id, 'active');
  await workflows.trigger(bruno, id, { version: '4.12.1', urgent: true });
  await workflows.trigger(bruno, id, { version: '4.13.0', urgent: false });
}

/** Work that is over: new work would need the code of a project on this machine. */
async function keepWork(
  { host: { store }, organizationId, now }: Scene,
  agentId: string,
  projectId: string,
): Promise<void> {
  const base = {
    organization_id: organizationId,
    agent_id: agentId,
    project_id: projectId,
    repository: null,
    pr_url: null,
    task_id: null,
    depth: 1,
    unattended: 0,
    claim_hash: null,
    lease_until: null,
  };
  const over = (hoursAgo: number) => ({
    created_at: now - hoursAgo * HOUR_MS,
    updated_at: now - hoursAgo * HOUR_MS + HOUR_MS / 2,
    finished_at: now - hoursAgo * HOUR_MS + HOUR_MS / 2,
  });
  const rows = [
    {
      id: 'work_demo_keyboard',
      description: 'Make the cards of a board buttons, so that the keyboard reaches them.',
      status: 'completed',
      branch: 'agent/keyboard-cards',
      iterations: 2,
      error: null,
      reply: 'Cards are buttons with a visible focus. Two tests were added, and all 214 pass.',
      ...over(5),
    },
    {
      id: 'work_demo_eircode',
      description: 'Accept Eircodes in the postcode field.',
      status: 'failed',
      branch: 'agent/eircodes',
      iterations: 3,
      error: 'The check failed three times: address.test.ts expects five digits.',
      reply: 'The field takes them; the old test has to change, which I was not asked to do.',
      ...over(20),
    },
    {
      id: 'work_demo_pie',
      description: 'Draw the weekly report as a pie.',
      status: 'cancelled',
      branch: null,
      iterations: 0,
      error: null,
      reply: null,
      ...over(26),
    },
  ];
  const db = store.db<{ work_tasks: Record<string, string | number | null> }>();
  await db
    .insertInto('work_tasks')
    .values(rows.map((row) => ({ ...base, ...row, id: `${row.id}_${organizationId.slice(-8)}` })))
    .execute();
}
