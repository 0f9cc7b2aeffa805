/** `parley keys`: API keys are made, listed, revoked and recovered here. */
import type { KeyInfo, KeyRole } from '@parley/identity';
import { isRank } from '@parley/identity';
import type { Caller, Grants } from '@parley/kit';
import { mayAdminister } from '@parley/kit';
import { commandWord, loadConfig, UsageError } from '../config.ts';
import type { Host } from '../start/host.ts';
import { printable } from '../printable.ts';
import { connectionNames, storingGrants, virtualNote, withConnectionIds } from './connect/grants.ts';
import { parseGrants, showGrants } from './grants-text.ts';
import type { Command } from './main.ts';
import { withCaller } from './session.ts';
import { table } from './table.ts';

type KeysCommand = (
  host: Host,
  caller: Caller,
  rest: readonly string[],
) => Promise<{ json: unknown; text: string }>;

const USAGE =
  'Usage: parley keys create NAME [--grant TOOLSET_OR_CONNECTION:TOOL,...] [--role ROLE] [--expires 30d] | list | revoke ID_OR_NAME | recover';

/** Runs one of the key commands. */
export const keys: Command = async (args, toolsets) => {
  const { config, positionals, extras } = loadConfig(args, {
    extra: { grant: 'list', expires: 'text', role: 'text' },
    toolsets,
  });
  const [action = '', ...rest] = positionals;
  const actions: Record<string, KeysCommand> = {
    create: async (host, caller, [name]) => {
      const wanted = parseGrants(extras.grant);
      const resolved = wanted && (await withConnectionIds({ host, caller }, wanted));
      const power = await powerOf(host, caller, { role: extras.role, grants: resolved?.grants });
      const note = resolved && virtualNote(resolved);
      return create(host, caller, name, { ...power, expiresAt: parseExpiry(extras.expires), note });
    },
    list: (host, caller) => list(host, caller),
    revoke: (host, caller, [id]) => revoke(host, caller, id),
  };
  if (action === 'recover' && rest.length === 0)
    return (await import('./recover.ts')).recover(config, toolsets);
  const run = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (run === undefined) throw new UsageError(USAGE);
  return withCaller(config, toolsets, async (host, caller) => {
    const { json, text } = await run(host, caller, rest);
    process.stdout.write(`${config.json ? JSON.stringify(json) : text}\n`);
    return 0;
  });
};

async function create(
  host: Host,
  caller: Caller,
  name: string | undefined,
  {
    grants,
    role,
    expiresAt,
    note,
  }: Power & { readonly expiresAt: number | null; readonly note: string | undefined },
) {
  if (name === undefined) throw new UsageError(USAGE);
  const { info, text: key } = await storingGrants({ host, caller }, () =>
    host.identity.createKey(caller, {
      name,
      grants: grants ?? caller.grants,
      expiresAt,
      ...(role !== undefined && { role }),
    }),
  );
  const most = role === undefined ? 'its maker' : `a ${role}`;
  const names = grants === undefined ? undefined : await connectionNames({ host, caller });
  const power =
    grants === undefined ? `do what ${most} may do` : `use: ${showGrants(info.grants, host, names)}`;
  const lines = [`Key "${printable(info.name)}" (${info.publicId}) may ${printable(power)}`];
  if (note !== undefined) lines.push(note);
  lines.push(`Expires: ${showTime(info.expiresAt)}`, 'This is the only time the key is shown:', '', key);
  return { json: { ...show(info), key }, text: lines.join('\n') };
}

/** What narrows a new key; neither: as its maker. */
interface Power {
  readonly grants: Grants | undefined;
  readonly role?: KeyRole;
}

/** From a role to what it means for a key: a built-in one is a rank, one of the organization is its grants. */
async function powerOf(
  host: Host,
  { organizationId }: Caller,
  { role, grants }: { readonly role: unknown; readonly grants: Grants | undefined },
): Promise<Power> {
  if (typeof role !== 'string') return { grants };
  if (isRank(role)) return { grants, role };
  const custom = (await host.identity.roles.list(organizationId)).find(({ name }) => name === role);
  if (custom === undefined)
    throw new UsageError(
      `--role: there is no role "${role}" for keys. Give admin, member, user, or one that "${commandWord()} roles list" shows; without --role a key may do everything its owner may.`,
    );
  if (grants !== undefined) throw new UsageError(`--role ${role} gives its grants, so leave --grant away.`);
  return { grants: custom.grants };
}

async function list(host: Host, caller: Caller) {
  const found = await host.identity.listKeys(caller, { all: mayAdminister(caller) });
  const members = await host.identity.listMembers(caller.organizationId);
  const names = new Map(members.map(({ userId, name }) => [userId, name]));
  const connections = await connectionNames({ host, caller });
  // The keys of somebody who left are kept; their name is not.
  const ownerOf = ({ userId }: KeyInfo) => ({ id: userId, name: names.get(userId) ?? null });
  const rows = found.map((key) => [
    key.publicId,
    key.name,
    ownerOf(key).name ?? key.userId,
    stateOf(key),
    showTime(key.expiresAt),
    showTime(key.lastUsedAt),
    showGrants(key.grants, host, connections),
  ]);
  return {
    json: found.map((key) => ({ ...show(key), owner: ownerOf(key) })),
    text: table(['ID', 'NAME', 'OWNER', 'STATE', 'EXPIRES', 'LAST USED', 'GRANTS'], rows),
  };
}

async function revoke(host: Host, caller: Caller, id: string | undefined) {
  if (id === undefined) throw new UsageError(USAGE);
  const info = await host.identity.revokeKey(caller, await idOf(host, caller, id));
  return { json: show(info), text: `Key "${printable(info.name)}" (${info.publicId}) is revoked.` };
}

/** The id of the key that is meant: by id, by public id, or by a name that only one active key has. */
async function idOf(host: Host, caller: Caller, given: string): Promise<string> {
  const found = await host.identity.listKeys(caller, { all: mayAdminister(caller) });
  if (found.some(({ id, publicId }) => id === given || publicId === given)) return given;
  const named = found.filter((key) => key.name === given && stateOf(key) === 'active');
  if (named.length < 2) return named[0]?.id ?? given;
  const ids = named.map(({ publicId }) => publicId).join(', ');
  throw new UsageError(`Several keys have the name "${given}". Give the id of one: ${ids}`);
}

function stateOf(key: KeyInfo): string {
  if (key.revokedAt !== null) return 'revoked';
  return key.expiresAt !== null && key.expiresAt <= Date.now() ? 'expired' : 'active';
}

function show(key: KeyInfo): object {
  const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  const { id, publicId, name, grants } = key;
  const times = {
    createdAt: iso(key.createdAt),
    expiresAt: iso(key.expiresAt),
    lastUsedAt: iso(key.lastUsedAt),
  };
  return { id, publicId, name, state: stateOf(key), grants, ...times };
}

function showTime(at: number | null): string {
  return at === null ? 'never' : new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function parseExpiry(given: unknown): number | null {
  if (typeof given !== 'string') return null;
  const match = /^(\d{1,6})([mhd])$/.exec(given);
  const unitMs = UNITS_MS[match?.[2] ?? ''];
  if (match === null || unitMs === undefined || Number(match[1]) === 0) {
    throw new UsageError(
      `--expires: must be a number of minutes, hours or days like 90m, 12h or 30d (got "${given}")`,
    );
  }
  return Date.now() + Number(match[1]) * unitMs;
}
