/** Owns a started server in which secrets are planted, and all that it has shown since. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Store, StoreEngine } from '@parley/store';
import { openStore } from '@parley/store';
import { scratchDatabase } from '@parley/store/testing';
import { expect, onTestFinished } from 'vitest';
import { message, post } from './mcp-messages.ts';
import { runParley, startParley } from './parley.ts';

type Content = Readonly<Record<string, unknown>>;

/** What came of calling a tool. */
interface Called {
  readonly isError: boolean;
  readonly text: string;
  readonly content: Content;
  readonly item: Content & { readonly id: string; readonly organization_id: string };
}

/** Starts a server that allows all that a secret could go through; it ends with the test. */
export async function startAviary(engine: StoreEngine) {
  const database = await scratchDatabase(engine);
  onTestFinished(() => database.remove());
  const { dataDir, databaseUrl } = database.options;
  const place = ['--data', dataDir, ...(databaseUrl === undefined ? [] : ['--database-url', databaseUrl])];
  const env = { PARLEY_ALLOW_EGRESS: '127.0.0.1', PARLEY_ALLOW_STDIO: '1' };
  const server = await startParley(dataDir, { args: ['--log-level', 'debug', ...place.slice(2)], env });
  onTestFinished(async () => {
    await server.stop();
  });
  const { key, url } = server;
  const planted: string[] = [];
  const shown: (readonly [where: string, text: string])[] = [];
  const show = (where: string, text: string) => {
    shown.push([where, text]);
    return text;
  };
  const keep = (secret: string) => {
    expect(secret.length).toBeGreaterThan(16);
    planted.push(secret);
    return secret;
  };
  const ask = async (
    name: string,
    input: object = {},
    headers: Record<string, string> = {},
  ): Promise<Called> => {
    const body = message(1, 'tools/call', { name, arguments: { ...input } });
    const { text, body: answer } = await post(`${server.mcp}/self`, key, body, headers);
    const { isError = answer.error !== undefined, structuredContent: content = {} } = answer.result ?? {};
    return { isError, text, content, item: content['item'] as Called['item'] };
  };
  keep(key.slice(-43));
  return {
    url,
    key,
    /** Takes what a server made up for a secret. */
    keep,
    /** A new secret that tells where it was planted. */
    plant: (where: string) => keep(`cnry${where}${planted.length}x8d41f0b7e2`),
    show,
    /** Calls a tool whose answer shows a secret rightly: for the only time, or to whom it belongs. */
    ask,
    /** Calls a tool whose answer must show none. */
    async call(name: string, input: object = {}, headers: Record<string, string> = {}) {
      const called = await ask(name, input, headers);
      show(name, called.text);
      return called;
    },
    async read(path: string, init: RequestInit = {}) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      return show(path, await (await fetch(`${url}${path}`, { headers, ...init })).text());
    },
    async parley(...given: string[]) {
      const { code, stdout, stderr } = await runParley([...given, ...place], { env });
      show(`the errors of ${given.join(' ')}`, stderr);
      return { code, stdout };
    },
    openStore: (): Promise<Store> => openStore(database.options),
    /** Ends the server and shows all that it wrote. */
    async stop() {
      const { stdout, stderr, code } = await server.stop();
      expect(code).toBe(0);
      show('stdout', stdout);
      show('stderr', stderr);
    },
    dataDir,
    /** Each secret that was shown or lies in a file, and where. */
    leaks() {
      const files = filesIn(dataDir).map((file) => [file, readFileSync(file)] as const);
      return planted.flatMap((secret) =>
        [...shown, ...files]
          .filter(([, content]) => content.includes(secret))
          .map(([where]) => `${secret} in ${where}`),
      );
    },
  };
}

export type Aviary = Awaited<ReturnType<typeof startAviary>>;

/** All files but those that are there to hold secrets: the keys, and the data of callers. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && !entry.name.endsWith('.key') && !entry.parentPath.endsWith('/databases'),
    )
    .map((entry) => join(entry.parentPath, entry.name));
}
