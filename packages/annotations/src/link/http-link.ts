/** The same link where WebSocket is blocked: messages by POST, news by an event stream, pictures by upload. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { DEFAULT_INBOUND_LIMITS, endOrDestroy, HttpRefusal, readBytes } from '@parley/http';
import { httpStatusOf, ToolError } from '@parley/kit';
import type { SessionRow } from '../schema.ts';
import type { AnnotationServices } from '../services/index.ts';
import type { Channel } from './connection.ts';
import { PageLink } from './connection.ts';
import { answerMessage, errorMessage, idOf } from './dispatch.ts';
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

const KEEP_ALIVE_MS = 15_000;

export function createHttpLink(services: AnnotationServices, hub: LinkHub): HttpLink {
  const find = (req: IncomingMessage, origin: string) =>
    knownSession(services, origin, req.headers.authorization);

  const requireSession = async (req: IncomingMessage, origin: string): Promise<SessionRow> =>
    (await find(req, origin)) ?? sayHello();

  const meter = (session: SessionRow): void => {
    const connections = hub.connectionsOf(session.id);
    for (const connection of connections) connection.heard();
    if (!hub.meter.take(session.id)) {
      if (hub.meter.noteViolation(session.id))
        for (const connection of connections) connection.close(CLOSE.tooMuch, 'Too many messages.');
      throw new ToolError('rate_limited', 'This page sends too fast. Wait a second, then send it again.');
    }
  };

  const answer = async (
    session: SessionRow | undefined,
    origin: string,
    message: Inbound,
  ): Promise<ServerMessage> => {
    if (message.type === 'hello') {
      const opened = await openSession(services, origin, message.payload);
      const payload = { ...(await readyPayload(services, opened)), seq: 0 };
      return { type: 'session:ready', ...idOf(message.id), payload };
    }
    if (session === undefined) return sayHello();
    meter(session);
    return answerMessage(services, session, message);
  };

  return {
    async message(req, res, origin) {
      let message: Inbound | undefined;
      try {
        const session = await find(req, origin);
        // A page that has not said hello yet has nothing longer to say.
        const { helloBytes, messageBytes } = services.limits;
        const bytes = await readBody(req, session === undefined ? helloBytes : messageBytes);
        message = readMessage(bytes.toString('utf8'));
        writeMessage(res, await answer(session, origin, message));
      } catch (error) {
        if (error instanceof HttpRefusal) throw error;
        writeMessage(res, errorMessage(error, message?.id, services.onFault));
      }
    },

    async events(req, res, origin) {
      let connection: PageLink;
      try {
        connection = new PageLink(await requireSession(req, origin), channelOf(res), services.now);
        // A page that has left already never closes again, and would stay connected for ever.
        if (res.destroyed) return;
        hub.add(connection);
      } catch (error) {
        writeMessage(res, errorMessage(error, undefined, services.onFault));
        return;
      }
      const { session } = connection;
      hub.unread.guard(res);
      res.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      });
      const keepAlive = setInterval(() => res.write(': still here\n\n'), KEEP_ALIVE_MS).unref();
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
        if (error instanceof HttpRefusal) throw error;
        writeMessage(res, errorMessage(error, undefined, services.onFault));
      }
    },
  };
}

function sayHello(): never {
  throw new ToolError('unauthorized', 'Say hello first, then send the session token with every request.');
}

function channelOf(res: ServerResponse): Channel {
  return {
    send: (text) => res.write(`data: ${text}\n\n`),
    close: () => endOrDestroy(res),
  };
}

function writeMessage(res: ServerResponse, message: ServerMessage): void {
  writeJson(res, message.type === 'error' ? statusOf(message.payload.code) : 200, message);
}

function writeJson(res: ServerResponse, status: number, value: unknown): void {
  if (res.destroyed || res.headersSent) return;
  res.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  res.end(JSON.stringify(value));
}

/** Codes of the link are the shared ones of tools, and one for pages that have not said hello. */
function statusOf(code: LinkErrorCode): number {
  return code === 'unauthorized' ? 401 : httpStatusOf(code);
}

function readBody(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const limits = { ...DEFAULT_INBOUND_LIMITS, bodyBytes: maxBytes };
  return readBytes(req, limits, `The body has more than ${maxBytes} bytes.`);
}
