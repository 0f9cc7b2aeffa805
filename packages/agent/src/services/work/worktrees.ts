/** A git worktree for each work task, below the data folder: made on a branch of its own, and always removed. */
import { access, constants, mkdir, readdir, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ToolError } from '@parley/kit';
import type { ProgramEnd } from './program.ts';
import { runProgram } from './program.ts';

/** The worktree of a task. */
export interface WorktreePlace {
  readonly taskId: string;
  readonly repository: string;
  readonly branch: string;
}

export interface Worktrees {
  folderOf(taskId: string): string;
  /** Throws when a folder is not the top of a repository that has a commit. */
  requireRepository(folder: string, signal: AbortSignal): Promise<void>;
  /** Makes the worktree, or what a crash left of it anew; returns its folder. */
  ensure(place: WorktreePlace, signal: AbortSignal): Promise<string>;
  /** A worktree without a branch, of what is checked out in the repository; returns its folder. */
  look(place: Pick<WorktreePlace, 'taskId' | 'repository'>, signal: AbortSignal): Promise<string>;
  /** Puts all that is in it on its branch. */
  commit(place: WorktreePlace, work: { readonly message: string; readonly author: Author }): Promise<void>;
  /** The folder goes, the branch stays. */
  remove(place: Pick<WorktreePlace, 'taskId' | 'repository'>): Promise<void>;
  /** The tasks that have a folder here. */
  leftovers(): Promise<string[]>;
  /** Removes a folder whose repository nobody knows any more. */
  discard(taskId: string): Promise<void>;
}

export interface Author {
  readonly id: string;
  readonly name: string;
}

const FOLDER = 'work';
const LISTED = 'worktree ';
const UNWRITABLE: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC']);
const NOTHING = 'nothing to commit';
const GIT_MS = 5 * 60_000;
// Nothing that a repository or a user has set up runs along.
const QUIET = [
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'commit.gpgSign=false',
  '-c',
  'gc.auto=0',
];

export function createWorktrees(dataDir: string, environment: Readonly<Record<string, string>>): Worktrees {
  const parent = join(dataDir, FOLDER);
  const folderOf = (taskId: string) => join(parent, taskId);
  const env = {
    ...environment,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    // One of its sentences is looked for.
    LC_ALL: 'C',
  };
  const ends = AbortSignal.any([]);

  function git(folder: string, args: readonly string[], signal = ends, more = {}): Promise<ProgramEnd> {
    return runProgram({
      command: 'git',
      args: [...QUIET, '-C', folder, ...args],
      cwd: '/',
      env: { ...env, ...more },
      timeoutMs: GIT_MS,
      signal,
    });
  }

  async function required(done: Promise<ProgramEnd>): Promise<string> {
    const { code, output } = await done;
    if (code !== 0) throw new ToolError('unavailable', `git did not do it: ${output.trim().slice(-500)}`);
    return output.trim();
  }

  async function isThere({ taskId, branch }: WorktreePlace, signal: AbortSignal): Promise<boolean> {
    const folder = folderOf(taskId);
    if (!(await isFolder(folder))) return false;
    const { output } = await git(folder, ['rev-parse', '--show-toplevel', '--abbrev-ref', 'HEAD'], signal);
    return output.trim() === `${await realpath(folder)}\n${branch}`;
  }

  async function remove({ taskId, repository }: Pick<WorktreePlace, 'taskId' | 'repository'>) {
    const folder = folderOf(taskId);
    const { code } = await git(repository, ['worktree', 'remove', '--force', '--force', '--', folder]);
    if (code === 0) return;
    // It was broken or gone already; then git only has to forget it.
    await rm(folder, { recursive: true, force: true });
    await git(repository, ['worktree', 'prune']);
  }

  async function makeParent(): Promise<void> {
    try {
      await mkdir(parent, { recursive: true, mode: 0o700 });
      await access(parent, constants.W_OK);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (typeof code !== 'string' || !UNWRITABLE.has(code)) throw error;
      throw new ToolError(
        'unavailable',
        'The server cannot write to its data folder. Whoever runs it has to make the folder writable and see that its disk has room; then start the work again.',
      );
    }
  }

  /** Removes the worktree of the same task that a process with another data folder has left. */
  async function removeElsewhere({ taskId, repository }: WorktreePlace): Promise<void> {
    const { output } = await git(repository, ['worktree', 'list', '--porcelain']);
    for (const line of output.split('\n')) {
      const folder = line.startsWith(LISTED) ? line.slice(LISTED.length) : '';
      if (basename(folder) !== taskId || basename(dirname(folder)) !== FOLDER) continue;
      await git(repository, ['worktree', 'remove', '--force', '--force', '--', folder]);
    }
    await git(repository, ['worktree', 'prune']);
  }

  return {
    folderOf,
    async requireRepository(folder, signal) {
      const { code, output } = await git(folder, ['rev-parse', '--show-toplevel', 'HEAD^{commit}'], signal);
      if (code !== 0 || output.split('\n', 1)[0] !== folder)
        throw new ToolError(
          'unavailable',
          'The code folder of this project is not the top of a git repository with a commit. Make it one, then try again.',
        );
    },
    async ensure(place, signal) {
      const { taskId, repository, branch } = place;
      const folder = folderOf(taskId);
      if (await isThere(place, signal)) return folder;
      await makeParent();
      const made = await git(repository, ['worktree', 'add', '-b', branch, '--', folder, 'HEAD'], signal);
      if (made.code === 0) return folder;
      // The branch, and perhaps half of the folder, are there from before a crash.
      await remove(place);
      await removeElsewhere(place);
      // By force: what lies on a disk that is not in reach here may have the branch still.
      await required(git(repository, ['worktree', 'add', '--force', '--', folder, branch], signal));
      return folder;
    },
    async look({ taskId, repository }, signal) {
      const folder = folderOf(taskId);
      await makeParent();
      await required(git(repository, ['worktree', 'add', '--detach', '--', folder, 'HEAD'], signal));
      return folder;
    },
    async commit({ taskId }, { message, author }) {
      const folder = folderOf(taskId);
      if (!(await isFolder(folder))) return;
      await required(git(folder, ['add', '--all', '--', '.']));
      const name = author.name.replaceAll(/[\p{Cc}<>]/gu, ' ').trim() || 'agent';
      const email = `${author.id}@agents.invalid`;
      const who = {
        GIT_AUTHOR_NAME: name,
        GIT_AUTHOR_EMAIL: email,
        GIT_COMMITTER_NAME: name,
        GIT_COMMITTER_EMAIL: email,
      };
      const made = await git(folder, ['commit', '--no-verify', `--message=${message}`], ends, who);
      if (!made.output.includes(NOTHING)) await required(Promise.resolve(made));
    },
    remove,
    async leftovers() {
      // Without a folder, no task ever had one.
      return readdir(parent).catch(() => []);
    },
    discard: (taskId) => rm(folderOf(taskId), { recursive: true, force: true }),
  };
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
