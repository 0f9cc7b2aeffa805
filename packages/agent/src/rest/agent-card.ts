/** The card of the agent that is offered to other servers; it answers without a credential, like every such card. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RouteSet } from '@parley/http';
import { createFrontDoor, DEFAULT_INBOUND_LIMITS, HttpRefusal } from '@parley/http';
import { errorBody } from '@parley/http/rest';
import type { Agent } from '../services/agents.ts';
import type { InboundTasks } from '../services/outside/inbound.ts';
import type { AgentHost } from '../toolset.ts';

const PREFIX = '/.well-known/agent-card.json';
const JSON_TYPE = 'application/json';

export function createAgentCard(
  inbound: InboundTasks,
  { names, web }: Pick<AgentHost, 'names' | 'web'>,
): RouteSet {
  const door = createFrontDoor(names, DEFAULT_INBOUND_LIMITS);
  const answer = async (req: IncomingMessage) => {
    const isCard = (req.url ?? '').split('?', 1)[0] === PREFIX;
    if (!isCard || (req.method !== 'GET' && req.method !== 'HEAD'))
      throw new HttpRefusal(404, 'Nothing is served at this URL.');
    const agent = await inbound.agent();
    if (agent === undefined) throw new HttpRefusal(404, 'No agent is offered here.');
    // The door lets in only hosts that were named, and a port after them.
    return JSON.stringify(cardOf(agent, web.publicUrl ?? `http://${req.headers.host ?? 'localhost'}`));
  };
  return {
    name: 'Agent card',
    prefix: PREFIX,
    routes: async () => [`GET ${PREFIX}`],
    isGuarded: true,
    async handle(req, res) {
      try {
        door.checkHost(req);
        write(req, res, 200, await answer(req));
      } catch (error) {
        if (!(error instanceof HttpRefusal)) throw error;
        write(req, res, error.status, errorBody(error));
      }
    },
    refusal: (status, message) => ({ type: JSON_TYPE, body: errorBody(new HttpRefusal(status, message)) }),
    close: async () => undefined,
  };
}

function cardOf({ name, description, version }: Agent, url: string) {
  return {
    name,
    description,
    version: String(version),
    url,
    provider: { organization: 'Parley' },
    capabilities: { streaming: false, pushNotifications: false },
    authentication: { schemes: ['bearer'] },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
  };
}

function write({ method }: IncomingMessage, res: ServerResponse, status: number, body: string): void {
  res.writeHead(status, {
    'content-type': JSON_TYPE,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
  });
  res.end(method === 'HEAD' ? undefined : body);
}
