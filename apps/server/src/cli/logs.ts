/** `parley logs`: what was called, by whom and how it ended, as lines, as JSON, or into a file. */
import { extname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { agentToolset } from '@parley/agent';
import type { LogEntry } from '@parley/mesh';
import type { Caller } from '@parley/kit';
import { ToolError } from '@parley/kit';
import type { RecordFilter, RecordLog } from '@parley/store';
import { loadConfig, UsageError } from '../config.ts';
import { printable } from '../printable.ts';
import type { Host } from '../start/host.ts';
import { deletedAgentsCalled, noSuchAgent } from './agent-names.ts';
import { callerNames, keyCalled, listableKeys } from './caller-names.ts';
import { headerOf, lineOf } from './log-lines.ts';
import { MOST_LINES, parseLimit, parseTime } from './log-options.ts';
import type { Command } from './main.ts';
import { withCaller } from './session.ts';
import { onSignal } from './signals.ts';
import type { WriteText } from './written-file.ts';
import { intoNewFile, writeToStdout } from './written-file.ts';

const USAGE =
  'Usage: parley logs [export FILE.jsonl|FILE.csv] [--follow] [--tool NAME] [--caller KEY] [--agent NAME] [--error] [--since 1h] [--limit N]';
const TOOL = 'MONITORING_LOGS_LIST';
const PAGE = 500;
const LOOK_EVERY_MS = 500;

const FLAGS = {
  follow: 'switch',
  tool: 'text',
  caller: 'text',
  agent: 'text',
  error: 'switch',
  since: 'text',
  limit: 'text',
} as const;

type Extras = Partial<Record<keyof typeof FLAGS, string | boolean | string[]>>;

/** Shows, follows or exports records. */
export const logs: Command = async (args, toolsets) => {
  const { config, positionals, extras } = loadConfig(args, { extra: FLAGS, toolsets });
  const [action, path, ...rest] = positionals;
  const isExport = action === 'export' && path !== undefined && rest.length === 0;
  if (positionals.length > 0 && !isExport) throw new UsageError(USAGE);
  const limit = parseLimit(extras.limit);
  const since = parseTime('since', extras.since);
  const format = isExport ? formatOf(path) : undefined;
  return withCaller(config, toolsets, async (host, caller) => {
    requireLogs(host, caller);
    const source = new LogSource(host, caller, await filterOf(host, caller, extras, since));
    if (isExport && format !== undefined) {
      const count = await intoNewFile(path, (write) => exportAll(source, format, write));
      const text = `Exported ${count} records to ${path}.\n`;
      process.stdout.write(config.json ? `${JSON.stringify({ file: path, records: count })}\n` : text);
      return 0;
    }
    const names = config.json ? new Map<string, string>() : await callerNames(host, caller);
    const show = (entry: LogEntry) => (config.json ? `${JSON.stringify(entry)}\n` : lineOf(entry, names));
    if (!config.json) await writeToStdout(headerOf());
    let last = await source.newest(limit, (entry) => writeToStdout(show(entry)));
    if (extras.follow !== true) return 0;
    const stop = new AbortController();
    onSignal(() => stop.abort());
    while (!stop.signal.aborted) {
      // Ends early, and without a fault, when it is told to stop.
      await delay(LOOK_EVERY_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      if (!stop.signal.aborted) last = await source.after(last, (entry) => writeToStdout(show(entry)));
    }
    return 0;
  });
};

type Take = (entry: LogEntry) => Promise<void>;

/** The records that are asked for, as entries of the log. */
class LogSource {
  readonly #records: RecordLog;
  readonly #filter: RecordFilter;
  readonly #host: Host;
  readonly #organizationId: string;

  constructor(host: Host, { organizationId }: Caller, filter: RecordFilter) {
    this.#records = host.store.records;
    this.#filter = filter;
    this.#host = host;
    this.#organizationId = organizationId;
  }

  /** The newest, oldest of them first; returns the last id. */
  async newest(limit: number, take: Take): Promise<number> {
    return this.#take(await this.#records.listDetailed({ ...this.#filter, limit }), 0, take);
  }

  /** Those that came after an id; returns the last id. */
  async after(id: number, take: Take): Promise<number> {
    const query = { ...this.#filter, limit: MOST_LINES, after: id };
    return this.#take(await this.#records.listDetailed(query), id, take);
  }

  /** All of them, newest first. */
  async *pages(): AsyncGenerator<LogEntry[]> {
    for (let before: number | undefined; ;) {
      const query = { ...this.#filter, limit: PAGE, ...(before !== undefined && { before }) };
      const page = await this.#records.listDetailed(query);
      yield await this.#entries(page);
      if (page.length < PAGE) return;
      before = page.at(-1)?.id;
    }
  }

  async #take(found: Awaited<ReturnType<RecordLog['listDetailed']>>, last: number, take: Take) {
    for (const entry of await this.#entries(found.toReversed())) await take(entry);
    return found[0]?.id ?? last;
  }

  async #entries(found: Awaited<ReturnType<RecordLog['listDetailed']>>): Promise<LogEntry[]> {
    const { createTitles, logEntry } = await import('@parley/mesh');
    const { store, engine } = this.#host;
    const titles = await createTitles({ store, engine })(
      this.#organizationId,
      found.map(({ toolset }) => toolset),
    );
    return found.map((record) => logEntry(record, titles.get(record.toolset) ?? null));
  }
}

async function exportAll(source: LogSource, format: 'csv' | 'jsonl', write: WriteText): Promise<number> {
  let count = 0;
  const { header, line } = (await import('@parley/mesh')).LOG_LINES[format];
  if (header !== '') await write(header);
  for await (const entries of source.pages()) {
    if (entries.length > 0) await write(entries.map(line).join(''));
    count += entries.length;
  }
  return count;
}

/** Whoever may list the log with the tool may read it here. */
function requireLogs(host: Host, caller: Caller): void {
  if (host.engine().explain(caller, TOOL) === undefined) return;
  throw new ToolError('forbidden', `This key may not read the logs; use one that may use ${TOOL}.`);
}

async function filterOf(
  host: Host,
  caller: Caller,
  { tool, caller: wanted, agent, error }: Extras,
  since: number | undefined,
): Promise<RecordFilter> {
  const callerId = typeof wanted === 'string' ? await callerIdOf(host, caller, wanted) : undefined;
  const callerIds = typeof agent === 'string' ? await idsOfAgent(host, caller, agent) : undefined;
  return {
    organizationId: caller.organizationId,
    ...(typeof tool === 'string' && { tool }),
    ...(callerId !== undefined && { callerId }),
    ...(callerIds !== undefined && { callerIds }),
    ...(error === true && { isError: true }),
    ...(since !== undefined && { since }),
  };
}

/** The id of a key by its id, its public id or its name; anything else is taken as it is. */
async function callerIdOf(host: Host, caller: Caller, wanted: string): Promise<string> {
  const found = keyCalled(await listableKeys(host, caller), wanted);
  if (found === undefined)
    process.stderr.write(`No key that you may list has the name or id "${printable(wanted)}".\n`);
  return found?.id ?? wanted;
}

/** Under which ids an agent acts: its own, where nobody holds a key, and those of its keys, old ones too. */
async function idsOfAgent(host: Host, caller: Caller, name: string): Promise<string[]> {
  const { organizationId } = caller;
  const agent = await host.servicesOf(agentToolset).agents.find(organizationId, name);
  const agents =
    agent === undefined ? await deletedAgentsCalled(host, organizationId, name) : [{ id: agent.id }];
  if (agents.length === 0) throw await noSuchAgent(host, organizationId, name);
  const ids = agents.map(({ id }) => id);
  const keys = await listableKeys(host, caller);
  const own = keys.filter(({ agentId }) => agentId !== null && ids.includes(agentId));
  return [...ids, ...own.map(({ id }) => id)];
}

function formatOf(path: string): 'csv' | 'jsonl' {
  const ending = extname(path).toLowerCase();
  if (ending === '.csv') return 'csv';
  if (ending === '.jsonl') return 'jsonl';
  throw new UsageError(`The file must have a name that ends in .jsonl or .csv (got "${path}"). ${USAGE}`);
}
