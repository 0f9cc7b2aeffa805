/** Routes of the channels of an agent, for the people who manage it. */
import { one } from '@parley/http/rest';
import { ToolError } from '@parley/kit';
import type { Caller } from '@parley/kit';
import * as z from 'zod';
import type { ChannelType } from '../adapters/channels/channel.ts';
import { CHANNEL_TYPES } from '../adapters/channels/channel.ts';
import type { AgentServices } from '../services/index.ts';
import { defineRoute } from './route.ts';

const Channel = z.object({
  type: z.enum(CHANNEL_TYPES),
  id: z.string(),
  enabled: z.boolean(),
  config_keys: z.array(z.string()).describe('The names of its settings, which are never shown'),
});
const answer = one('ChannelList', z.object({ channels: z.array(Channel) }));
const ROUTE = { who: 'team', grants: ['agents_manage'], answer } as const;

interface Asked {
  readonly services: AgentServices;
  readonly caller: Caller;
  readonly params: { readonly id: string };
}

/** The channels of the agent that a route names, and who sets them. */
async function channelsOf({ services, caller, params }: Asked) {
  const { organizationId } = caller;
  if ((await services.agents.get(organizationId, params.id)) === undefined)
    throw new ToolError('not_found', 'Agent not found');
  return { channels: services.owner.channels, of: { organizationId, agentId: params.id, caller } };
}

function typeIn(text: string): ChannelType {
  const type = CHANNEL_TYPES.find((known) => known === text);
  if (type === undefined)
    throw new ToolError('not_found', `There is no such channel. There are: ${CHANNEL_TYPES.join(', ')}.`);
  return type;
}

const switching = (verb: 'enable' | 'disable') =>
  defineRoute({
    ...ROUTE,
    method: 'POST',
    path: `/:id/channels/:type/${verb}` as const,
    summary: verb === 'enable' ? 'Use a channel again' : 'Use a channel no more, and keep its settings',
    effect: 'update',
    async run(asked) {
      const { channels, of } = await channelsOf(asked);
      await channels.switch(of, typeIn(asked.params.type), verb === 'enable');
      return { channels: await channels.list(of) };
    },
  });

export const channelRoutes = [
  defineRoute({
    ...ROUTE,
    method: 'GET',
    path: '/:id/channels',
    summary: 'The channels that carry what an agent says to its owner',
    async run(asked) {
      const { channels, of } = await channelsOf(asked);
      return { channels: await channels.list(of) };
    },
  }),
  defineRoute({
    ...ROUTE,
    method: 'PUT',
    path: '/:id/channels/:type',
    summary: 'Set a channel of an agent; the one of its type is replaced',
    body: z.strictObject({ config: z.record(z.string().max(100), z.unknown()) }),
    async run(asked) {
      const { channels, of } = await channelsOf(asked);
      await channels.set(of, typeIn(asked.params.type), asked.body.config);
      return { channels: await channels.list(of) };
    },
  }),
  switching('enable'),
  switching('disable'),
  defineRoute({
    ...ROUTE,
    method: 'DELETE',
    path: '/:id/channels/:type',
    summary: 'Forget a channel and its settings',
    async run(asked) {
      const { channels, of } = await channelsOf(asked);
      await channels.remove(of, typeIn(asked.params.type));
      return { channels: await channels.list(of) };
    },
  }),
];
