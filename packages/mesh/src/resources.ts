/** Events as documents that MCP clients subscribe to: one for every type and pattern. */
import { checkPattern, patternsOf, PUBLISHED } from '@parley/events';
import type { Events } from '@parley/events';
import type { Change, ChangeBus } from '@parley/kit';
import { coalesce, defineResource } from '@parley/kit';
import type { Store } from '@parley/store';
import type { MeshServices } from './services/index.ts';

const NEWEST = 50;
const NOTICE_MS = 20;

const uriOf = (type: string) => `parley://events/${encodeURIComponent(type)}`;

export const eventResources = [
  defineResource<MeshServices>({
    name: 'events',
    title: 'Events',
    description: `The newest ${NEWEST} events of a type, of prefix.* or of *. Subscribe to hear of new ones.`,
    mimeType: 'application/json',
    uri: 'parley://events/{type}',
    async read({ type = '' }, { services, caller }) {
      checkPattern(type, 'type');
      return { text: JSON.stringify(await services.newestEvents(caller.organizationId, type)) };
    },
  }),
];

/** Reads the newest events for the document. */
export function createNewestEvents({ history }: Pick<Events, 'history'>): MeshServices['newestEvents'] {
  return (organizationId, type) =>
    history.events(organizationId, { after: 0, types: [type], limit: NEWEST, newestFirst: true });
}

/** Tells MCP clients that an event of their type was published, here or elsewhere; returns the function that ends it. */
export function publishEventNotices({ signal }: Pick<Store, 'signal'>, bus: ChangeBus): () => void {
  const notices = coalesce(bus, NOTICE_MS);
  const unlisten = signal.subscribe(PUBLISHED, ({ topic, payload }) => {
    if (topic === '*' || payload === null) return notices.add([{ kind: 'resources' }]);
    const [organizationId = '', ...type] = payload.split(' ');
    const patterns = patternsOf(type.join(' '));
    return notices.add(
      patterns.map((pattern): Change => ({ kind: 'resource', uri: uriOf(pattern), organizationId })),
    );
  });
  return () => {
    unlisten();
    notices.close();
  };
}
