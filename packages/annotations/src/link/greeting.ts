/** Saying hello: the page token is checked, the session opened or resumed, and the page told what there is. */
import { ToolError } from '@parley/kit';
import type { SessionRow } from '../schema.ts';
import { toSession } from '../services/rows.ts';
import type { AnnotationServices } from '../services/index.ts';
import type { OpenedSession } from '../services/sessions.ts';
import type { ClientPayload, LinkLimits, ServerPayloads } from './messages.ts';

/** Opens the session that a hello asks for; throws when its token is not valid for the page. */
export async function openSession(
  services: AnnotationServices,
  origin: string,
  { token, protocol: _one, ...hello }: ClientPayload<'hello'>,
): Promise<OpenedSession> {
  const page = await services.pageTokens.find(token, origin);
  if (page === undefined) {
    throw new ToolError(
      'unauthorized',
      'The page token is not valid here. Copy the script tag that "parley start" prints.',
    );
  }
  return services.sessions.open(page, origin, hello);
}

/** Everything a page must know to begin. */
export async function readyPayload(
  services: AnnotationServices,
  { row, sessionToken }: OpenedSession,
): Promise<Omit<ServerPayloads['session:ready'], 'seq'>> {
  return {
    session: toSession(row, services.now()),
    sessionToken,
    annotations: await services.notes.ofSession(row.id),
    presence: await services.presence.of(row.organization_id, row.id),
    limits: linkLimits(services),
  };
}

/** The session of a page that said hello before; undefined when it may no longer speak. */
export async function knownSession(
  services: AnnotationServices,
  origin: string,
  authorization: string | undefined,
): Promise<SessionRow | undefined> {
  const token = /^Bearer (\S{1,200})$/.exec(authorization ?? '')?.[1];
  const session = token === undefined ? undefined : await services.sessions.find(token);
  if (session === undefined || session.origin !== origin) return undefined;
  return (await services.pageTokens.isValid(session.page_token_id, origin)) ? session : undefined;
}

function linkLimits({ limits }: AnnotationServices): LinkLimits {
  const { messageBytes, messagesPerSecond, openNotesPerSession, screenshotBytes, pingMs } = limits;
  return { messageBytes, messagesPerSecond, openNotes: openNotesPerSession, screenshotBytes, pingMs };
}
