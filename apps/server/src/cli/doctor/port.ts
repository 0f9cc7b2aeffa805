/** Is the port free, or is Parley itself on it. */
import { createServer } from 'node:net';
import { createEgress } from '@parley/kit/egress';
import type { Config } from '../../config.ts';
import type { Check } from '../../health/check.ts';

/** Tries the port of the configuration. */
export async function checkPort({ host, port }: Config): Promise<Check> {
  const name = 'port';
  if (port === 0) return { name, state: 'ok', found: 'a free one is picked at start' };
  const problem = await tryListen(host, port);
  if (problem === undefined) return { name, state: 'ok', found: `${host}:${port} is free` };
  if (problem === 'EADDRINUSE' && (await isParley(host, port))) {
    return { name, state: 'ok', found: `Parley is running on ${host}:${port}` };
  }
  const found =
    problem === 'EADDRINUSE'
      ? `another program is on ${host}:${port}`
      : `${host}:${port} cannot be used (${problem})`;
  return { name, state: 'fail', found, fix: 'Stop that program, or choose another port with --port.' };
}

function tryListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

/** True when a Parley answers there. */
export async function isParley(host: string, port: number): Promise<boolean> {
  const egress = createEgress({ allow: [`${host}:${port}`], limits: { totalTimeoutMs: 2000 } });
  try {
    const answer = await egress.fetch(`http://${host}:${port}/health`);
    return (await answer.text()) === '{"status":"ok"}';
  } catch {
    return false;
  } finally {
    await egress.close();
  }
}
