/** A message whose sender's process ends is brought to its end by another one, and sent once. */
import { connect } from '@parley/kit/testing';
import { createTaskSeam, toolKinds } from '@parley/tasks';
import { expect, test } from 'vitest';
import { onBothBeds } from '../../../test/agent-bed.ts';
import type { AgentProcess, BedAgent } from '../../../test/agent-bed.ts';
import type { RunResult, SessionRequest } from '../../adapters/runner/runner.ts';
import { agentToolset } from '../../toolset.ts';
import type { MessageTables } from './schema.ts';

const SEND = 'corvid_send_message';
const prompts: string[] = [];

/** The first run of a prompt lasts until it is stopped, the second answers. */
const runner = {
  async run({ prompt, signal }: SessionRequest): Promise<RunResult> {
    prompts.push(prompt);
    if (prompts.filter((each) => each === prompt).length > 1)
      return { status: 'completed', text: 'Survived.' };
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
    return { status: 'cancelled', text: '' };
  },
};

/** A client of a process that runs tasks. */
async function clientOf({ services, tasks, identity }: AgentProcess, { caller }: BedAgent) {
  const client = await connect(agentToolset, { services, as: caller, tasks: createTaskSeam(tasks) });
  for (const kind of toolKinds(client.engine, (who) => identity.current(who))) tasks.register(kind);
  tasks.start();
  return client;
}

onBothBeds(
  'a durable message',
  (bed, replica) => {
    test('another process goes on with a run when its own has stopped', async () => {
      const owner = bed().acme.owner.caller;
      const ada = await bed().agent(owner);
      const bob = await bed().agent(owner);
      const message = `For ${bob.id}`;
      const asAda = await clientOf(bed(), ada);
      const call = asAda.raw.callTool({ name: SEND, arguments: { to_agent: bob.id, message } });
      await expect.poll(() => prompts.includes(message)).toBe(true);
      await bed().tasks.stop();
      expect((await call).structuredContent).toMatchObject({ status: 'pending' });
      const asAdaThere = await clientOf(await replica(), ada);
      const again = await asAdaThere.raw.callTool({ name: SEND, arguments: { to_agent: bob.id, message } });
      expect(again.structuredContent).toMatchObject({ status: 'replied', reply: 'Survived.', depth: 1 });
      expect(prompts.filter((each) => each === message)).toHaveLength(2);
      const rows = bed().store.db<MessageTables>().selectFrom('agent_messages').selectAll();
      const sent = await rows.where('to_agent', '=', bob.id).execute();
      expect(sent).toMatchObject([{ text: message, status: 'replied' }]);
    });
  },
  () => ({ services: { runner } }),
);
