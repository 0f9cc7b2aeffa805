/** The same link where WebSocket is blocked: messages by POST, news by an event stream, pictures by upload. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ToolError } from '@parley/kit';
import { DEFAULT_INBOUND_LIMITS, HttpRefusal, readBytes } from '@parley/kit/inbound';
import type { SessionRow } from '../schema.ts';
import type { AnnotationServices } from '../services/index.ts';
import { Connection } from './connection.ts';
import { answerMessage, errorMessage, idOf } from './dispatch.ts';
import { DoorRefusal } from './door.ts';
import { knownSession, openSession, readyPayload } from './greeting.ts';
import type { LinkHub } from './hub.ts';
import { readMessage } from './inbox.ts';
import type { Inbound } from './inbox.ts';
import type { LinkErrorCode, ServerMessage } from './messages.ts';
import { CLOSE } from './messages.ts';

/** The HTTP half of the link; the Origin of every request was checked. */
export interface HttpLink {
  message(req: IncomingMessage, res: ServerResponse, origin: string): Promise<void>;
  events(req: IncomingMessage, res: ServerResponse, origin: string): Promise<void>;
  screenshot(req: IncomingMessage, res: ServerResponse, origin: string): Promise<void>;
}

const STATUS_OF: Readonly<Record<LinkErrorCode, number>> = {
  not_found: 404,
  conflict: 409,
  invalid: 400,
  rate_limited: 429,
  forbidden: 403,
  unavailable: 503,
  unauthorized: 401,
};

const KEEP_ALIVE_MS = 15_000;

/** Creates the link. */
export function createHttpLink(services: AnnotationServices, hub: LinkHub): HttpLink {
  const requireSession = async (req: IncomingMessage, origin: string): Promise<SessionRow> => {
    const session = await knownSession(services, origin, req.headers.authorization);
    if (session !== undefined) return session;
    throw new ToolError('unauthorized', 'Say hello first, then send the session token with every request.');
  };

  const meter = (session: SessionRow): void => {
    const connections = hub.connectionsOf(session.id);
    for (const connection of connections) connection.heard();
    const sent = hub.meterOf(session.id);
    if (!sent.take()) {
      if (sent.isTooMuch())
        for (const connection of connections) connection.close(CLOSE.tooMuch, 'Too many messages.');
      throw new ToolError('rate_limited', 'This page sends too fast. Wait a second, then send it again.');
    }
  };

  const answer = async (req: IncomingMessage, origin: string, message: Inbound): Promise<ServerMessage> => {
    if (message.type === 'hello') {
      const opened = await openSession(services, origin, message.payload);
      const payload = { ...(await readyPayload(services, opened)), seq: 0 };
      return { type: 'session:ready', ...idOf(message.id), payload };
    }
    const session = await requireSession(req, origin);
    meter(session);
    return answerMessage(services, session, message);
  };

  return {
    async message(req, res, origin) {
      let message: Inbound | undefined;
      try {
        const bytes = await readBody(req, services.limits.messageBytes);
        message = readMessage(bytes.toString('utf8'));
        writeMessage(res, await answer(req, origin, message));
      } catch (error) {
        if (error instanceof DoorRefusal) throw error;
        writeMessage(res, errorMessage(error, message?.id, services.onFault));
      }
    },

    async events(req, res, origin) {
      let session: SessionRow;
      try {
        session = await requireSession(req, origin);
      } catch (error) {
        writeMessage(res, errorMessage(error, undefined, services.onFault));
        return;
      }
      res.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      });
      const channel = {
        send: (text: string) => void res.write(`data: ${text}\n\n`),
        close: () => void res.end(),
      };
      const connection = new Connection(session, channel, services.now);
      const keepAlive = setInterval(() => res.write(': still here\n\n'), KEEP_ALIVE_MS).unref();
      hub.add(connection);
      res.once('close', () => {
        clearInterval(keepAlive);
        hub.remove(connection);
      });
      await services.sessions.touch(session.id);
      const presence = await services.presence.of(session.organization_id, session.id);
      const hasMissed = connection.begin(await services.notes.ofSession(session.id), presence);
      if (hasMissed) connection.sync(await services.notes.ofSession(session.id));
    },

    async screenshot(req, res, origin) {
      try {
        const session = await requireSession(req, origin);
        meter(session);
        const bytes = await readBody(req, services.limits.screenshotBytes);
        const added = await services.screenshots.add(session, bytes, req.headers['content-type'] ?? '');
        writeJson(res, 201, added);
      } catch (error) {
        if (error instanceof DoorRefusal) throw error;
        writeMessage(res, errorMessage(error, undefined, services.onFault));
      }
    },
  };
}

function writeMessage(res: ServerResponse, message: ServerMessage): void {
  writeJson(res, message.type === 'error' ? STATUS_OF[message.payload.code] : 200, message);
}

function writeJson(res: ServerResponse, status: number, value: unknown): void {
  if (res.destroyed || res.headersSent) return;
  res.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  res.end(JSON.stringify(value));
}

async function readBody(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const limits = { ...DEFAULT_INBOUND_LIMITS, bodyBytes: maxBytes };
  return readBytes(req, limits, `The body has more than ${maxBytes} bytes.`).catch((error: unknown) => {
    throw error instanceof HttpRefusal ? new DoorRefusal(error.status, error.message) : error;
  });
}
