/** Owns the life of a bench server process: its flags, its ready line, its control lines and its end. */
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
// by its file, so that the anchors do not load the kit
import { detach } from '../../packages/kit/src/detach.ts';

/** What a bench server says in its first line; fields beyond these are its own. */
export interface ReadyLine {
  url: string;
  key: string;
}

/** What a server can add to the control lines it answers. */
export interface Serving {
  close: () => Promise<void> | void;
  records?: () => Promise<number>;
  /** Control lines of its own by their first word; the rest of the line is the argument. */
  commands?: Readonly<Record<string, (argument: string) => Promise<object> | object>>;
}

const EARLY_END_MS = 200;

/** The flags every bench server takes. */
export function serveOptions(): { tools: number; port: number } {
  const { values } = parseArgs({
    strict: false,
    options: { tools: { type: 'string' }, port: { type: 'string' } },
  });
  return { tools: Number(values.tools ?? 100), port: Number(values.port ?? 0) };
}

/** A fault makes what is measured worthless, so it ends the process. */
export function fail(error: unknown): void {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
}

/** Prints the ready line, answers `memory` and `records` on stdin, and ends with stdin or on a signal. */
export function announce(ready: ReadyLine, serving: Serving): void {
  const startedMs = performance.now();
  let isEnding = false;
  const end = async () => {
    if (isEnding) return;
    isEnding = true;
    await serving.close();
    process.exit(0);
  };
  process.once('SIGTERM', () => detach(end(), fail));
  process.once('SIGINT', () => detach(end(), fail));
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => detach(answer(line.trim(), serving), fail));
  lines.on('close', () => {
    // an input that ends at once was never held open by anyone
    if (performance.now() - startedMs > EARLY_END_MS) detach(end(), fail);
  });
  process.stdout.write(`${JSON.stringify({ ...ready, pid: process.pid })}\n`);
}

async function answer(line: string, serving: Serving): Promise<void> {
  if (line === 'memory') return say(memoryAfterCollection());
  if (line === 'records') return say({ records: (await serving.records?.()) ?? null });
  const [name = '', argument = ''] = line.split(' ', 2);
  const command = serving.commands?.[name];
  if (command) return say(await command(argument));
  const known = ['memory', 'records', ...Object.keys(serving.commands ?? {})].join(', ');
  say({ error: `Unknown control line "${line}". Send one of: ${known}.` });
}

/** How a collection is asked for; unknown fields are ignored by older releases of Node. */
type Collect = (how?: { type: 'major'; execution: 'sync'; flavor: 'regular' | 'last-resort' }) => void;

/** The garbage collector of this process, without a flag on its command line. */
export function collector(): Collect {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  // the flag above makes this V8's own function
  return typeof collect === 'function' ? (collect as Collect) : () => undefined;
}

function memoryAfterCollection() {
  const collect = collector();
  for (let pass = 0; pass < 3; pass++) collect();
  const timers = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  return { rssBytes: process.memoryUsage.rss(), timers };
}

function say(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
