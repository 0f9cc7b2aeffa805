/** Which other agents there are. */
import * as z from 'zod';
import { defineTool } from './define-tool.ts';

const MOST = 200;

export const listAgents = defineTool({
  name: 'corvid_list_agents',
  title: 'List agents',
  description: 'The other agents of your organization, whom corvid_send_message reaches.',
  effect: 'read',
  input: z.strictObject({}),
  output: z.object({
    agents: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        description: z.string(),
        account_id: z.string(),
        trust_level: z.string(),
        reachable: z.enum(['runner', 'watched', 'inbox']),
      }),
    ),
    truncated: z.boolean(),
  }),
  async run(_input, { services }, { agentId, organizationId }) {
    const others = (await services.agents.list(organizationId)).filter(({ id }) => id !== agentId);
    const reach = await services.messages.reach(organizationId);
    const levels = await services.reputation.levels(organizationId);
    const agents = others.slice(0, MOST).map((agent) => ({
      id: agent.id,
      name: agent.name,
      description: agent.description,
      account_id: agent.account_id,
      trust_level: levels.get(agent.id) ?? 'untrusted',
      reachable: reach(agent),
    }));
    return { agents, truncated: others.length > MOST };
  },
});
