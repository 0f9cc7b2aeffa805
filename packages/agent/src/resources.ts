/** Documents of an agent's own. */
import { defineResource } from '@parley/kit';
import type { AgentServices } from './services/index.ts';
import { actingOf } from './session.ts';

export const agentResources = [
  defineResource<AgentServices>({
    name: 'prompt',
    title: 'What you are told',
    description: 'What the bundles of your agent and of its project tell you. Read it before you begin.',
    mimeType: 'text/plain',
    uri: 'agent://prompt',
    callers: 'agents',
    async read(_variables, { services, caller }) {
      const { organizationId, agentId, projectId } = actingOf(caller);
      return { text: await services.permissions.prompt(organizationId, agentId, projectId) };
    },
  }),
];
