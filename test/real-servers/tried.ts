/** Owns the trial of one server: connected by the command, used by a client of each era, removed, and nothing left of it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { goOn } from '@parley/test-support/oauth-provider';
import { descendantsOf, isThere, processesMarked } from '@parley/test-support/processes';
import type { SdkForeignClient } from '../clients/sdk-clients.ts';
import { sdkV1, sdkV2 } from '../clients/sdk-clients.ts';
import type { Server } from '../product/parley.ts';
import { runParley } from '../product/parley.ts';
import type { Ground, RealServer } from './servers.ts';

/** What came of a trial; a fault is the sentence that says what went wrong. */
export interface Tried {
  readonly server: RealServer;
  readonly tools: number;
  /** By the era of the client. */
  readonly clients: Readonly<Record<'2025' | '2026', string>>;
  readonly faults: readonly string[];
}

/** Longer than it takes to end a program that does not want to end. */
const GONE_MS = 15_000;
const LOOK_EVERY_MS = 100;
const KNOWN_MS = 20_000;

const CLIENTS = { '2025': sdkV1, '2026': sdkV2 } as const;

interface Shown {
  readonly id: string;
  readonly tools: readonly string[] | null;
  readonly error: string | null;
}

/** Tries one server; every step that fails is told, and what was made is taken away again. */
export async function tryServer(parley: Server, server: RealServer, home: string): Promise<Tried> {
  const word = `trial-${process.pid}-${Date.now()}`;
  const ground: Ground = { folder: join(home, word), mark: { PARLEY_TRIAL: word } };
  mkdirSync(ground.folder);
  const faults: string[] = [];
  const clients = { '2025': 'not tried', '2026': 'not tried' };
  let tools = 0;
  const note = (error: unknown) => faults.push(error instanceof Error ? error.message : String(error));
  const env = { HOME: home, PARLEY_DATA: parley.data, PARLEY_ALLOW_EGRESS: 'localhost' };
  const connect = async <Output>(...args: string[]): Promise<Output> => {
    // Flags stand before the program of a connection, whose own begin with dashes too.
    const { code, stdout, stderr } = await runParley(['connect', args[0] ?? '', '--json', ...args.slice(1)], {
      env,
    });
    if (code !== 0) throw new Error(`connect ${args[0] ?? ''} ended with ${code}: ${stderr}${stdout}`);
    return JSON.parse(stdout) as Output;
  };

  const reached = await server.start(ground);
  try {
    const made = await connect<Shown>('add', 'trial', '--pinning', 'strict', ...reached.add);
    let known = made.tools;
    try {
      if (server.isGuarded === true) {
        await authorise((await connect<{ url: string }>('authorise', 'trial')).url);
        known = await toolsOnceKnown(() => connect('tools', 'trial'));
      }
      tools = known?.length ?? 0;
      if (known?.includes(server.tool) !== true)
        note(`${server.tool} is not among its tools: ${made.error ?? known?.join(', ') ?? 'none are known'}`);
      for (const era of ['2025', '2026'] as const) {
        try {
          clients[era] = await use(
            CLIENTS[era],
            { url: `${parley.mcp}/${made.id}`, key: parley.key },
            server,
            ground,
          );
        } catch (error) {
          clients[era] = 'failed';
          note(`${era} client: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
    } finally {
      await checkRemoval(
        parley,
        { word, isProgram: server.by === 'stdio' },
        () => connect('remove', 'trial'),
        note,
      );
    }
  } catch (error) {
    note(error);
  } finally {
    await reached.close?.();
  }
  return { server, tools, clients, faults };
}

/** Lists, calls and reads with one client; gives the words for the table. */
async function use(
  client: SdkForeignClient,
  endpoint: { readonly url: string; readonly key: string },
  server: RealServer,
  ground: Ground,
): Promise<string> {
  const connection = await client.overHttp(endpoint);
  try {
    if (connection.era() !== client.era) throw new Error(`it settled on the era ${String(connection.era())}`);
    const names = await connection.listTools();
    if (!names.includes(server.tool)) throw new Error(`it does not see ${server.tool}: ${names.join(', ')}`);
    const text = await connection.call(server.tool, server.arguments(ground));
    if (!server.answer.test(text)) throw new Error(`${server.tool} answered ${text.slice(0, 300)}`);
    await server.also?.(connection);
    return 'passed';
  } finally {
    await connection.close();
  }
}

/** What a browser does: it goes on from the page of Parley, is asked nothing more, and comes back. */
async function authorise(start: string): Promise<void> {
  const { url, cookie } = await goOn(start);
  const sent = await fetch(url, { redirect: 'manual' });
  const back = sent.headers.get('location') ?? '';
  const answer = await fetch(back, { headers: { cookie } });
  const page = await answer.text();
  if (!answer.ok || !page.includes('You can close this window'))
    throw new Error(`The authorization ended with ${answer.status}: ${page.slice(0, 300)}`);
}

async function toolsOnceKnown(
  ask: () => Promise<{ tools: { name: string }[] | null }>,
): Promise<string[] | null> {
  const untilMs = performance.now() + KNOWN_MS;
  for (;;) {
    const { tools } = await ask();
    if (tools !== null || performance.now() > untilMs) return tools?.map(({ name }) => name) ?? null;
    await delay(LOOK_EVERY_MS);
  }
}

async function checkRemoval(
  { child }: Server,
  { word, isProgram }: { readonly word: string; readonly isProgram: boolean },
  remove: () => Promise<unknown>,
  note: (fault: string) => void,
): Promise<void> {
  const below = descendantsOf(child.pid ?? 0);
  if (isProgram && below.length === 0) note('No program ran for it.');
  await remove();
  const left = () => [...below.filter(isThere), ...(isProgram ? processesMarked(word) : [])];
  const untilMs = performance.now() + GONE_MS;
  while (left().length > 0 && performance.now() < untilMs) await delay(LOOK_EVERY_MS);
  if (left().length > 0) note(`${left().length} processes were left after it was removed.`);
}
