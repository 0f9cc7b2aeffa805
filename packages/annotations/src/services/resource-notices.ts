/** Turns changes of annotations into notices for MCP clients that subscribed to a resource. */
import type { Change, ChangeBus } from '@parley/kit';
import { coalesce } from '@parley/kit';
import type { AnnotationChange, AnnotationChanges } from './changes.ts';

/** The URIs under which annotations are read. */
export const URIS = {
  sessions: 'parley://annotations/sessions',
  session: (id: string) => `parley://annotations/sessions/${id}`,
  pending: 'parley://annotations/pending',
  note: (id: string) => `parley://annotations/${id}`,
  markdown: (id: string) => `parley://annotations/${id}/markdown`,
} as const;

const COALESCE_MS = 100;

/** Publishes one notice per affected URI, at most every 100 ms; returns the function that ends it. */
export function publishNotices(changes: AnnotationChanges, bus: ChangeBus): () => void {
  const notices = coalesce(bus, COALESCE_MS);
  const unlisten = changes.listen((change) => notices.add(noticesOf(change)));
  return () => {
    unlisten();
    notices.close();
  };
}

function noticesOf(change: AnnotationChange): Change[] {
  if (change.kind === 'presence' || change.kind === 'page-token') return [];
  if (change.kind === 'all') {
    return [{ kind: 'resources' }, ...[URIS.sessions, URIS.pending].map((uri) => updated(uri))];
  }
  const { organizationId, sessionId } = change;
  const uris =
    change.kind === 'session'
      ? [URIS.sessions, URIS.session(sessionId)]
      : [
          URIS.session(sessionId),
          ...(change.pending ? [URIS.pending] : []),
          ...(change.ids ?? []).flatMap((id) => [URIS.note(id), URIS.markdown(id)]),
        ];
  const notices = uris.map((uri) => updated(uri, organizationId));
  const isListChange = change.kind === 'session' && change.isListChange;
  return isListChange ? [{ kind: 'resources', organizationId }, ...notices] : notices;
}

function updated(uri: string, organizationId?: string): Change {
  return { kind: 'resource', uri, ...(organizationId !== undefined && { organizationId }) };
}
