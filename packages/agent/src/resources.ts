/** Documents of an agent's own: what it is told, and its inbox, which MCP clients subscribe to. */
import type { Change, ChangeBus } from '@parley/kit';
import { coalesce, defineResource, ToolError } from '@parley/kit';
import type { Store } from '@parley/store';
import type { AgentServices } from './services/index.ts';
import { INBOX } from './services/messages/rows.ts';
import { INBOX_URI } from './services/messages/watching.ts';
import { actingOf } from './session.ts';

const SHOWN = 50;
const PREVIEW = 200;
const NOTICE_MS = 20;

const uriOf = (messageId: string) => `${INBOX_URI}/${messageId}`;

export const agentResources = [
  defineResource<AgentServices>({
    name: 'prompt',
    title: 'What you are told',
    description: 'What the bundles of your agent and of its project tell you. Read it before you begin.',
    mimeType: 'text/plain',
    uri: 'agent://prompt',
    callers: 'agents',
    async read(_variables, { services, caller }) {
      const { organizationId, agentId, projectId } = actingOf(caller);
      return { text: await services.permissions.prompt(organizationId, agentId, projectId) };
    },
  }),
  defineResource<AgentServices>({
    name: 'inbox',
    title: 'Inbox',
    description: `Your unread messages, oldest first, ${SHOWN} at most. Subscribe to hear of new ones. Answer with corvid_send_message in the same thread.`,
    mimeType: 'application/json',
    uri: INBOX_URI,
    callers: 'agents',
    async read(_variables, { services, caller }) {
      const all = await services.messages.inbox.list(actingOf(caller), { limit: SHOWN });
      const messages = all.map(({ id, from, thread, text, reply_to, sent_at }) => ({
        id,
        uri: uriOf(id),
        from: from.name,
        thread,
        text: text.length > PREVIEW ? `${text.slice(0, PREVIEW)}...` : text,
        reply_to,
        sent_at,
      }));
      return { text: JSON.stringify({ messages }) };
    },
  }),
  defineResource<AgentServices>({
    name: 'inbox_message',
    title: 'Message',
    description: 'One message of your inbox, whole.',
    mimeType: 'application/json',
    uri: `${INBOX_URI}/{messageId}`,
    callers: 'agents',
    async read({ messageId = '' }, { services, caller }) {
      const message = await services.messages.inbox.open(actingOf(caller), messageId);
      if (message === undefined) throw new ToolError('not_found', 'Message not found');
      const { cursor: _cursor, ...shown } = message;
      return { text: JSON.stringify(shown) };
    },
  }),
];

/** Tells clients that an inbox has changed, here or elsewhere; returns the function that ends it. */
export function publishInboxNotices({ signal }: Pick<Store, 'signal'>, bus: ChangeBus): () => void {
  const notices = coalesce(bus, NOTICE_MS);
  const unlisten = signal.subscribe(INBOX, ({ topic, payload }) => {
    // Changes may have been missed: whoever watches looks again.
    if (topic === '*' || payload === null) return notices.add([{ kind: 'resource', uri: INBOX_URI }]);
    const agentId = topic.slice(INBOX.length);
    const [organizationId = '', messageId = ''] = payload.split(' ');
    const uris = [INBOX_URI, uriOf(messageId)];
    return notices.add(uris.map((uri): Change => ({ kind: 'resource', uri, organizationId, agentId })));
  });
  return () => {
    unlisten();
    notices.close();
  };
}
