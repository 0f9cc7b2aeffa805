/** A plain balancer: round robin over the servers that say they are ready, nothing sticky, nothing sent twice. */
import { Agent, createServer, get, request } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { listening } from '@parley/test-support/listening';

export interface Balancer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  add(url: string): void;
  remove(url: string): void;
  /** How many it would send requests to. */
  ready(): number;
  isReady(url: string): boolean;
}

interface Member {
  readonly url: string;
  isReady: boolean;
}

const LOOK_EVERY_MS = 100;
const KEEP_MS = 10 * 60_000;
/** A machine that is busy with other things makes nobody unready. */
const PATIENCE_MS = 20_000;

export async function startBalancer(): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const members = new Map<string, Member>();
  let turn = 0;

  const next = (): Member | undefined => {
    const ready = [...members.values()].filter(({ isReady }) => isReady);
    turn += 1;
    return ready[turn % ready.length];
  };
  const pass = (req: IncomingMessage, res: ServerResponse) => {
    const member = next();
    const fail = (why: string) => {
      if (res.headersSent) res.destroy();
      else res.writeHead(502).end(`The balancer reached nobody: ${why}`);
    };
    if (member === undefined) return fail('nobody is ready');
    const { method, url, headers } = req;
    const onward = request(`${member.url}${url}`, { method, headers, agent }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      res.flushHeaders();
      answer.on('error', () => res.destroy());
      answer.pipe(res);
    });
    onward.on('error', ({ message }) => fail(`${member.url} ${message}`));
    res.on('close', () => onward.destroy());
    req.on('error', () => onward.destroy());
    return req.pipe(onward);
  };
  const look = (member: Member) => {
    const asked = get(`${member.url}/ready`, { agent: false, timeout: PATIENCE_MS }, (answer) => {
      answer.resume();
      member.isReady = answer.statusCode === 200;
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => {
      member.isReady = false;
    });
  };
  const server = createServer(pass);
  // Clients keep their connections; one that is closed just when it is used again would be a fault of ours.
  server.keepAliveTimeout = KEEP_MS;
  const looking = setInterval(() => members.forEach(look), LOOK_EVERY_MS);
  const { url, port, ...rest } = await listening(server);
  return {
    url,
    port,
    add(to) {
      members.set(to, { url: to, isReady: false });
    },
    remove(from) {
      members.delete(from);
    },
    ready: () => [...members.values()].filter(({ isReady }) => isReady).length,
    isReady: (url) => members.get(url)?.isReady === true,
    async [Symbol.asyncDispose]() {
      clearInterval(looking);
      await rest[Symbol.asyncDispose]();
      agent.destroy();
    },
  };
}
