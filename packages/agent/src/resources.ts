/** What agents read and watch over MCP. */
import type { ChangeBus } from '@parley/kit';
import { coalesce, defineResource } from '@parley/kit';
import type { Store } from '@parley/store';
import type { AgentServices } from './services/index.ts';
import { WORK_CHANGED } from './services/work/queue.ts';
import { actingOf } from './session.ts';

const WORK_URI = 'agent://work';
const NOTICE_MS = 20;

export const agentResources = [
  defineResource<AgentServices>({
    name: 'work',
    title: 'Work that waits for you',
    description: 'Your work tasks that nobody works on, oldest first. Claim one over REST.',
    mimeType: 'application/json',
    uri: WORK_URI,
    callers: 'agents',
    available: ({ work }) => work !== undefined,
    async read(_variables, { services, caller }) {
      const offered = (await services.work?.offered(actingOf(caller))) ?? [];
      const tasks = offered.map(({ id, projectId, description, branch, iterations, error }) => ({
        task_id: id,
        project_id: projectId,
        description,
        branch,
        iterations,
        error,
      }));
      return { text: JSON.stringify({ tasks }) };
    },
  }),
];

/** Tells MCP clients that the work of an organization changed, here or elsewhere; returns the function that ends it. */
export function publishWorkNotices({ signal }: Pick<Store, 'signal'>, bus: ChangeBus): () => void {
  const notices = coalesce(bus, NOTICE_MS);
  const unlisten = signal.subscribe(WORK_CHANGED, ({ payload }) =>
    notices.add([{ kind: 'resource', uri: WORK_URI, ...(payload !== null && { organizationId: payload }) }]),
  );
  return () => {
    unlisten();
    notices.close();
  };
}
