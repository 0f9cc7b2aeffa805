/** What each message of a page does, and what it is answered with. */
import { ToolError } from '@parley/kit';
import { StoreUnavailableError } from '@parley/store';
import type { SessionRow } from '../schema.ts';
import type { AnnotationServices } from '../services/index.ts';
import type { Inbound } from './inbox.ts';
import { BadMessage } from './inbox.ts';
import type { LinkErrorCode, ServerMessage, ServerPayloads } from './messages.ts';

/** Carries out one message of a session and answers it. */
export async function answerMessage(
  services: AnnotationServices,
  session: SessionRow,
  message: Inbound,
): Promise<ServerMessage> {
  try {
    const payload = await carryOut(services, session, message);
    // Messages about the session itself have moved its last sign of life already.
    if (!message.type.startsWith('session:')) await services.sessions.touch(session.id);
    return { type: 'ok', ...idOf(message.id), payload };
  } catch (error) {
    return errorMessage(error, message.id, services.onFault);
  }
}

/** The answer to a message that failed. */
export function errorMessage(
  error: unknown,
  id: string | undefined,
  onFault: (error: unknown, where: string) => void,
): Extract<ServerMessage, { type: 'error' }> {
  const known = error instanceof BadMessage ? error.id : id;
  if (error instanceof ToolError) {
    return { type: 'error', ...idOf(known), payload: { code: codeOf(error.code), message: error.message } };
  }
  if (!(error instanceof StoreUnavailableError)) onFault(error, 'annotation link');
  const message =
    error instanceof StoreUnavailableError
      ? error.message
      : 'The server could not do this. Try again in a moment.';
  return { type: 'error', ...idOf(known), payload: { code: 'unavailable', message } };
}

/** The correlation id, when there is one. */
export function idOf(id: string | undefined): { id?: string } {
  return id === undefined ? {} : { id };
}

async function carryOut(
  { person, diffs, sessions }: AnnotationServices,
  session: SessionRow,
  message: Inbound,
): Promise<ServerPayloads['ok']> {
  switch (message.type) {
    case 'hello':
      throw new ToolError('invalid', 'This page has said hello already.');
    case 'session:ping': {
      const { url } = message.payload;
      // A ping that says nothing new is a sign of life only.
      await sessions.touch(session.id, url === undefined || url === session.url ? {} : { url });
      if (url !== undefined) session.url = url;
      return {};
    }
    case 'session:update':
      await sessions.touch(session.id, message.payload);
      if (message.payload.url !== undefined) session.url = message.payload.url;
      return {};
    case 'annotation:create':
      return { annotation: (await person.create(session, message.payload)).annotation };
    case 'annotation:edit':
      return { annotation: await person.edit(session, message.payload) };
    case 'annotation:reply':
      return { annotation: await person.reply(session, message.payload) };
    case 'annotation:reopen':
      return { annotation: await person.reopen(session, message.payload.id) };
    case 'annotation:delete':
      return { annotation: await person.remove(session, message.payload.id) };
    case 'annotations:clear':
      return { cleared: await person.clear(session, message.payload.ids) };
    case 'diff:approve':
      return { annotation: await diffs.answer(session, 'approved', message.payload) };
    case 'diff:reject':
      return { annotation: await diffs.answer(session, 'rejected', message.payload) };
  }
}

const LINK_CODES = new Set([
  'not_found',
  'conflict',
  'invalid',
  'rate_limited',
  'forbidden',
  'unavailable',
  'unauthorized',
]);

function codeOf(code: string): LinkErrorCode {
  // Services use the shared codes; anything else would be a fault of theirs.
  return LINK_CODES.has(code) ? (code as LinkErrorCode) : 'unavailable';
}
