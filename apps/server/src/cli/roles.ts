/** `parley roles`: the roles that the organization of the key made for itself. */
import { ToolError } from '@parley/kit';
import { commandWord, loadConfig, UsageError } from '../config.ts';
import { printable } from '../printable.ts';
import type { Acting, Action } from './actions.ts';
import { requireTool, runAction } from './actions.ts';
import { connectionNames, storingGrants, virtualNote, withConnectionIds } from './connect/grants.ts';
import { parseGrants, showGrants } from './grants-text.ts';
import type { Command } from './main.ts';
import { table } from './table.ts';

const USAGE = 'Usage: parley roles list | save NAME --grant TOOLSET:TOOL,... | delete NAME';

/** Runs one of the commands on roles. */
export const roles: Command = (args, toolsets) => {
  const { config, positionals, extras } = loadConfig(args, { extra: { grant: 'list' }, toolsets });
  const actions = {
    list,
    save: (acting: Acting, rest: readonly string[]) => save(acting, rest, extras.grant),
    delete: remove,
  };
  return runAction(config, toolsets, { actions, given: positionals, usage: USAGE });
};

const list: Action = async (acting) => {
  requireTool(acting, 'ORGANIZATION_MEMBER_LIST');
  const { host, caller } = acting;
  const found = await host.identity.roles.list(caller.organizationId);
  const names = await connectionNames(acting);
  const rows = found.map(({ name, members, grants }) => [
    name,
    String(members),
    showGrants(grants, host, names),
  ]);
  return {
    json: found.map(({ name, members, grants }) => ({ name, members, grants })),
    text: table(['NAME', 'MEMBERS', 'GRANTS BESIDE THOSE OF A MEMBER'], rows),
  };
};

async function save(acting: Acting, [name, ...rest]: readonly string[], given: unknown) {
  const wanted = parseGrants(given);
  if (name === undefined || rest.length > 0 || wanted === undefined) throw new UsageError(USAGE);
  requireTool(acting, 'ORGANIZATION_UPDATE');
  const resolved = await withConnectionIds(acting, wanted);
  const { grants } = resolved;
  const { host, caller } = acting;
  await storingGrants(acting, () => host.identity.roles.save(caller, { name, grants }));
  const names = await connectionNames(acting);
  const gives = `The role ${printable(name)} gives: ${printable(showGrants(grants, host, names))}`;
  const text = [gives, virtualNote(resolved) ?? []].flat().join('\n');
  return { json: { name, grants }, text };
}

const remove: Action = async (acting, [name, ...rest]) => {
  if (name === undefined || rest.length > 0) throw new UsageError(USAGE);
  requireTool(acting, 'ORGANIZATION_UPDATE');
  const { host, caller } = acting;
  if (!(await host.identity.roles.delete(caller, name)))
    throw new ToolError('not_found', `There is no role ${name}. "${commandWord()} roles list" shows them.`);
  return { json: { name, deleted: true }, text: `The role ${printable(name)} is deleted.` };
};
