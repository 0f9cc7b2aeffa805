/** The owner: sets everything up, then approves, answers and reads over the API that a console uses. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Api, Mcp } from './api.ts';

/** What the agent gets. */
export interface Hired {
  readonly id: string;
  readonly key: string;
  readonly notesKey: string;
}

/** What an agent asked. */
export interface Question {
  readonly id: string;
  readonly question: string;
  readonly status: string;
  readonly answered_by: string | null;
}

interface Notification {
  readonly level: string;
  readonly title: string;
}

const LOOK_EVERY_MS = 50;

/** A project with code and a check, and an agent with four tools that reaches it. */
export async function hire(api: Api, self: Mcp, folder: string): Promise<Hired> {
  const { organizations } = await self.call<{ organizations: { id: string }[] }>('ORGANIZATION_LIST', {});
  const { project } = await self.call<{ project: { id: string } }>('PROJECT_CREATE', {
    organizationId: organizations[0]?.id,
    slug: 'shop',
    name: 'Shop',
  });
  await api.put(`/projects/${project.id}/code`, { folder, check: "grep -q '<h1>Welcome' index.html" });
  const { id, key } = await api.post<{ id: string; key: string }>('/agents', {
    name: 'Ada',
    tools: ['corvid_manage_schedule', 'corvid_create_work_task', 'corvid_ask_owner', 'corvid_notify_owner'],
  });
  await api.put(`/agents/${id}/projects/${project.id}`);
  await api.patch(`/agents/${id}`, { default_project_id: project.id });
  const { key: notesKey } = await self.call<{ key: string }>('API_KEY_CREATE', {
    name: 'Notes for Ada',
    permissions: { annotations: ['acknowledge', 'resolve', 'annotation'] },
  });
  return { id, key, notesKey };
}

/** Approves the first piece of work that waits for it. */
export async function approveWork(api: Api): Promise<void> {
  const { id } = await appears(
    async () => (await api.get<{ id: string }[]>('/executions?status=waiting'))[0],
  );
  await api.post(`/executions/${id}/approve`);
}

/** Answers the first question with its second option. */
export async function answerQuestion(api: Api): Promise<Question> {
  const { id } = await appears(async () => {
    const { questions } = await api.get<{ questions: Question[] }>('/questions?status=open');
    return questions[0];
  });
  return api.post<Question>(`/questions/${id.slice(0, 8)}/answer`, { option_index: 2 });
}

/** What agents told the owner, the newest first. */
export async function readNotifications(api: Api): Promise<readonly Notification[]> {
  const { notifications } = await api.get<{ notifications: Notification[] }>('/notifications');
  return notifications;
}

/** A console would be told; this one looks. */
async function appears<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await delay(LOOK_EVERY_MS);
  }
}
