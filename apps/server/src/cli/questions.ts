/** `parley questions`: what agents ask their owners is listed, answered and declined here. */
import { agentToolset } from '@parley/agent';
import { loadConfig, UsageError } from '../config.ts';
import { printable } from '../printable.ts';
import type { Acting, Action } from './actions.ts';
import { requireRight, runAction } from './actions.ts';
import type { Command } from './main.ts';
import { table } from './table.ts';

const USAGE = 'Usage: parley questions list [--all] | answer ID TEXT | answer ID --option N | decline ID';
const SHOWN = 100;
const CODE_LENGTH = 8;

/** Runs one of the commands on questions. */
export const questions: Command = (args, toolsets) => {
  const { config, positionals, extras } = loadConfig(args, {
    extra: { all: 'switch', option: 'text' },
    toolsets,
  });
  const option = optionIn(extras.option);
  const actions = {
    list: (acting: Acting) => list(acting, extras.all === true),
    answer: answered(option),
    decline: declined,
  };
  return runAction(config, toolsets, { actions, given: positionals, usage: USAGE });
};

function optionIn(given: unknown): number | undefined {
  if (given === undefined) return undefined;
  const option = Number(given);
  if (!Number.isInteger(option) || option < 1)
    throw new UsageError('--option: must be the number of an option');
  return option;
}

const questionsIn = ({ host }: Acting) => host.servicesOf(agentToolset).owner.questions;

async function list(acting: Acting, isAll: boolean): ReturnType<Action> {
  requireRight(acting, 'questions_read');
  const query = { limit: SHOWN, ...(!isAll && { status: 'open' as const }) };
  const found = await questionsIn(acting).list(acting.caller.organizationId, query);
  const rows = found.map(({ id, agent, status, deadline, question, options, answer }) => [
    // Enough to name it.
    id.slice(0, CODE_LENGTH),
    agent.name,
    status,
    deadline,
    [question, ...(options ?? []).map((option, at) => `${at + 1}) ${option}`)].join('  '),
    answer ?? '',
  ]);
  return { json: found, text: table(['ID', 'AGENT', 'STATUS', 'UNTIL', 'QUESTION', 'ANSWER'], rows) };
}

const answered =
  (optionIndex: number | undefined): Action =>
  async (acting, [id, ...words]) => {
    const answer = words.length === 0 ? undefined : words.join(' ');
    if (id === undefined || (answer === undefined) === (optionIndex === undefined))
      throw new UsageError(USAGE);
    return give(acting, id, { answer, optionIndex });
  };

const declined: Action = async (acting, [id, ...rest]) => {
  if (id === undefined || rest.length > 0) throw new UsageError(USAGE);
  return give(acting, id, { decline: true });
};

async function give(
  acting: Acting,
  id: string,
  given: Parameters<ReturnType<typeof questionsIn>['answer']>[2],
): ReturnType<Action> {
  requireRight(acting, 'questions_answer');
  const question = await questionsIn(acting).answer(acting.caller, id, given);
  const { agent, answer } = question;
  const said = answer === null ? 'You declined' : `Answered "${answer}" to`;
  return { json: question, text: printable(`${said} the question of ${agent.name}.`) };
}
