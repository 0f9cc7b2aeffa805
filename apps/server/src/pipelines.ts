/** Requests that come on a connection while one before them is not answered: they wait unstarted, and no more of them are read than a few. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Starts the work on a request. */
export type StartRequest = (req: IncomingMessage, res: ServerResponse) => void;

/** The connections of a server, each with one request in work at most. */
export interface Pipelines {
  /** Starts the request now, or when every answer before it is out. */
  take: StartRequest;
  /** Requests of a connection that wait. */
  waitingOn(socket: Socket): number;
  /** True when an answer that is written past Node would be the next one that this client expects. */
  isFree(socket: Socket): boolean;
  /** The URL of the request whose body is on its way; undefined when none is. */
  arrivingUrl(socket: Socket): string | undefined;
}

// Node parses what one read brought to its end, so more may wait; nothing further is read until they are few again.
const READ_AHEAD = 4;

const LATEST = Symbol('latest');
const WAITING = Symbol('waiting');

/** A connection with what is known about its requests. */
interface Line extends Socket {
  [LATEST]?: ServerResponse;
  [WAITING]?: number;
}

/** Creates the waiting lines in front of `start`; a connection whose requests come one by one has none. */
export function createPipelines(start: StartRequest): Pipelines {
  function wait(req: IncomingMessage, res: ServerResponse): void {
    const line: Line = req.socket;
    // Whatever resumes the socket: Node does when a body is read, or when a buffer is empty.
    if (line[WAITING] === undefined) line.on('resume', holdBack);
    line[WAITING] = (line[WAITING] ?? 0) + 1;
    holdBack.call(line);
    res.once('socket', () => {
      line[WAITING] = (line[WAITING] ?? 1) - 1;
      if (line[WAITING] === READ_AHEAD) line.resume();
      // Node still has to note whose turn it is. Whoever has left gets no work done.
      process.nextTick(() => {
        if (line.writable) start(req, res);
      });
    });
  }

  return {
    take(req, res) {
      const line: Line = req.socket;
      line[LATEST] = res;
      // Node gives the socket to the response whose turn it is.
      if (res.socket === null) wait(req, res);
      else start(req, res);
    },
    waitingOn: (socket: Line) => socket[WAITING] ?? 0,
    arrivingUrl: ({ [LATEST]: latest }: Line) =>
      latest?.req.complete === false ? latest.req.url : undefined,
    isFree(socket: Line) {
      const latest = socket[LATEST];
      if (latest === undefined) return true;
      if (latest.req.complete) return latest.writableFinished;
      return latest.socket !== null && !latest.headersSent;
    },
  };
}

function holdBack(this: Line): void {
  if ((this[WAITING] ?? 0) > READ_AHEAD) this.pause();
}
