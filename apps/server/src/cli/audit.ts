/** `parley audit`: who changed what and what was denied, as lines or as JSON. */
import { setTimeout as delay } from 'node:timers/promises';
import { agentToolset } from '@parley/agent';
import type { AuditFilter, AuditItem, AuditPlace } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { ToolError } from '@parley/kit';
import { loadConfig, UsageError } from '../config.ts';
import { printable } from '../printable.ts';
import type { Host } from '../start/host.ts';
import { deletedAgentsCalled } from './agent-names.ts';
import { connectionNames } from './connect/grants.ts';
import { callerNames, keyCalled, listableKeys } from './caller-names.ts';
import { MOST_LINES, parseLimit, parseTime } from './log-options.ts';
import type { Command } from './main.ts';
import { withCaller } from './session.ts';
import { onSignal } from './signals.ts';
import { fitted } from './table.ts';
import { writeToStdout } from './written-file.ts';

const USAGE =
  'Usage: parley audit [--follow] [--actor WHO] [--action NAME] [--target ID] [--denied] [--since 1h] [--until TIME] [--limit N]';
const PAGE = 500;
const LOOK_EVERY_MS = 500;
const WIDTHS = { time: 24, outcome: 7, actor: 30, action: 22 };

const FLAGS = {
  follow: 'switch',
  actor: 'text',
  action: 'text',
  target: 'text',
  denied: 'switch',
  since: 'text',
  until: 'text',
  limit: 'text',
} as const;

type Extras = Partial<Record<keyof typeof FLAGS, string | boolean | string[]>>;
type Show = (entry: AuditItem) => string;

/** Shows or follows entries. */
export const audit: Command = (args, toolsets) => {
  const { config, positionals, extras } = loadConfig(args, { extra: FLAGS, toolsets });
  if (positionals.length > 0) throw new UsageError(USAGE);
  const limit = parseLimit(extras.limit);
  const times = { since: parseTime('since', extras.since), until: parseTime('until', extras.until) };
  return withCaller(config, toolsets, async (host, caller) => {
    await requireAudit(caller);
    const filter = { ...times, ...(await filterOf(host, caller, extras)) };
    const show = config.json ? await jsonLine() : await lineWith(host, caller);
    if (!config.json) await writeToStdout(HEADER);
    if (extras.follow === true) await follow(host, caller, { filter, limit, show });
    else
      for await (const entries of newest(host, caller, filter, limit))
        await writeToStdout(entries.map(show).join(''));
    return 0;
  });
};

/** The newest entries, page by page. */
async function* newest(
  { identity }: Host,
  { organizationId }: Caller,
  filter: AuditFilter,
  limit: number,
): AsyncGenerator<AuditItem[]> {
  let before: AuditPlace | undefined;
  for (let left = limit; left > 0;) {
    const wanted = Math.min(PAGE, left);
    const page = await identity.audit.list(organizationId, { ...filter, before, limit: wanted });
    yield page;
    if (page.length < wanted) return;
    before = page.at(-1);
    left -= page.length;
  }
}

/** The newest ones with the oldest of them first, then what is added, until a signal. */
async function follow(
  host: Host,
  caller: Caller,
  { filter, limit, show }: { readonly filter: AuditFilter; readonly limit: number; readonly show: Show },
): Promise<void> {
  const after = (last?: number) =>
    host.identity.audit.after(caller.organizationId, { ...filter, after: last, limit: MOST_LINES });
  // Asked first: what is added while the newest are read has a higher number, and is among them or comes later.
  let { last } = await after();
  const found: AuditItem[] = [];
  for await (const entries of newest(host, caller, filter, limit)) found.push(...entries);
  await writeToStdout(found.toReversed().map(show).join(''));
  last = Math.max(last, ...found.map(({ seq }) => seq));
  const stop = new AbortController();
  onSignal(() => stop.abort());
  while (!stop.signal.aborted) {
    // Ends early, and without a fault, when it is told to stop.
    await delay(LOOK_EVERY_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    if (stop.signal.aborted) return;
    const added = await after(last);
    await writeToStdout(added.entries.map(show).join(''));
    ({ last } = added);
  }
}

async function requireAudit(caller: Caller): Promise<void> {
  const { mayReadAudit } = await import('@parley/mesh');
  if (mayReadAudit(caller)) return;
  throw new ToolError(
    'forbidden',
    'This key may not read the audit log; use one of an owner or administrator that has the grant self:audit_read.',
  );
}

async function filterOf(
  host: Host,
  caller: Caller,
  { actor, action, target, denied }: Extras,
): Promise<AuditFilter> {
  return {
    ...(typeof actor === 'string' && { actor: await actorOf(host, caller, actor) }),
    ...(typeof action === 'string' && { action }),
    ...(typeof target === 'string' && { target }),
    ...(denied === true && { outcome: 'denied' as const }),
  };
}

/** The id of a key, an agent or a person by what people call them; anything else is an id, maybe of one that is gone. */
async function actorOf(host: Host, caller: Caller, wanted: string): Promise<string> {
  const { organizationId } = caller;
  // First, since it stands for its keys, which may be called like it.
  const agent = await host.servicesOf(agentToolset).agents.find(organizationId, wanted);
  if (agent !== undefined) return agent.id;
  const key = keyCalled(await listableKeys(host, caller), wanted);
  if (key !== undefined) return key.id;
  const member = await host.identity.findMember(organizationId, wanted);
  if (member?.userId !== undefined) return member.userId;
  const [deleted] = await deletedAgentsCalled(host, organizationId, wanted);
  if (deleted !== undefined) return deleted.id;
  process.stderr.write(`No key, agent or member has the name or id "${printable(wanted)}".\n`);
  return wanted;
}

const HEADER = `${[
  'TIME'.padEnd(WIDTHS.time),
  'OUTCOME'.padEnd(WIDTHS.outcome),
  'ACTOR'.padEnd(WIDTHS.actor),
  'ACTION'.padEnd(WIDTHS.action),
  'TARGET',
].join('  ')}\n`;

/** An entry in aligned columns; what is different stands at the end. */
async function lineWith(host: Host, caller: Caller): Promise<Show> {
  const names = await callerNames(host, caller);
  const things = await connectionNames({ host, caller });
  const targetOf = (id: string) => {
    const name = things.get(id) ?? names.get(id);
    return name === undefined ? id : `${id} (${name})`;
  };
  return ({ at, outcome, callerId, action, target, changed }) => {
    const actor = names.get(callerId) ?? callerId;
    const columns = [
      new Date(at).toISOString().padEnd(WIDTHS.time),
      outcome.padEnd(WIDTHS.outcome),
      fitted(actor, WIDTHS.actor),
      printable(action).padEnd(WIDTHS.action),
      printable(targetOf(target)),
    ];
    if (Object.keys(changed).length > 0) columns.push(printable(JSON.stringify(changed)));
    return `${columns.join('  ')}\n`;
  };
}

async function jsonLine(): Promise<Show> {
  const { shownAuditEntry } = await import('@parley/mesh');
  return (entry) => `${JSON.stringify(shownAuditEntry(entry))}\n`;
}
