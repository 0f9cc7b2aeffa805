/** Routes of agents themselves. */
import { created, nothing, one, whole } from '@parley/http/rest';
import { ToolError } from '@parley/kit';
import * as z from 'zod';
import { defineRoute } from './route.ts';

const Agent = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  account_id: z.string(),
  tools: z.array(z.string()).nullable().describe('null: the default set'),
  default_project_id: z.string().nullable(),
  runner: z.string().nullable(),
  version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});
const Listed = Agent.extend({
  status: z
    .enum(['running', 'watched', 'idle'])
    .describe('running: a run is under way; watched: a client holds its inbox open'),
  last_run_at: z.string().nullable().describe('When it was last seen to act, to the minute'),
});
const Saved = Agent.extend({ warnings: z.array(z.string()) });

const Change = z.strictObject({
  name: z.string().max(200),
  description: z.string().max(2000),
  tools: z.array(z.string().max(200)).max(500).nullable().describe('null: the default set'),
  default_project_id: z.string().max(128).nullable(),
});
const New = Change.partial().required({ name: true });

const input = ({ default_project_id: defaultProjectId, ...rest }: z.output<typeof New>) => ({
  ...rest,
  ...(defaultProjectId !== undefined && { defaultProjectId }),
});

const found = <T>(item: T | undefined): T => {
  if (item === undefined) throw new ToolError('not_found', 'Agent not found');
  return item;
};

export const agentRoutes = [
  defineRoute({
    method: 'GET',
    path: '/',
    summary: 'The agents of the organization, by name',
    who: 'team',
    grants: ['agents_read'],
    answer: whole('ListedAgent', Listed),
    async run({ services, caller: { organizationId } }) {
      const activity = await services.sessions.activity(organizationId);
      const reach = await services.messages.reach(organizationId);
      return (await services.agents.list(organizationId)).map((agent) => {
        const seen = activity.get(agent.id);
        const isWatched = reach(agent) === 'watched';
        return {
          ...agent,
          tools: agent.tools && [...agent.tools],
          status: seen?.isRunning === true ? 'running' : isWatched ? 'watched' : 'idle',
          last_run_at: seen === undefined ? null : new Date(seen.lastAt).toISOString(),
        };
      });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/',
    summary: 'Make an agent; its key is shown this once',
    isSensitive: true,
    who: 'team',
    grants: ['agents_manage'],
    hasSecret: true,
    body: New,
    answer: created('NewAgent', Saved.extend({ key: z.string() }), ({ id }) => `/api/agents/${id}`),
    async run({ services, caller, body }) {
      const { agent, warnings, key } = await services.agents.create(caller, input(body));
      return { ...agent, tools: agent.tools && [...agent.tools], warnings: [...warnings], key };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/:id',
    summary: 'One agent',
    who: 'team',
    grants: ['agents_read'],
    answer: one('Agent', Agent),
    async run({ services, caller, params }) {
      const agent = found(await services.agents.get(caller.organizationId, params.id));
      return { ...agent, tools: agent.tools && [...agent.tools] };
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: '/:id',
    summary: 'Change an agent',
    who: 'team',
    grants: ['agents_manage'],
    body: Change.partial(),
    answer: one('SavedAgent', Saved),
    async run({ services, caller, params, body }) {
      const { default_project_id: defaultProjectId, ...rest } = body;
      const change = { ...rest, ...(defaultProjectId !== undefined && { defaultProjectId }) };
      const { agent, warnings } = await services.agents.update(caller, params.id, change);
      return { ...agent, tools: agent.tools && [...agent.tools], warnings: [...warnings] };
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/:id',
    summary: 'Delete an agent and all that is its own',
    who: 'team',
    grants: ['agents_manage'],
    answer: nothing,
    async run({ services, caller, params }) {
      if (!(await services.agents.delete(caller, params.id)))
        throw new ToolError('not_found', 'Agent not found');
    },
  }),
];
