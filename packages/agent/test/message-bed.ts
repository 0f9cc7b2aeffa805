/** Agents that write to each other, for the tests of messages: a runner that does what a test says, and accounts that are written down. */
import type { Caller } from '@parley/kit';
import { beforeEach } from 'vitest';
import type { RunResult, SessionRequest } from '../src/adapters/runner/runner.ts';
import type { MessageTables } from '../src/services/messages/schema.ts';
import type { AgentBed, AgentProcess, BedAgent } from './agent-bed.ts';
import { onBothBeds } from './agent-bed.ts';

export const SEND = 'corvid_send_message';
export const LIST = 'corvid_list_agents';

type Script = (request: SessionRequest) => Promise<RunResult>;

export const says =
  (text: string): Script =>
  async () => ({ status: 'completed', text });

/** What a test may choose, what has run, what was paid, and which work was asked for. */
export const played = { script: says('Yes.'), isPoor: false };
export const runs: SessionRequest[] = [];
export const charges: string[] = [];
export const work: { agentId: string; description: string }[] = [];

const services = {
  runner: {
    run(request: SessionRequest) {
      runs.push(request);
      return played.script(request);
    },
  },
  messageCredits: {
    async charge(_tx: unknown, { agentId }: { agentId: string }) {
      if (played.isPoor) return 'refused' as const;
      charges.push(`charge ${agentId}`);
      return { id: `paid ${agentId}` };
    },
    async refund(_tx: unknown, { agentId }: { agentId: string }, chargeId: string) {
      charges.push(chargeId === `paid ${agentId}` ? `refund ${agentId}` : `refund of ${chargeId}`);
    },
  },
  createWorkTask: async ({ agentId, description }: { agentId: string; description: string }) => {
    work.push({ agentId, description });
    return { task_id: 'wrk_1' };
  },
};

/** The tests share a bed per database, and a second process on it. */
export function onMessageBeds(
  name: string,
  suite: (bed: () => AgentBed, here: ReturnType<typeof partsOf>) => void,
): void {
  onBothBeds(
    name,
    (bed, replica) => {
      beforeEach(() => {
        played.script = says('Yes.');
        runs.length = 0;
      });
      suite(bed, partsOf(bed, replica));
    },
    () => ({ services }),
  );
}

function partsOf(bed: () => AgentBed, replica: () => Promise<AgentProcess>) {
  let second: Promise<AgentProcess> | undefined;
  const boxOf = ({ id }: BedAgent) => ({ organizationId: bed().acme.id, agentId: id });
  return {
    other: () => (second ??= replica()),
    /** Somebody who is run, somebody with an inbox only, and somebody who writes to them. */
    people: async () => {
      const owner = bed().acme.owner.caller;
      const ada = await bed().agent(owner);
      const run = await bed().agent(owner);
      const inbox = await bed().agent(owner, { runner: 'inbox' });
      return { ada, run, inbox, asAda: await bed().client(ada.caller) };
    },
    rows: () => bed().store.db<MessageTables>().selectFrom('agent_messages').selectAll(),
    boxOf,
    unread: (of: BedAgent) => bed().services.messages.inbox.list(boxOf(of), { limit: 100 }),
    deeper: (caller: Caller, depth: number): Caller => ({
      ...caller,
      agent: { ...(caller.agent ?? { id: '', name: '', source: 'api' }), depth },
    }),
  };
}
