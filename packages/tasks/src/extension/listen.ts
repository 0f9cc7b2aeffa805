/** `subscriptions/listen` with task ids: each change of a task as the notice `notifications/tasks`. */
import { detach } from '@parley/kit';
import type { ExtensionListen, ExtensionNotice, ExtensionSubscription } from '@parley/kit';
import type { TaskEngine } from '../engine/engine.ts';
import type { Task, TaskOwner } from '../task.ts';
import { isFinal, ownerOf } from '../task.ts';
import { wireTaskInFull } from './wire.ts';

const MESSAGE_EVERY_MS = 1000;
const RETRY_MS = 1000;
const MAX_TASKS = 100;

/** The listen part of the extension. */
export function createTaskListen(tasks: TaskEngine, now: () => number): ExtensionListen {
  return {
    field: 'taskIds',
    async open(wanted, caller, send) {
      const owner = ownerOf(caller);
      const ids = await ownIds(tasks, owner, wanted);
      const streams = ids.map((id) => new TaskStream(tasks, owner, id, now, send));
      return {
        honored: ids,
        start() {
          for (const stream of streams) stream.start();
        },
        close() {
          for (const stream of streams) stream.close();
        },
      } satisfies ExtensionSubscription;
    },
  };
}

/** The ids that exist and belong to the caller; the others are left out without a word. */
async function ownIds(tasks: TaskEngine, owner: TaskOwner, wanted: unknown): Promise<string[]> {
  if (!Array.isArray(wanted)) return [];
  const ids = [...new Set(wanted.filter((id): id is string => typeof id === 'string'))].slice(0, MAX_TASKS);
  const found = await Promise.all(ids.map((id) => tasks.get(owner, id)));
  return ids.filter((_id, index) => found[index] !== undefined);
}

/** The notices of one task, in order: its state first, then every change. */
class TaskStream {
  readonly #tasks: TaskEngine;
  readonly #owner: TaskOwner;
  readonly #id: string;
  readonly #now: () => number;
  readonly #send: (notice: ExtensionNotice) => void;
  #unwatch: (() => void) | undefined;
  #last: Task | undefined;
  #sentAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isLooking = false;
  #isDue = false;
  #isFailing = false;
  #isClosed = false;

  constructor(
    tasks: TaskEngine,
    owner: TaskOwner,
    id: string,
    now: () => number,
    send: (notice: ExtensionNotice) => void,
  ) {
    this.#tasks = tasks;
    this.#owner = owner;
    this.#id = id;
    this.#now = now;
    this.#send = send;
  }

  start(): void {
    this.#unwatch = this.#tasks.watch(this.#id, (change) => {
      if (change.kind === 'changed') this.#look();
    });
    this.#look();
  }

  close(): void {
    this.#isClosed = true;
    this.#unwatch?.();
    clearTimeout(this.#timer);
    clearTimeout(this.#retry);
  }

  /** One look after the other, so that notices leave in the order of the states; however many are due, one is enough. */
  #look(): void {
    this.#isDue = true;
    if (this.#isLooking) return;
    detach(this.#lookWhileDue(), (error) => this.#lookLater(error));
  }

  async #lookWhileDue(): Promise<void> {
    this.#isLooking = true;
    try {
      while (this.#isDue && !this.#isClosed) {
        this.#isDue = false;
        await this.#lookOnce();
        this.#isFailing = false;
      }
    } finally {
      this.#isLooking = false;
    }
  }

  /** The state is told when it can be read again; without this, the last one might never be. */
  #lookLater(error: unknown): void {
    if (this.#isClosed) return;
    // Reported when looks begin to fail, not every second until they work again.
    if (!this.#isFailing) this.#tasks.onFault(error, 'task notice');
    this.#isFailing = true;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#look(), RETRY_MS).unref();
  }

  async #lookOnce(): Promise<void> {
    const task = await this.#tasks.get(this.#owner, this.#id);
    if (this.#isClosed || task === undefined || (this.#last !== undefined && isFinal(this.#last.status)))
      return;
    if (isNews(this.#last, task)) this.#tell(task);
    else if (task.statusMessage !== this.#last?.statusMessage) this.#tellMessage(task);
  }

  #tellMessage(task: Task): void {
    const waitMs = this.#sentAt + MESSAGE_EVERY_MS - this.#now();
    if (waitMs <= 0) this.#tell(task);
    else this.#timer ??= setTimeout(() => this.#look(), waitMs).unref();
  }

  #tell(task: Task): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#last = task;
    this.#sentAt = this.#now();
    this.#send({ method: 'notifications/tasks', params: wireTaskInFull(task, this.#now()) });
  }
}

function isNews(last: Task | undefined, task: Task): boolean {
  if (last === undefined || last.status !== task.status) return true;
  return Object.keys(last.inputRequests).join('\n') !== Object.keys(task.inputRequests).join('\n');
}
