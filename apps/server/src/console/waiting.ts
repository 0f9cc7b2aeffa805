/** What waits for somebody, by the entry of the rail behind which they deal with it. */
import { agentToolset } from '@parley/agent';
import { annotationsToolset } from '@parley/annotations';
import { connectionStates } from '@parley/connections';
import { countToTriage } from '@parley/feedback';
import type { Caller } from '@parley/kit';
import { mayAdminister } from '@parley/kit';
import { countAsking } from '@parley/tasks';
import type { Host } from '../start/host.ts';
import { mayLook } from './live/rights.ts';
import { ownersOf } from './task-owners.ts';

/** One kind of thing that waits. */
export interface Waiting {
  readonly kind: string;
  readonly entry: string;
  readonly title: string;
  readonly href: string;
  readonly count: number;
}

interface Kind extends Omit<Waiting, 'count'> {
  readonly looking: readonly [toolset: string, names: readonly string[]];
  count(host: Host, caller: Caller): Promise<number>;
}

// Who has more than this of one kind is helped by no greater number.
const MOST = 100;
const UNWELL: ReadonlySet<string> = new Set(['error', 'needs_reauth']);

const KINDS: readonly Kind[] = [
  {
    kind: 'annotations',
    entry: 'annotations',
    title: 'Annotations that nobody has taken up',
    href: '/console/annotations?status=pending',
    looking: ['annotations', ['get_all_pending', 'list_sessions']],
    count: (host, { organizationId }) =>
      host.servicesOf(annotationsToolset).notes.countPending({ organizationId }),
  },
  {
    kind: 'posts-held',
    entry: 'feedback',
    title: 'Posts held for moderation',
    href: '/console/feedback/inbox?view=pending',
    looking: ['feedback', ['triage_post']],
    count: async (host, caller) => (await toTriage(host, caller)).held,
  },
  {
    kind: 'posts',
    entry: 'feedback',
    title: 'Posts that you have not read',
    href: '/console/feedback/inbox?view=unread',
    looking: ['feedback', ['search_feedback']],
    count: async (host, caller) => (await toTriage(host, caller)).unread,
  },
  {
    kind: 'task-questions',
    entry: 'tasks',
    title: 'Tasks that ask you something',
    href: '/console/tasks?state=input_required',
    looking: ['tasks', ['list_tasks', 'get_task']],
    async count(host, caller) {
      const { organizationId } = caller;
      const ownerIds = mayAdminister(caller) ? undefined : await ownersOf(host, caller);
      return countAsking(host.store, { organizationId, ownerIds }, Date.now());
    },
  },
  {
    kind: 'agent-questions',
    entry: 'agents',
    title: 'Questions of agents',
    href: '/console/agents?tab=questions',
    looking: ['agent', ['questions_answer']],
    count: async (host, { organizationId }) =>
      (
        await host
          .servicesOf(agentToolset)
          .owner.questions.list(organizationId, { limit: MOST, status: 'open' })
      ).length,
  },
  {
    kind: 'approvals',
    entry: 'agents',
    title: 'Schedules that wait for your approval',
    href: '/console/agents?tab=approvals',
    looking: ['agent', ['executions_approve']],
    count: async (host, { organizationId }) =>
      (
        await host
          .servicesOf(agentToolset)
          .schedules.executions.list(organizationId, { limit: MOST, status: 'waiting' })
      ).length,
  },
  {
    kind: 'connections',
    entry: 'connections',
    title: 'Connections that need you',
    href: '/console/connections?health=attention',
    looking: ['self', ['COLLECTION_CONNECTIONS_UPDATE']],
    count: async (host, { organizationId }) =>
      (await connectionStates(host.store, organizationId)).filter(({ status }) => UNWELL.has(status)).length,
  },
];

async function toTriage(host: Host, { organizationId, userId }: Caller) {
  const member = userId === null ? undefined : await host.identity.memberOf(organizationId, userId);
  if (member === undefined) return { held: 0, unread: 0 };
  return countToTriage(host.store, { organizationId, memberId: member.id });
}

/** Everything that waits for somebody; what they could not deal with is left out. */
export async function waitingFor(host: Host, caller: Caller): Promise<Waiting[]> {
  const engine = host.engine();
  const own = KINDS.filter(({ looking }) => mayLook(engine, caller, looking));
  return Promise.all(
    own.map(async ({ looking: _looking, count, ...kind }) => ({ ...kind, count: await count(host, caller) })),
  );
}

/** The same as one number for each entry of the rail. */
export async function countsFor(host: Host, caller: Caller): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { entry, count } of await waitingFor(host, caller)) counts[entry] = (counts[entry] ?? 0) + count;
  return counts;
}
