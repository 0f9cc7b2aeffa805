/** Owns the feedback requests over REST: reads one after another, votes over many connections. */
import { Agent, request } from 'node:http';

/** Where to send. */
export interface Endpoint {
  url: string;
  key: string;
}

const CONNECTIONS = 16;

/** Reads paths over one connection; gives how long each took. */
export async function readOverRest(endpoint: Endpoint, paths: readonly string[]): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const timesMs: number[] = [];
  try {
    for (const path of paths) {
      const startedMs = performance.now();
      const text = await send(endpoint, agent, 'GET', path);
      timesMs.push(performance.now() - startedMs);
      // parsed JSON has no type of its own; the field is compared at once
      const { data } = JSON.parse(text) as { data?: unknown };
      if (!Array.isArray(data)) throw new Error(`GET ${path} did not answer a list: ${text.slice(0, 300)}`);
    }
  } finally {
    agent.destroy();
  }
  return timesMs;
}

/** Puts to paths over many connections; gives how many were answered per second. */
export async function putOverRest(endpoint: Endpoint, paths: readonly string[]): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let next = 0;
  const keepPutting = async () => {
    for (let path = paths[next++]; path !== undefined; path = paths[next++])
      await send(endpoint, agent, 'PUT', path);
  };
  const startedMs = performance.now();
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, keepPutting));
  } finally {
    agent.destroy();
  }
  return Math.round((paths.length / (performance.now() - startedMs)) * 1000);
}

function send({ url, key }: Endpoint, agent: Agent, method: string, path: string): Promise<string> {
  const headers = { Accept: 'application/json', Authorization: `Bearer ${key}` };
  return new Promise((resolve, reject) => {
    const req = request(`${url}${path}`, { method, agent, headers }, (res) => {
      let text = '';
      res.setEncoding('utf8');
      res.on('data', (chunk: string) => (text += chunk));
      res.on('error', reject);
      res.on('end', () => {
        if (res.statusCode === 200) resolve(text);
        else reject(new Error(`${method} ${path} answered HTTP ${res.statusCode}: ${text.slice(0, 300)}`));
      });
    });
    req.on('error', reject);
    req.end();
  });
}
