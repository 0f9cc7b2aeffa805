/** Owns the ledger of a fault run: everything that a server has acknowledged, and what is not as it was promised. */
import { readFileSync } from 'node:fs';
import type { Asked } from './fault-client.ts';
import { callTool, mcp, rest } from './fault-client.ts';

/** What is wrong after a fault; all of it is empty where the promises hold. */
export interface Verdict {
  /** Acknowledged, and not there. */
  readonly missing: string[];
  /** Steps that ran again after they had ended. */
  readonly repeated: string[];
  /** Tasks that failed, or ended without all their steps, and what they say of it. */
  readonly failed: string[];
  /** Tasks that did not end, and events that did not arrive. */
  readonly stuck: string[];
}

/** A task as a client knows it. */
export interface ListedTask {
  readonly taskId: string;
  readonly status: string;
}

interface Page<Item> {
  readonly data: Item[];
  readonly pagination: { readonly cursor: string | null; readonly hasMore: boolean };
}

interface Row {
  readonly id: string;
}

/** One line of a step. */
export interface Effect {
  readonly mark: string;
  readonly step: number;
  readonly worker: string;
}

export class Acknowledged {
  /** Tasks by id, with what they note outside and how often. */
  readonly tasks = new Map<string, { readonly mark: string; readonly steps: number }>();
  readonly posts = new Set<string>();
  /** Subjects of events. */
  readonly events = new Set<string>();
  /** Annotations by id, with the page session that they are of. */
  readonly notes = new Map<string, string>();
  /** How many lines a task had when it was found completed. */
  readonly #linesAtEnd = new Map<string, number>();
  /** What was wrong before, so that one fault is not laid to the next. */
  readonly #said = new Set<string>();
  readonly #effects: string;

  constructor(effects: string) {
    this.#effects = effects;
  }

  get size(): number {
    return this.tasks.size + this.posts.size + this.events.size + this.notes.size;
  }

  /** What steps have done outside, in order. */
  effects(): Effect[] {
    const lines = readFileSync(this.#effects, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => {
      const [mark = '', step = '', worker = ''] = line.split(' ');
      return { mark, step: Number(step), worker };
    });
  }

  /**
   * Looks for everything, once all has come to rest, and says what is wrong that it has not said before; `arrived` are
   * the subjects that the webhook has heard of.
   */
  async check(to: Asked, arrived: ReadonlySet<string>): Promise<Verdict> {
    const [tasks, posts, notes] = await Promise.all([
      listTasks(to),
      listPosts(to),
      listNotes(to, new Set(this.notes.values())),
    ]);
    const listed = new Map(tasks.map((task) => [task.taskId, task.status]));
    const stepsOf = Map.groupBy(this.effects(), ({ mark }) => mark);
    const isShort = ([id, { mark, steps }]: readonly [string, { mark: string; steps: number }]) =>
      listed.get(id) === 'completed' && new Set(stepsOf.get(mark)?.map(({ step }) => step)).size !== steps;
    const short = [...this.tasks].filter(isShort).map(([id]) => id);
    const repeated = [...stepsOf].flatMap(([mark, lines]) => this.#repeatedIn(mark, lines));
    for (const [id, { mark }] of this.tasks)
      if (listed.get(id) === 'completed') this.#linesAtEnd.set(mark, stepsOf.get(mark)?.length ?? 0);
    const inStatus = (wanted: string) =>
      tasks.filter(({ status }) => status === wanted).map(({ taskId }) => taskId);
    return {
      missing: this.#news([
        ...absent(this.tasks.keys(), listed),
        ...absent(this.posts, posts),
        ...absent(this.notes.keys(), notes),
      ]),
      repeated: this.#news(repeated),
      // A tool that fails completes its task, with words for a model; here no tool has a reason to fail.
      failed: await Promise.all(this.#news([...inStatus('failed'), ...short]).map((id) => endOf(to, id))),
      stuck: this.#news([...inStatus('working'), ...absent(this.events, arrived)]),
    };
  }

  #news(wrong: readonly string[]): string[] {
    const news = wrong.filter((each) => !this.#said.has(each));
    for (const each of news) this.#said.add(each);
    return news;
  }

  /** A step begins when the one before it is stored: one that is seen after a later one had ended. */
  #repeatedIn(mark: string, lines: readonly Effect[]): string[] {
    const known = this.#linesAtEnd.get(mark);
    const after = known === undefined ? [] : lines.slice(known);
    const turned = lines.filter(({ step }, at) => lines.slice(0, at).some((earlier) => earlier.step > step));
    return [...new Set([...after, ...turned])].map(
      ({ step, worker }) => `step ${step} of ${mark} by ${worker}`,
    );
  }
}

/** True when a verdict has nothing to say. */
export function isClean(verdict: Verdict): boolean {
  return Object.values(verdict).every((wrong) => wrong.length === 0);
}

function absent(wanted: Iterable<string>, found: { has(id: string): boolean }): string[] {
  return [...wanted].filter((id) => !found.has(id));
}

/** A task with the words of its end. */
async function endOf(to: Asked, taskId: string): Promise<string> {
  const { json } = await mcp(to, 'tasks/get', { taskId });
  return `${taskId}: ${JSON.stringify(json?.result?.error ?? json?.result?.result?.content ?? json)}`;
}

/** Every task of the caller, or those in one status. */
export async function listTasks(to: Asked, status?: string): Promise<ListedTask[]> {
  const all: ListedTask[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const asked = { limit: 100, ...(status !== undefined && { status }), ...(cursor && { cursor }) };
    const page = await callTool<{ tasks: ListedTask[]; nextCursor: string | null }>(to, 'list_tasks', asked);
    all.push(...page.tasks);
    cursor = page.nextCursor;
  }
  return all;
}

async function listPosts(to: Asked): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let cursor: string | null | undefined; cursor !== null;) {
    const after = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { status, json } = await rest(to, 'GET', `/api/v1/posts?limit=100${after}`);
    if (status !== 200) throw new Error(`Posts were answered with ${status}: ${JSON.stringify(json)}`);
    const { data, pagination } = json as Page<Row>; // as the reference says
    for (const { id } of data) ids.add(id);
    cursor = pagination.hasMore ? pagination.cursor : null;
  }
  return ids;
}

async function listNotes(to: Asked, sessions: ReadonlySet<string>): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const id of sessions) {
    for (let cursor: string | undefined | null; cursor !== null;) {
      const page = await callTool<{ annotations: Row[]; nextCursor?: string }>(to, 'get_session', {
        id,
        ...(cursor && { cursor }),
      });
      for (const note of page.annotations) ids.add(note.id);
      cursor = page.nextCursor ?? null;
    }
  }
  return ids;
}
