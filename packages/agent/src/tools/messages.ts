/** Messages to other agents. */
import { ToolError } from '@parley/kit';
import * as z from 'zod';
import { actingOf } from '../session.ts';
import { defineTool } from './define-tool.ts';
import { formed, text } from './texts.ts';

const NAME = 'corvid_send_message';
const MAX_TEXT = 32_768;
const MAX_WAIT_SECONDS = 300;
const NO_NUL = 'must not contain the character U+0000';

interface Unheard {
  readonly message_id: string;
  readonly thread: string;
}

/** What to do about a message whose reply is not there. */
const unanswered = ({ message_id, thread }: Unheard, name: string) =>
  `No reply to message ${message_id} in thread ${thread} yet. Call ${name} again with the same arguments to go on waiting. The reply is given to one call; nothing is sent again before.`;

const printable = (most: number) => text(most).refine((value) => !value.includes('\0'), NO_NUL);

export const sendMessage = defineTool({
  name: NAME,
  title: 'Send message',
  description:
    'Asks another agent something, and waits for its reply. In the thread of a message that it sent you, it is your reply to that.',
  effect: 'run',
  unattended: 'block',
  task: 'allowed',
  comeBack: {
    same: ({ to_agent, message, thread }) => ({ to_agent, message, thread }),
    async meanwhile({ to_agent: to, message, thread }, { name, caller, services }) {
      const open = await services.messages.awaited(actingOf(caller), { to, text: message, thread });
      if (open === undefined) return undefined;
      const output = {
        message_id: open.id,
        thread: open.thread,
        status: 'pending',
        depth: open.depth,
      } as const;
      return { output, text: unanswered(output, name) };
    },
    isStale: ({ status }) => status === 'pending',
    async givenUp({ to_agent: to, message, thread }, { taskId, caller, services }) {
      await services.messages.giveUp(actingOf(caller), { to, text: message, thread, callId: taskId });
      return new ToolError('runner_failed', 'The run of the agent was interrupted too often and given up.');
    },
  },
  input: z.strictObject({
    to_agent: printable(200).describe('Id or name'),
    message: printable(MAX_TEXT).describe('What to say; [WORK] first makes it a work task'),
    thread: formed(/^[\w-]{1,64}$/, 'must be the id of a thread')
      .optional()
      .describe('Goes on with a thread'),
    wait_seconds: z.number().min(0).max(MAX_WAIT_SECONDS).optional().describe('Longest wait for the reply'),
  }),
  output: z.object({
    message_id: z.string(),
    thread: z.string(),
    status: z.enum(['replied', 'queued', 'pending', 'duplicate', 'work_task']),
    reply: z.string().optional(),
    task_id: z.string().optional(),
    depth: z.int(),
  }),
  text(output) {
    const { status, message_id: id, thread } = output;
    if (status === 'pending') return unanswered(output, NAME);
    if (status === 'queued')
      return `Queued: message ${id} in thread ${thread} lies in the inbox of its recipient. A process beside a server (parley mcp, parley call) runs it only if it has the server's --runner.`;
    if (status === 'duplicate')
      return `Sent already as message ${id} in thread ${thread}. If you still need its reply, call again in 30 s.`;
    return JSON.stringify(output);
  },
  errors: {
    depth_exceeded: 'Too many agents have passed the request on.',
    self_message: 'An agent cannot write to itself.',
    circuit_open: 'The recipient has failed too often of late.',
    timeout: 'The recipient did not answer in time.',
    runner_failed: 'The recipient failed, or answered nothing.',
    insufficient_credits: 'The sender cannot pay for the message.',
  },
  async run({ to_agent: to, message, thread, wait_seconds: waitSeconds }, ctx, acting) {
    const { messages } = ctx.services;
    const outgoing = { to, text: message, thread, waitSeconds, callId: ctx.taskId, goesOn: true };
    const sent = await ctx.step('send', () => messages.send(acting, outgoing));
    return messages.follow(acting, sent, ctx.signal);
  },
});
