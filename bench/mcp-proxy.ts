/** Owns mcp-proxy, the other way to put a stdio server behind HTTP: started where it is installed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pinned } from './machine.ts';

export interface McpProxy {
  url: string;
  pid: number;
  stop: () => Promise<void>;
}

const SCRIPT = new URL('../test/tools/node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs', import.meta.url);
const START_LIMIT_MS = 15_000;

/** Starts it before a program; undefined where it is not installed. */
export async function startMcpProxy(program: string[], core?: number): Promise<McpProxy | undefined> {
  if (!existsSync(SCRIPT)) return undefined;
  const port = await freePort();
  const args = [fileURLToPath(SCRIPT), '--port', String(port), '--host', '127.0.0.1', '--', ...program];
  const child = spawn(...pinned(core, process.execPath, args), { stdio: 'ignore' });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}/mcp`;
  const stop = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  const limitMs = performance.now() + START_LIMIT_MS;
  while (!(await isListening(url))) {
    if (performance.now() > limitMs || child.exitCode !== null) {
      await stop();
      throw new Error('mcp-proxy did not start.');
    }
    await pause(50);
  }
  return { url, pid: child.pid ?? 0, stop };
}

async function isListening(url: string): Promise<boolean> {
  try {
    await (await fetch(url, { method: 'DELETE' })).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a listening TCP server has a port
  server.close();
  await once(server, 'close');
  return port;
}
