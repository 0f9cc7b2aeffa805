/** `parley executions`: what schedules of agents want to do is listed, approved and denied here. */
import { agentToolset } from '@parley/agent';
import { loadConfig, UsageError } from '../config.ts';
import { printable } from '../printable.ts';
import type { Acting, Action } from './actions.ts';
import { requireRight, runAction } from './actions.ts';
import type { Command } from './main.ts';
import { table } from './table.ts';

const USAGE = 'Usage: parley executions list [--all] | approve ID | deny ID';
const SHOWN = 200;

/** Runs one of the commands on executions. */
export const executions: Command = (args, toolsets) => {
  const { config, positionals, extras } = loadConfig(args, { extra: { all: 'switch' }, toolsets });
  const actions = {
    list: (acting: Acting) => list(acting, extras.all === true),
    approve: deciding('approve'),
    deny: deciding('deny'),
  };
  return runAction(config, toolsets, { actions, given: positionals, usage: USAGE });
};

const executionsIn = ({ host }: Acting) => host.servicesOf(agentToolset).schedules.executions;

async function list(acting: Acting, isAll: boolean): ReturnType<Action> {
  requireRight(acting, 'executions_read');
  const query = { limit: SHOWN, ...(!isAll && { status: 'waiting' as const }) };
  const found = await executionsIn(acting).list(acting.caller.organizationId, query);
  const rows = found.map((one) => [
    one.id,
    one.schedule,
    one.status,
    `${one.approvals} of ${one.approvals_needed}`,
    one.due_at,
    one.actions
      .map(({ type, description, prompt, message }) =>
        [type, description ?? prompt ?? message].filter(Boolean).join(': '),
      )
      .join('; '),
  ]);
  return { json: found, text: table(['ID', 'SCHEDULE', 'STATUS', 'APPROVED', 'DUE', 'DOES'], rows) };
}

const deciding =
  (verb: 'approve' | 'deny'): Action =>
  async (acting, [id, ...rest]) => {
    if (id === undefined || rest.length > 0) throw new UsageError(USAGE);
    requireRight(acting, 'executions_approve');
    const execution = await executionsIn(acting)[verb](acting.caller, id);
    const { schedule, status, approvals, approvals_needed: needed } = execution;
    const what =
      status === 'denied'
        ? 'is denied and never runs'
        : status === 'waiting'
          ? `has ${approvals} of ${needed} approvals; somebody else has to approve it too`
          : 'is approved; a server that runs carries it out';
    return { json: execution, text: `${printable(schedule)} ${what}.` };
  };
