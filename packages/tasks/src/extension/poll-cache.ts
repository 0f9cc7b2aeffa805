/** Keeps eager pollers off the database: asked more than ten times a second, a task is shown as of 100 ms ago. */
import type { TaskEngine } from '../engine/engine.ts';
import type { Task, TaskOwner } from '../task.ts';

interface Seen {
  readonly since: number;
  count: number;
  readonly at: number;
  readonly task: Task;
}

const WINDOW_MS = 1000;
const FREE_READS = 10;
const CACHE_MS = 100;
const MAX_TASKS = 10_000;

/** Reads tasks for pollers. */
export class PollCache {
  readonly #tasks: TaskEngine;
  readonly #now: () => number;
  readonly #seen = new Map<string, Seen>();

  constructor(tasks: TaskEngine, now: () => number) {
    this.#tasks = tasks;
    this.#now = now;
  }

  async get(owner: TaskOwner, taskId: string): Promise<Task | undefined> {
    const key = keyOf(owner, taskId);
    const now = this.#now();
    const seen = this.#seen.get(key);
    const isSameWindow = seen !== undefined && now - seen.since < WINDOW_MS;
    if (isSameWindow) seen.count += 1;
    if (isSameWindow && seen.count > FREE_READS && now - seen.at < CACHE_MS) return seen.task;
    const task = await this.#tasks.get(owner, taskId);
    // An id that names nothing may be of any size, and many of them.
    if (task === undefined) return undefined;
    if (this.#seen.size >= MAX_TASKS) this.#seen.clear();
    this.#seen.set(key, {
      since: isSameWindow ? seen.since : now,
      count: isSameWindow ? seen.count : 1,
      at: now,
      task,
    });
    return task;
  }

  /** Shows the next poller what this process has just changed. */
  forget(owner: TaskOwner, taskId: string): void {
    this.#seen.delete(keyOf(owner, taskId));
  }
}

function keyOf({ organizationId, ownerId }: TaskOwner, taskId: string): string {
  return `${organizationId} ${ownerId} ${taskId}`;
}
