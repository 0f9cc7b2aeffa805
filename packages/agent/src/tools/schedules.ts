/** Schedules of the agent that asks: one tool, whose action says what is done. */
import { ToolError } from '@parley/kit';
import * as z from 'zod';
import type { ScheduleService } from '../services/schedules/index.ts';
import { ACTION_TYPES, POLICIES } from '../services/schedules/schema.ts';
import type { Timing } from '../services/schedules/schema.ts';
import type { NewSchedule, ScheduleChange } from '../services/schedules/schedules.ts';
import type { Acting } from '../session.ts';
import { defineTool } from './define-tool.ts';
import { Repo } from './github-shapes.ts';
import { needed } from './needed.ts';
import { anyText, text } from './texts.ts';

const MAX_INTERVAL = 525_600;

const Action = z.strictObject({
  type: z.enum(ACTION_TYPES),
  repos: z.array(Repo).min(1).max(20).optional(),
  description: text(16_384).optional(),
  project_id: text(128).optional(),
  to_agent_id: text(128).optional(),
  message: text(32_768).optional(),
  prompt: text(32_768).optional(),
});

/** What a schedule is made from. */
const fields = {
  name: text(100).optional(),
  description: anyText(1000).optional(),
  cron_expression: text(100).optional().describe('Five fields; or interval_minutes, or event_trigger'),
  timezone: text(64).optional().describe('Of the cron, e.g. Europe/Berlin; UTC by default'),
  interval_minutes: z.int().min(1).max(MAX_INTERVAL).optional().describe('At least 5'),
  event_trigger: z
    .strictObject({ type: text(255), filter: text(1000).optional().describe('JSONPath') })
    .optional()
    .describe('Wakes on an event, e.g. annotation.created'),
  schedule_actions: z.array(Action).min(1).max(10).optional(),
  approval_policy: z.enum(POLICIES).optional().describe('owner_approve by default'),
};

/** The same for people, who say by other means which schedule they mean. */
export const ScheduleFields = z.strictObject(fields);

const Input = z.strictObject({
  action: z.enum(['list', 'create', 'update', 'delete', 'pause', 'resume', 'run_now', 'history']),
  schedule_id: text(64).optional().describe('For all but list and create'),
  ...fields,
});

type Given = z.output<typeof Input>;

const Output = z.object({
  schedules: z
    .array(
      z.object({
        id: z.string(),
        name: z.string(),
        status: z.string(),
        runs: z.int(),
        failures: z.int(),
        next_run_at: z.string().nullable(),
      }),
    )
    .optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  status: z.string().optional(),
  next_run_at: z.array(z.string()).optional(),
  warnings: z.array(z.string()).optional(),
  deleted: z.boolean().optional(),
  execution_id: z.string().optional(),
  executions: z
    .array(
      z.object({
        id: z.string(),
        action_type: z.string(),
        status: z.string(),
        due_at: z.string(),
        started_at: z.string().nullable(),
        result: z.string().nullable(),
      }),
    )
    .optional(),
});

export const manageSchedule = defineTool({
  name: 'corvid_manage_schedule',
  title: 'Manage schedules',
  description:
    'Your schedules: what is done later, again and again, or when an event comes. Runs are unattended; some wait for a person to approve them.',
  effect: 'create',
  input: Input,
  output: Output,
  errors: {
    invalid_cron: 'The cron expression cannot be read, or names no time.',
    too_frequent: 'Two firings lie less than 5 minutes apart.',
    limit_reached: 'There are 100 schedules already.',
  },
  run: (input, { services }, acting) => BY_ACTION[input.action](services.schedules, acting, input),
});

type Answer = z.input<typeof Output>;
type Act = (schedules: ScheduleService, acting: Acting, input: Given) => Promise<Answer>;

const idOf = (input: Given) => needed(input, 'schedule_id');

const BY_ACTION: Readonly<Record<Given['action'], Act>> = {
  list: async (schedules, acting) => ({ schedules: await schedules.list(acting) }),
  create: (schedules, acting, input) => schedules.create(acting, newScheduleOf(input)),
  update: (schedules, acting, input) => schedules.update(acting, idOf(input), scheduleChangeOf(input)),
  async delete(schedules, acting, input) {
    const id = idOf(input);
    await schedules.delete(acting, id);
    return { id, deleted: true };
  },
  async pause(schedules, acting, input) {
    const id = idOf(input);
    return { id, status: await schedules.pause(acting, id) };
  },
  async resume(schedules, acting, input) {
    const id = idOf(input);
    return { id, status: await schedules.resume(acting, id) };
  },
  async run_now(schedules, acting, input) {
    const { id, status } = await schedules.runNow(acting, idOf(input));
    return { execution_id: id, status };
  },
  history: async (schedules, acting, input) => ({ executions: await schedules.history(acting, idOf(input)) }),
};

type Fields = z.output<typeof ScheduleFields>;

/** A new schedule as its fields say it; refuses what lacks something. */
export function newScheduleOf(fields: Fields): NewSchedule {
  const input = { ...fields, action: 'create' };
  const timing = timingOf(input);
  if (timing === undefined)
    throw new ToolError(
      'invalid',
      'cron_expression: create needs it, or interval_minutes, or event_trigger instead',
    );
  if (timing.kind !== 'cron' && input.timezone !== undefined)
    throw new ToolError('invalid', 'timezone: only a cron_expression has one');
  return {
    name: needed(input, 'name'),
    description: input.description,
    timing,
    actions: needed(input, 'schedule_actions'),
    policy: input.approval_policy,
  };
}

/** What changes of a schedule; absent fields stay. */
export function scheduleChangeOf(input: Fields): ScheduleChange {
  return {
    name: input.name,
    description: input.description,
    timing: timingOf(input),
    timezone: input.timezone,
    actions: input.schedule_actions,
    policy: input.approval_policy,
  };
}

/** The one timing that was given; undefined when none was. */
function timingOf({
  cron_expression,
  timezone = 'UTC',
  interval_minutes,
  event_trigger,
}: Fields): Timing | undefined {
  const given: Timing[] = [];
  if (cron_expression !== undefined) given.push({ kind: 'cron', cron: cron_expression, timezone });
  if (interval_minutes !== undefined) given.push({ kind: 'interval', minutes: interval_minutes });
  if (event_trigger !== undefined) given.push({ kind: 'event', ...event_trigger });
  if (given.length > 1)
    throw new ToolError(
      'invalid',
      'cron_expression: give only one of cron_expression, interval_minutes and event_trigger',
    );
  return given[0];
}
