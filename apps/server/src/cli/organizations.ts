/** `parley organizations`: listed, made and renamed; every key belongs to one of them. */
import type { Organization } from '@parley/identity';
import { ALL_GRANTS, ToolError } from '@parley/kit';
import { loadConfig, UsageError } from '../config.ts';
import { printable } from '../printable.ts';
import type { Acting, Action } from './actions.ts';
import { requireTool, runAction } from './actions.ts';
import type { Command } from './main.ts';
import { table } from './table.ts';

const USAGE = 'Usage: parley organizations list | create SLUG [--name NAME] | rename NAME [--slug SLUG]';

/** Runs one of the commands on organizations. */
export const organizations: Command = (args, toolsets) => {
  const { config, positionals, extras } = loadConfig(args, {
    extra: { name: 'text', slug: 'text' },
    toolsets,
  });
  const text = (given: unknown) => (typeof given === 'string' ? given : undefined);
  const actions = {
    list,
    create: (acting: Acting, rest: readonly string[]) => create(acting, rest, text(extras.name)),
    rename: (acting: Acting, rest: readonly string[]) => rename(acting, rest, text(extras.slug)),
  };
  return runAction(config, toolsets, { actions, given: positionals, usage: USAGE });
};

const list: Action = async (acting) => {
  requireTool(acting, 'ORGANIZATION_LIST');
  const { host, caller } = acting;
  const found = await host.identity.organizations.list(caller.userId ?? '');
  const reached = await Promise.all(found.map(({ id }) => host.identity.organizations.callerIn(caller, id)));
  const shown = found.filter((_one, at) => reached[at] !== undefined);
  const rows = shown.map(({ id, slug, name }) => [
    id,
    slug,
    name,
    id === caller.organizationId ? 'of this key' : '',
  ]);
  return { json: shown.map(show), text: table(['ID', 'SLUG', 'NAME', ''], rows) };
};

async function create(acting: Acting, [slug, ...rest]: readonly string[], name = slug) {
  if (slug === undefined || name === undefined || rest.length > 0) throw new UsageError(USAGE);
  requireTool(acting, 'ORGANIZATION_CREATE');
  const { identity } = acting.host;
  const { caller } = acting;
  if (caller.userId === null)
    throw new ToolError('forbidden', 'This key has no user who could be the owner.');
  const { organizationId } = await identity.createOrganization(
    { slug, name, owner: { userId: caller.userId } },
    caller,
  );
  const made = await identity.organizations.get(organizationId);
  if (made === undefined) throw new ToolError('not_found', 'The organization was deleted again at once.');
  // Only a key for everything reaches the new organization, and so only with such a key one can be made there.
  const there = await identity.organizations.callerIn(caller, organizationId);
  const key =
    there && (await identity.createKey(there, { name: 'First key', grants: ALL_GRANTS, expiresAt: null }));
  const lines = [`Organization "${printable(made.name)}" (${made.slug}) is made, and you are its owner.`];
  if (key !== undefined)
    lines.push('This is its first key, shown only now; use it with --key or PARLEY_KEY:', '', key.text);
  return { json: { ...show(made), ...(key && { key: key.text }) }, text: lines.join('\n') };
}

async function rename(acting: Acting, [name, ...rest]: readonly string[], slug: string | undefined) {
  if (name === undefined || rest.length > 0) throw new UsageError(USAGE);
  requireTool(acting, 'ORGANIZATION_UPDATE');
  const { host, caller } = acting;
  const changed = await host.identity.organizations.update(caller, { name, slug });
  return { json: show(changed), text: `It is "${printable(changed.name)}" (${changed.slug}) now.` };
}

function show({ id, slug, name, createdAt }: Organization) {
  return { id, slug, name, createdAt: new Date(createdAt).toISOString() };
}
