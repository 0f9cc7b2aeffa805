/**
 * The agent: its schedule turns annotations into work for it, and it does that work. What an event starts runs
 * unattended, and nobody is asked then; so the work is offered, and this program, which somebody keeps running, takes it.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Api, Mcp } from './api.ts';

/** Who the agent is, and its ways in. */
export interface Agent {
  readonly id: string;
  readonly api: Api;
  /** The toolset `agent`, with the agent's own key. */
  readonly own: Mcp;
  /** The toolset `annotations`, with a key that reads and closes notes. */
  readonly notes: Mcp;
}

interface Work {
  readonly task_id: string;
  readonly status: string;
  readonly branch: string;
  readonly error: string | null;
}

interface Claimed {
  readonly claim: string;
  readonly folder: string;
  readonly branch: string;
  readonly prompt: string;
}

interface Note {
  readonly id: string;
  readonly annotationText: string;
}

const OFFERED = 'agent://work';
const PAGE = 'index.html';

/** From now on every new annotation becomes work. */
export async function goOnCall({ own }: Agent): Promise<string> {
  const { id } = await own.call<{ id: string }>('corvid_manage_schedule', {
    action: 'create',
    name: 'Notes of visitors',
    event_trigger: { type: 'annotation.created' },
    schedule_actions: [{ type: 'work_task', description: 'Do what the annotation says.' }],
  });
  return id;
}

/** Waits for work, does it with the owner's word, and tells how it went; returns the branch. */
export async function doNextWork(agent: Agent): Promise<string> {
  const { id, api, own, notes } = agent;
  const changes = new Changes();
  await own.follow(OFFERED, () => changes.ring());

  const taskId = await changes.until(async () => {
    const { tasks } = await own.read<{ tasks: Work[] }>(OFFERED);
    return tasks[0]?.task_id;
  });
  const { claim, folder, branch, prompt } = await api.post<Claimed>(`/agents/${id}/work/${taskId}/claim`);

  const note = await notes.read<Note>(`parley://annotations/${noteIn(prompt)}`);
  await notes.call('acknowledge', { id: note.id, message: 'I ask whether I may.' });
  const heading = await askForHeading(own, note);
  const file = join(folder, PAGE);
  const page = await readFile(file, 'utf8');
  await writeFile(
    file,
    page.replace(/<h1>.*<\/h1>/, () => `<h1>${heading}</h1>`),
  );
  await api.post(`/agents/${id}/work/${taskId}/reply`, { claim, text: `The heading says "${heading}".` });

  const ended = await changes.until(async () => {
    const { tasks } = await api.get<{ tasks: Work[] }>(`/agents/${id}/work`);
    return tasks.find((task) => task.task_id === taskId && ['completed', 'failed'].includes(task.status));
  });
  if (ended.status === 'failed') throw new Error(`The work failed: ${ended.error}`);
  await notes.call('resolve', { id: note.id, summary: `The heading says "${heading}" on ${branch}.` });
  await own.call('corvid_notify_owner', {
    level: 'success',
    title: 'A note is done',
    message: `"${note.annotationText}" is done on the branch ${branch}.`,
  });
  return branch;
}

/** The words of the owner, who chooses. */
async function askForHeading(own: Mcp, { annotationText }: Note): Promise<string> {
  const asked = await own.call<{ answered: boolean; answer?: string }>('corvid_ask_owner', {
    question: `A visitor says: "${annotationText}" What shall the heading say?`,
    options: ['Welcome', 'Welcome to the shop'],
  });
  if (asked.answer === undefined) throw new Error('The owner did not answer in time.');
  return asked.answer;
}

/** The work says which event made it, and never what a stranger wrote. */
function noteIn(prompt: string): string {
  const [, id] = /^Woken by the event annotation\.created about (\S+)\.$/m.exec(prompt) ?? [];
  if (id === undefined) throw new Error(`This work comes from no annotation: ${prompt}`);
  return id;
}

/** Looks again whenever something changed. */
class Changes {
  #next = Promise.withResolvers<void>();

  ring(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers<void>();
  }

  async until<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
    for (;;) {
      // Taken before the look, so that a change meanwhile is not missed.
      const changed = this.#next.promise;
      const found = await look();
      if (found !== undefined) return found;
      await changed;
    }
  }
}
