/** The servers of a text that a client keeps, over the network: nothing of this machine is filled in, and each becomes a connection. */
import type { Caller } from '@parley/kit';
import { ToolError } from '@parley/kit';
import { isThisMachine } from '@parley/kit/egress';
import type { ClientEntry, ClientKind } from '../client-files/entries.ts';
import { entriesIn, MOST_ENTRIES } from '../client-files/entries.ts';
import { wantedOf } from '../client-files/plan.ts';
import type { ClientValues, NeededValue } from '../client-files/variables.ts';
import { neededBy } from '../client-files/variables.ts';
import type { Wanted } from '../client-files/wanted.ts';
import { connectionData } from '../client-files/wanted.ts';
import type { ConnectionTables } from '../schema.ts';
import type { ConnectionCreate } from '../shapes/connection-data.ts';
import type { Connection } from '../shapes/connection.ts';
import type { Base } from './base.ts';
import type { Connections } from './connections.ts';
import { requireProgramRight } from './rights.ts';

/** What somebody pasted, and what to do with it. */
export interface ImportRequest {
  readonly text: string;
  readonly client: ClientKind;
  /** What the text leaves open, by the names of `needs`. */
  readonly values: Readonly<Record<string, string>>;
  /** The names of those that are meant; undefined: all. */
  readonly only: readonly string[] | undefined;
  readonly isReplacing: boolean;
  /** Each may reach the private address that it leads to. */
  readonly isPrivateAllowed: boolean;
  readonly isDry: boolean;
}

/** What became of one server, or would. */
export interface ImportLine {
  readonly name: string;
  readonly outcome:
    | 'added'
    | 'replaced'
    | 'would_add'
    | 'would_replace'
    | 'needs_values'
    | 'skipped'
    | 'failed';
  readonly type: string | null;
  /** Where it leads, without what may be secret in it. */
  readonly place: string | null;
  readonly needs: readonly NeededValue[];
  readonly id: string | null;
  readonly tools: number | null;
  /** Why it was left out, failed, or could not be asked. */
  readonly reason: string | null;
}

export type ImportServers = (caller: Caller, request: ImportRequest) => Promise<ImportLine[]>;

/** So many are made by one request, each of which waits for its server. */
const MOST_MADE = 20;
const AT_ONCE = 4;

export function createImportServers(base: Base, connections: Connections): ImportServers {
  return async (caller, request) => {
    const entries = chosen(entriesIn(request.text, { client: request.client, from: 'The text' }), request);
    const existing = await titlesOf(base, caller);
    const plans = planned(entries, { request, existing, base, caller });
    if (request.isDry) return plans.map(({ line }) => line);
    if (plans.filter(({ wanted }) => wanted !== undefined).length > MOST_MADE)
      throw new ToolError('invalid', `only: at most ${MOST_MADE} servers at once. Choose some of them.`);
    const lines: ImportLine[] = [];
    for (let at = 0; at < plans.length; at += AT_ONCE)
      lines.push(
        ...(await Promise.all(
          plans.slice(at, at + AT_ONCE).map((plan) => carriedOut(connections, caller, plan, request)),
        )),
      );
    return lines;
  };
}

function chosen(entries: readonly ClientEntry[], { only }: ImportRequest): readonly ClientEntry[] {
  if (entries.length > MOST_ENTRIES)
    throw new ToolError('invalid', `text: has more than ${MOST_ENTRIES} servers. Give it in parts.`);
  if (only === undefined) return entries;
  const unknown = only.find((name) => !entries.some((entry) => entry.name === name));
  if (unknown !== undefined)
    throw new ToolError('invalid', `only: there is no server "${unknown.slice(0, 100)}" in the text.`);
  return entries.filter(({ name }) => only.includes(name));
}

/** The ids of the connections by title; two of one title cannot be told apart. */
async function titlesOf({ store }: Base, { organizationId }: Caller): Promise<Map<string, string[]>> {
  const rows = await store
    .db<ConnectionTables>()
    .selectFrom('connections')
    .select(['id', 'title'])
    .where('organization_id', '=', organizationId)
    .where('is_virtual_mcp', '=', 0)
    .execute();
  const titles = Map.groupBy(rows, ({ title }) => title);
  return new Map([...titles].map(([title, found]) => [title, found.map(({ id }) => id)]));
}

interface Plan {
  /** What is told without doing anything. */
  readonly line: ImportLine;
  /** Undefined where nothing is to be done. */
  readonly wanted?: Wanted;
  readonly replacing?: string | undefined;
}

interface Planning {
  readonly request: ImportRequest;
  readonly existing: ReadonlyMap<string, readonly string[]>;
  readonly base: Base;
  readonly caller: Caller;
}

function planned(entries: readonly ClientEntry[], planning: Planning): Plan[] {
  const { values: given, isReplacing } = planning.request;
  const taken = new Set<string>();
  return entries.map((entry): Plan => {
    const { name } = entry;
    const needs = neededBy(entry);
    const bare = { name, type: null, place: writtenPlace(entry), needs, id: null, tools: null, reason: null };
    const end = (outcome: ImportLine['outcome'], reason: string): Plan => ({
      line: { ...bare, outcome, reason },
    });
    if (entry.fields['disabled'] === true) return end('skipped', 'It is switched off in the text.');
    if (taken.has(name)) return end('skipped', 'The name stands in the text twice.');
    taken.add(name);
    const [same, ...others] = planning.existing.get(name) ?? [];
    if (same !== undefined && !isReplacing) return end('skipped', 'There is a connection of this name.');
    if (others.length > 0) return end('failed', 'Several connections have this name.');
    const early = refusedUnread(entry, planning);
    if (early !== undefined) return end(early.outcome, early.reason);
    const open = needs.filter((need) => need.fallback === null && !Object.hasOwn(given, need.name));
    if (open.length > 0)
      return end(
        'needs_values',
        `It needs ${open.map((need) => need.description.slice(0, 100)).join(', ')}.`,
      );
    try {
      const wanted = wantedOf(withFolder(entry, given), valuesOf(given));
      if ('url' in wanted.to && isOwn(wanted.to.url, planning.base.ownPort?.())) return end(...ITSELF);
      const data = dataOf(wanted, planning.request);
      if (wanted.to.type === 'STDIO')
        requireProgramRight(planning.caller, planning.base.upstream, undefined, data.connection_headers);
      const outcome = same === undefined ? 'would_add' : 'would_replace';
      const line = { ...bare, outcome, type: wanted.to.type, place: placeOf(wanted) } as const;
      return { line, wanted, replacing: same };
    } catch (error) {
      return end('failed', reasonOf(error));
    }
  });
}

function valuesOf(given: Readonly<Record<string, string>>): ClientValues {
  const own = (name: string) => (Object.hasOwn(given, name) ? given[name] : undefined);
  const inputs = Object.entries(given).filter(([name]) => name.startsWith('input:'));
  return {
    variable: own,
    answers: new Map(inputs.map(([name, value]) => [name.slice('input:'.length), value])),
    home: own('userHome'),
  };
}

/** Folders of a text are somebody else's, unless its reader says which is meant. */
function withFolder(entry: ClientEntry, given: Readonly<Record<string, string>>): ClientEntry {
  return { ...entry, folder: Object.hasOwn(given, 'workspaceFolder') ? given['workspaceFolder'] : undefined };
}

/** Where an address leads in which nothing is left open. */
function writtenPlace({ fields: { url } }: ClientEntry): string | null {
  return typeof url === 'string' && !url.includes('${') ? pathOf(url) : null;
}

const ITSELF = ['skipped', 'It is Parley itself.'] as const;

/** What is known before anybody has filled in what the text leaves open. */
function refusedUnread(
  { fields }: ClientEntry,
  { base, caller }: Planning,
): (Pick<ImportLine, 'outcome'> & { readonly reason: string }) | undefined {
  const [outcome, reason] = ITSELF;
  const { command, args, url } = fields;
  if (typeof url === 'string' && isOwn(url, base.ownPort?.())) return { outcome, reason };
  if (typeof command !== 'string') return undefined;
  const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string');
  if (words.includes('mcp') && words.some((word) => PARLEY.test(word))) return { outcome, reason };
  try {
    requireProgramRight(caller, base.upstream, undefined, undefined);
    return undefined;
  } catch (error) {
    return { outcome: 'failed', reason: reasonOf(error) };
  }
}

const PARLEY = /(?:^|[\\/])parley(?:\.\w+)?$/;

/** The data that is stored; the permission for a private address is part of it. */
function dataOf(wanted: Wanted, { isPrivateAllowed }: ImportRequest): ConnectionCreate {
  const data = connectionData(wanted);
  if (!isPrivateAllowed || !('url' in wanted.to)) return data;
  return { ...data, metadata: { ...data.metadata, gateway: { allowPrivate: true } } };
}

function isOwn(address: string, ownPort: number | undefined): boolean {
  const url = URL.parse(address);
  if (url === null || ownPort === undefined) return false;
  return (
    Number(url.port || (url.protocol === 'https:' ? 443 : 80)) === ownPort && isThisMachine(url.hostname)
  );
}

function placeOf({ to }: Wanted): string {
  if ('program' in to) return to.program.command;
  return pathOf(to.url) ?? '';
}

function pathOf(address: string): string | null {
  const url = URL.parse(address);
  return url === null ? null : `${url.origin}${url.pathname}`;
}

async function carriedOut(
  connections: Connections,
  caller: Caller,
  plan: Plan,
  request: ImportRequest,
): Promise<ImportLine> {
  const { line, wanted, replacing } = plan;
  if (wanted === undefined) return line;
  try {
    const made = await kept(connections, caller, dataOf(wanted, request), replacing);
    return {
      ...line,
      outcome: replacing === undefined ? 'added' : 'replaced',
      id: made.id,
      tools: made.tools?.length ?? null,
      reason: made.catalog.last_error,
    };
  } catch (error) {
    return { ...line, outcome: 'failed', reason: reasonOf(error) };
  }
}

async function kept(
  connections: Connections,
  caller: Caller,
  { id: _chosen, ...data }: ConnectionCreate,
  replacing: string | undefined,
): Promise<Connection> {
  if (replacing === undefined) return connections.create(caller, data);
  // What the new description does not say is gone, and not kept from the old one.
  const cleared = { connection_url: null, connection_token: null, connection_headers: null };
  const changed = await connections.update(caller, replacing, { ...cleared, ...data });
  if (changed === undefined) throw new ToolError('not_found', 'The connection was deleted meanwhile.');
  return changed.item;
}

/** What a person has to know; anything else is a fault of this server. */
function reasonOf(error: unknown): string {
  if (!(error instanceof ToolError)) throw error;
  const { message } = error;
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${message.endsWith('.') ? '' : '.'}`;
}
