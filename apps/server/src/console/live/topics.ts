/** What the console hears of: from signals of the store and from calls, to topics with ids, each for one organization. */
import { CONNECTIONS_CHANGED, TOKENS_CHANGED } from '@parley/connections';
import { IDENTITY_CHANGED, WEB_SESSIONS_CHANGED } from '@parley/identity';
import { DASHBOARDS_CHANGED, PROJECTS_CHANGED } from '@parley/mesh';
import type { SignalEvent } from '@parley/store';
import { CLIENTS_CHANGED } from '../clients-seen.ts';

/** Everything that a page can ask to hear of. */
export const TOPICS = [
  'annotations',
  'posts',
  'tasks',
  'agents',
  'questions',
  'connections',
  'virtual-mcps',
  'events',
  'deliveries',
  'calls',
  'members',
  'keys',
  'sessions',
  'organization',
  'schedules',
  'memory',
  'dashboards',
  'projects',
] as const;

export type Topic = (typeof TOPICS)[number];

/** Something that has changed. */
export interface Happening {
  readonly topic: Topic;
  /** Of what has changed; null: look at all of it. */
  readonly id: string | null;
  readonly organizationId: string;
  /** Only this person is told; absent: everybody who may see it. */
  readonly userId?: string;
  /** Whose task it is, for those who see only their own. */
  readonly ownerId?: string;
}

/** What a signal means: things that have changed, or the id of a task whose row says where it belongs. */
export type Meaning = { readonly happenings: readonly Happening[] } | { readonly taskId: string } | undefined;

const TASK_CHANGED = 'task.changed';
const PUBLISHED = 'event.published';
const ANNOTATIONS = 'annotations.';
const FEEDBACK = 'feedback.';
const WORK_CHANGED = 'agent_work';
const PLUGINS_CHANGED = 'agent.plugins';
const INBOX = 'agent:inbox:';

/** What a signal of the store means for the console. */
export function meaningOf({ topic, payload }: SignalEvent): Meaning {
  if (payload === null) return undefined;
  if (topic === TASK_CHANGED) return { taskId: payload };
  if (topic === PUBLISHED) return told(payload, ofEvent);
  if (topic.startsWith(ANNOTATIONS)) return { happenings: ofAnnotations(payload) };
  if (topic.startsWith(FEEDBACK)) return all(payload, [['posts', topic.slice(FEEDBACK.length)]]);
  if (topic === IDENTITY_CHANGED) return all(payload, [['members'], ['keys'], ['organization'], ['agents']]);
  if (topic === CONNECTIONS_CHANGED) return all(payload, [['connections'], ['virtual-mcps']]);
  if (topic === TOKENS_CHANGED) return told(payload, () => ['connections']);
  if (topic === WORK_CHANGED || topic === PLUGINS_CHANGED) return all(payload, [['agents']]);
  if (topic === DASHBOARDS_CHANGED) return all(payload, [['dashboards']]);
  if (topic === PROJECTS_CHANGED) return all(payload, [['projects']]);
  if (topic === CLIENTS_CHANGED) return all(payload, [['calls']]);
  if (topic.startsWith(INBOX)) return told(payload, () => ['agents'], topic.slice(INBOX.length));
  return undefined;
}

/** Sessions are told to their person alone, wherever they are. */
export function sessionsOf({ topic, payload }: SignalEvent): string | undefined {
  return topic === WEB_SESSIONS_CHANGED && payload !== null ? payload : undefined;
}

function all(
  organizationId: string,
  topics: readonly (readonly [topic: Topic, id?: string])[],
): { happenings: Happening[] } {
  return { happenings: topics.map(([topic, id = null]) => ({ topic, id, organizationId })) };
}

/** Payloads that are an organization and something else. */
function told(
  payload: string,
  topicsOf: (rest: string) => readonly Topic[],
  id: string | null = null,
): { happenings: Happening[] } {
  const [organizationId = '', rest = ''] = payload.split(' ');
  return { happenings: topicsOf(rest).map((topic) => ({ topic, id, organizationId })) };
}

const OF_NOUN: Readonly<Record<string, readonly Topic[]>> = {
  annotation: ['annotations'],
  connection: ['connections'],
  key: ['keys'],
  member: ['members'],
  notification: ['agents'],
  question: ['questions', 'agents'],
  task: ['tasks'],
  tool: ['connections'],
};

function ofEvent(type: string): readonly Topic[] {
  const [noun = ''] = type.split('.', 1);
  const own = Object.hasOwn(OF_NOUN, noun) ? (OF_NOUN[noun] ?? []) : [];
  return ['events', 'deliveries', ...own];
}

interface AnnotationChange {
  readonly organizationId: string;
  readonly sessionId?: string;
  readonly ids?: readonly string[];
  readonly pageTokenId?: string;
}

function ofAnnotations(payload: string): Happening[] {
  const { organizationId, sessionId, ids, pageTokenId } = JSON.parse(payload) as AnnotationChange; // as it was written
  const named = ids ?? [sessionId ?? pageTokenId ?? null];
  return named.map((id) => ({ topic: 'annotations', id, organizationId }));
}

/** The topics of a kind of task besides that of tasks: work of the server that screens show under other names. */
export function topicsOfKind(kind: string): readonly Topic[] {
  if (kind === 'events.deliver') return ['deliveries'];
  if (kind === 'agent.execution') return ['schedules', 'agents'];
  if (kind.startsWith('agent.')) return ['agents'];
  return [];
}
