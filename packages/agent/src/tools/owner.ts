/** The line to the owner: telling, asking, and the channels that carry both. */
import type { Context } from '@parley/kit';
import { hiddenByPower, ToolError } from '@parley/kit';
import * as z from 'zod';
import { CHANNEL_TYPES } from '../adapters/channels/channel.ts';
import { AGENT } from '../name.ts';
import type { AgentServices } from '../services/index.ts';
import type { OpenQuestion } from '../services/owner/questions.ts';
import { LEVELS } from '../services/owner/schema.ts';
import type { QuestionRow } from '../services/owner/schema.ts';
import { looksAt } from '../services/owner/waiting.ts';
import type { Acting } from '../session.ts';
import { defineTool } from './define-tool.ts';
import { text } from './texts.ts';

const MOST_MINUTES = 10;
const MOST_MINUTES_OF_TASK = 10_080;

/** An answer in words is matched whatever its case. */
const allDiffer = (options: readonly string[]) =>
  new Set(options.map((option) => option.trim().toLowerCase())).size === options.length;

export const notifyOwner = defineTool({
  name: 'corvid_notify_owner',
  title: 'Notify the owner',
  description: 'Tells your owner something; expects no answer.',
  effect: 'create',
  external: true,
  input: z.strictObject({
    message: text(4000).describe('What happened'),
    title: text(200).optional().describe('A heading'),
    level: z.enum(LEVELS).default('info').describe('How serious it is'),
  }),
  output: z.object({
    notification_id: z.string(),
    channels: z.array(
      z.object({ type: z.enum(CHANNEL_TYPES), status: z.enum(['queued', 'sent', 'failed']) }),
    ),
  }),
  async run(input, { services }, { organizationId, agentId }) {
    const { id, channels } = await services.owner.notifications.notify({ organizationId, agentId }, input);
    return { notification_id: id, channels };
  },
});

export const askOwner = defineTool({
  name: 'corvid_ask_owner',
  title: 'Ask the owner',
  description: 'Asks your owner and waits for the answer. Nobody answering in time is a normal result.',
  effect: 'create',
  external: true,
  unattended: 'block',
  task: 'allowed',
  comeBack: {
    // However the rest is put, the owner would be asked the same.
    same: ({ question, options }) => ({ question, options }),
    async meanwhile(_input, { taskId, name, services }) {
      const id = await services.owner.questions.ofTask(taskId);
      if (id === undefined) return undefined;
      return {
        output: { question_id: id, answered: false, timed_out: false },
        text: `Question ${id} is not answered yet. Call ${name} again with the same question and options to go on waiting. The answer is given to one call.`,
      };
    },
    isStale: ({ timed_out }) => timed_out,
  },
  input: z.strictObject({
    question: text(4000).describe('What you want to know'),
    options: z
      .array(text(200))
      .min(2)
      .max(10)
      .refine(allDiffer, 'must differ from each other')
      .optional()
      .describe('Answers to choose from'),
    context: text(8000).optional().describe('What the owner must know to decide'),
    timeout_minutes: z.number().default(2).describe('How long to wait: 1 to 10, or up to 10080 as a task'),
  }),
  output: z.object({
    question_id: z.string(),
    answered: z.boolean(),
    answer: z.string().optional(),
    option_index: z.int().optional(),
    answered_by: z.string().optional(),
    timed_out: z.boolean(),
  }),
  errors: { limit_reached: 'Five questions are open.' },
  async run({ timeout_minutes: minutes, ...asked }, ctx, { organizationId, agentId }) {
    const { questions } = ctx.services.owner;
    const { taskId } = ctx;
    const most = ctx.isFollowed ? MOST_MINUTES_OF_TASK : MOST_MINUTES;
    const timeoutMinutes = Math.min(most, Math.max(1, minutes));
    const question = await ctx.step('ask', () =>
      questions.ask({ organizationId, agentId }, { ...asked, timeoutMinutes, taskId }),
    );
    return resultOf(await endOf(ctx, question));
  },
});

/** Waits as a call does, or as a task does: that is parked when it takes long, and goes on after a restart. */
async function endOf(ctx: Context<AgentServices>, question: OpenQuestion): Promise<QuestionRow> {
  const { questions } = ctx.services.owner;
  const { signal, taskId } = ctx;
  try {
    let pauses = 0;
    for (const at of looksAt(question)) {
      // Pauses that were over when the task was entered again pass at once, and the first look has served for them.
      const isPast = pauses > 0 && at <= questions.now();
      if (pauses > 0) await ctx.sleep(`pause ${pauses}`, new Date(at));
      pauses += 1;
      const ended = isPast ? undefined : await questions.ended(question.id, at, signal);
      if (ended !== undefined) return ended;
    }
    return await questions.over(question.id);
  } catch (error) {
    if (signal.aborted && (taskId === null || isCancel(signal.reason))) await questions.withdraw(question.id);
    throw error;
  }
}

/** A task that stops with its process goes on elsewhere; one that was cancelled does not. */
function isCancel(reason: unknown): boolean {
  return typeof reason === 'object' && reason !== null && 'why' in reason && reason.why === 'cancel';
}

function resultOf({ id, status, answer, option_index, answered_by }: QuestionRow) {
  if (status === 'declined')
    throw new ToolError('declined', 'The owner declined to answer.', { question_id: id, answered_by });
  return {
    question_id: id,
    answered: status === 'answered',
    ...(answer !== null && { answer }),
    ...(option_index !== null && { option_index }),
    ...(answered_by !== null && { answered_by }),
    timed_out: status === 'timed_out',
  };
}

/** What reaches an owner on GitHub is an issue in whichever repository the channel names. */
function mayOpenIssues({ caller }: Acting): boolean {
  return hiddenByPower(createIssue, caller) === undefined;
}

const createIssue = {
  name: 'corvid_github_create_issue',
  toolset: AGENT,
  callers: 'agents',
  unattended: 'block',
} as const;

const CONFIGS =
  'webhook {url, secret?}, slack {botToken, channel}, discord {webhookUrl}, telegram {botToken, chatId}, github {repo, labels?}';

export const configureNotifications = defineTool({
  name: 'corvid_configure_notifications',
  title: 'Configure notifications',
  description:
    'Lists, sets, switches or removes the channels that reach your owner; there is one of each type.',
  effect: 'delete',
  input: z.strictObject({
    action: z.enum(['list', 'set', 'enable', 'disable', 'remove']).describe('What to do'),
    channel_type: z.enum(CHANNEL_TYPES).optional().describe('Which channel; list needs none'),
    config: z
      .record(z.string().max(100), z.unknown())
      .optional()
      .describe(`For set: ${CONFIGS}`)
      .meta({ writeOnly: true }),
  }),
  output: z.object({
    channels: z.array(
      z.object({
        type: z.enum(CHANNEL_TYPES),
        id: z.string(),
        enabled: z.boolean(),
        config_keys: z.array(z.string()),
      }),
    ),
  }),
  errors: { blocked_address: 'The address is not allowed.' },
  async run({ action, channel_type: type, config }, ctx, acting) {
    const { channels } = ctx.services.owner;
    if (config !== undefined && action !== 'set') throw ctx.error('invalid', 'config: only set takes it');
    if (action !== 'list') {
      if (type === undefined) throw ctx.error('invalid', `channel_type: ${action} needs it`);
      if (action === 'remove') await channels.remove(acting, type);
      else if (action !== 'set') await channels.switch(acting, type, action === 'enable');
      else if (config === undefined) throw ctx.error('invalid', `config: set needs it: ${CONFIGS}`);
      else if (type === 'github' && !mayOpenIssues(acting))
        throw ctx.error(
          'forbidden',
          'A channel on GitHub opens issues, so it needs corvid_github_create_issue.',
        );
      else await channels.set(acting, type, config);
    }
    return { channels: await channels.list(acting) };
  },
});
