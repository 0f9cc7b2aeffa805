/** What a durable task does for a work task: branch, run, check, again where the check fails, and clean up. */
import { ToolError } from '@parley/kit';
import { StoreUnavailableError } from '@parley/store';
import type { Kind } from '@parley/tasks';
import type { Runs } from '../runs.ts';
import { agentRow } from '../../permissions/lookup.ts';
import type { ProjectCode, Projects } from '../projects/projects.ts';
import { branchName } from './branch-name.ts';
import { runCheck, runInstall } from './commands.ts';
import type { Lane, QueueParts } from './queue.ts';
import { changeOpen, endWork, findWork, isOpen, laneOf, startNext, WORK_KIND } from './queue.ts';
import type { WorkTaskRow } from './schema.ts';
import type { Author, Worktrees } from './worktrees.ts';

export interface CarryOutParts extends QueueParts {
  readonly projects: Projects;
  readonly worktrees: Worktrees;
  readonly environment: Readonly<Record<string, string>>;
  /** Absent: work is offered to the agent instead. */
  readonly runner: Pick<Runs, 'run'> | undefined;
}

export const MAX_ROUNDS = 3;
const RUN_MS = 30 * 60_000;
const MAX_FEEDBACK = 8000;
const MAX_REPLY = 65_536;

/** The turn of this process to carry a task out, until another one takes it over. */
interface Turn {
  readonly signal: AbortSignal;
  /** Throws when another process has the task now. */
  readonly hold: () => Promise<void>;
}

export function workKind(parts: CarryOutParts): Kind {
  return {
    kind: WORK_KIND,
    version: 1,
    async run(input, { signal, io }) {
      // Written by us when it was queued.
      const { id, ...lane } = input as Lane & { readonly id: string };
      const turn = { signal, hold: () => io.hold() };
      try {
        await carryOut(parts, id, turn);
      } catch (error) {
        // Whoever has it now alone writes to the branch.
        await turn.hold();
        const row = await findWork(parts.store, id);
        // Cancelled meanwhile; where the server only stops, the next start goes on in the same folder.
        if (row !== undefined && !isOpen(row)) await cleanUp(parts, row);
        throw error;
      }
      // Also when the task has gone with its agent, which lets nobody else begin.
      await parts.store.transaction((tx) => startNext(parts, tx, lane));
      return { outcome: 'completed', result: null };
    },
  };
}

async function carryOut(parts: CarryOutParts, id: string, turn: Turn): Promise<void> {
  for (let row = await findWork(parts.store, id); row !== undefined; row = await findWork(parts.store, id)) {
    await turn.hold();
    if (!isOpen(row)) return cleanUp(parts, row);
    try {
      if (!(await advance(parts, row, turn))) return;
    } catch (error) {
      // Stopped from outside, or the database is away: it is run again, or was ended by whoever stopped it.
      if (turn.signal.aborted || error instanceof StoreUnavailableError) throw error;
      await turn.hold();
      await finish(parts, row, 'failed', error instanceof ToolError ? error.message : 'Internal error');
      if (!(error instanceof ToolError)) throw error;
    }
  }
  await parts.worktrees.discard(id);
}

/** One step from where the task stands; false when somebody else goes on with it. */
async function advance(parts: CarryOutParts, row: WorkTaskRow, turn: Turn): Promise<boolean> {
  switch (row.status) {
    case 'pending':
    case 'branching':
      return branch(parts, row, turn);
    case 'running':
      return parts.runner === undefined ? handOver(parts, row, {}) : run(parts, parts.runner, row, turn);
    default:
      return validate(parts, row, turn);
  }
}

async function branch(parts: CarryOutParts, row: WorkTaskRow, { signal, hold }: Turn): Promise<boolean> {
  const { worktrees, now } = parts;
  const code = await codeOf(parts, row);
  await worktrees.requireRepository(code.folder, signal);
  const author = await authorOf(parts, row);
  const branchOf = row.branch ?? branchName(author.name, row.description, now());
  const named = { ...row, branch: branchOf, repository: row.repository ?? code.folder };
  // Written before git is asked, so that whoever comes after a crash finds what there is.
  const { repository } = named;
  await changeOpen(parts, row, { status: 'branching', branch: branchOf, repository });
  const cwd = await worktrees.ensure(placeOf(named), signal);
  if (code.install !== null) await install(parts, code.install, cwd, signal);
  await hold();
  return handOver(parts, row, {});
}

async function install(
  { environment }: CarryOutParts,
  command: string,
  cwd: string,
  signal: AbortSignal,
): Promise<void> {
  const { code, output, isLate } = await runInstall(command, { environment, cwd, signal });
  if (code !== 0)
    throw new ToolError(
      'unavailable',
      `The install command ${isLate ? 'took too long' : 'failed'}: ${tail(output)}`,
    );
}

/** It is the runner's turn; without one, the work is there for whoever claims it, and nothing here goes on. */
async function handOver(
  parts: CarryOutParts,
  row: WorkTaskRow,
  change: Partial<WorkTaskRow>,
): Promise<boolean> {
  const isOffered = parts.runner === undefined;
  const offered = isOffered && { task_id: null, claim_hash: null, lease_until: null };
  return (await changeOpen(parts, row, { ...change, status: 'running', ...offered })) && !isOffered;
}

async function run(
  parts: CarryOutParts,
  runner: Pick<Runs, 'run'>,
  row: WorkTaskRow,
  { signal, hold }: Turn,
): Promise<boolean> {
  const cwd = await parts.worktrees.ensure(placeOf(row), signal);
  const author = await authorOf(parts, row);
  const { status, text } = await runner.run({
    kind: 'work_task',
    agent: { ...author, organizationId: row.organization_id },
    prompt: promptOf(row),
    history: [],
    cwd,
    depth: row.depth,
    unattended: row.unattended === 1,
    timeoutMs: RUN_MS,
    signal,
  });
  signal.throwIfAborted();
  await hold();
  if (status !== 'completed')
    throw new ToolError('unavailable', `The runner did not finish (${status}): ${tail(text)}`);
  return changeOpen(parts, row, { status: 'validating', reply: text.slice(0, MAX_REPLY) });
}

async function validate(parts: CarryOutParts, row: WorkTaskRow, { signal, hold }: Turn): Promise<boolean> {
  const cwd = await parts.worktrees.ensure(placeOf(row), signal);
  // Before the check, whose own files are nobody's work.
  await parts.worktrees.commit(placeOf(row), {
    message: messageOf(row),
    author: await authorOf(parts, row),
  });
  const { check } = await codeOf(parts, row);
  const round = row.iterations + 1;
  const { code, output, isLate } =
    check === null
      ? { code: 0, output: '', isLate: false }
      : await runCheck(check, { environment: parts.environment, cwd, signal });
  await hold();
  if (code === 0) {
    await changeOpen(parts, row, { iterations: round });
    await finish(parts, { ...row, iterations: round }, 'completed', null);
    return true;
  }
  const said = `The check ${isLate ? 'took too long' : 'failed'}: ${tail(output)}`;
  if (round < MAX_ROUNDS) return handOver(parts, row, { iterations: round, error: said });
  await changeOpen(parts, row, { iterations: round });
  await finish(parts, row, 'failed', said);
  return true;
}

/** What is in the worktree goes on its branch, the worktree goes, and the next task begins. */
export async function finish(
  parts: CarryOutParts,
  row: WorkTaskRow,
  status: 'completed' | 'failed' | 'cancelled',
  error: string | null,
): Promise<boolean> {
  await cleanUp(parts, row);
  return endWork(parts, row, { status, error });
}

/** Keeps on the branch what was done, and removes the worktree. */
async function cleanUp(parts: CarryOutParts, row: WorkTaskRow): Promise<void> {
  if (row.repository === null || row.branch === null) return;
  const place = placeOf(row);
  // In a check, what is worth keeping was kept before it.
  if (row.status !== 'validating') {
    const kept = { message: messageOf(row), author: await authorOf(parts, row) };
    // What cannot be kept must not keep the worktree.
    await parts.worktrees.commit(place, kept).catch(() => undefined);
  }
  await parts.worktrees.remove(place);
}

/** What the runner, or whoever claims the work, is told. */
export function promptOf({ description, error }: Pick<WorkTaskRow, 'description' | 'error'>): string {
  return error === null ? description : `${description}\n\nYour last attempt is in the folder. ${error}`;
}

function placeOf({ id: taskId, repository, branch: named }: WorkTaskRow) {
  if (repository === null || named === null) throw new ToolError('unavailable', 'The work has no branch.');
  return { taskId, repository, branch: named };
}

function messageOf({ description, id }: WorkTaskRow): string {
  const line = description.split('\n', 1)[0] ?? '';
  return `${line.slice(0, 72)}\n\nWork task ${id}`;
}

async function codeOf({ projects }: CarryOutParts, row: WorkTaskRow): Promise<ProjectCode> {
  const { organizationId, projectId } = laneOf(row);
  const project = (await projects.list(organizationId)).find(({ id }) => id === projectId);
  const code = project && (await projects.usableCode(project));
  if (code === undefined) throw new ToolError('unavailable', 'The project has no code folder any more.');
  return code;
}

async function authorOf({ store }: CarryOutParts, row: WorkTaskRow): Promise<Author> {
  const agent = await agentRow(store, row.organization_id, row.agent_id);
  return { id: row.agent_id, name: agent?.name ?? 'agent' };
}

function tail(output: string): string {
  return output.trim().slice(-MAX_FEEDBACK);
}
