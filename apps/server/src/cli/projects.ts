/** `parley projects`: which there are, new ones, and where the code of each lies. */
import { resolve } from 'node:path';
import { agentToolset } from '@parley/agent';
import type { Caller } from '@parley/kit';
import { hiddenReason, ownersWithAll, ToolError } from '@parley/kit';
import { loadConfig, UsageError } from '../config.ts';
import { printable } from '../printable.ts';
import type { Acting, Action } from './actions.ts';
import { requireTool, runAction } from './actions.ts';
import type { Command } from './main.ts';
import { table } from './table.ts';

const USAGE =
  'Usage: parley projects list | create SLUG [--name NAME] | set-code ID --folder DIR [--check COMMAND] [--install COMMAND] | unset-code ID';
const SLUG = /^[a-z0-9-]{1,100}$/;

/** Runs one of the commands on projects. */
export const projects: Command = (args, toolsets) => {
  const { config, positionals, extras } = loadConfig(args, {
    extra: { name: 'text', folder: 'text', check: 'text', install: 'text' },
    toolsets,
  });
  const text = (given: unknown) => (typeof given === 'string' ? given : undefined);
  const code = { folder: text(extras.folder), check: text(extras.check), install: text(extras.install) };
  const actions = {
    list,
    create: (acting: Acting, rest: readonly string[]) => create(acting, rest, text(extras.name)),
    'set-code': (acting: Acting, rest: readonly string[]) => setCode(acting, rest, code),
    'unset-code': unsetCode,
  };
  return runAction(config, toolsets, { actions, given: positionals, usage: USAGE });
};

const list: Action = async (acting) => {
  const found = await projectsOf(acting).list(acting.caller.organizationId);
  const rows = found.map(({ id, name, code }) => [
    id,
    printable(name),
    printable(code?.folder ?? ''),
    printable(code?.check ?? ''),
  ]);
  return { json: found, text: table(['ID', 'NAME', 'FOLDER', 'CHECK'], rows) };
};

async function create(acting: Acting, [slug, ...rest]: readonly string[], name?: string) {
  if (slug === undefined || rest.length > 0) throw new UsageError(USAGE);
  if (!SLUG.test(slug)) throw new UsageError('SLUG: must have 1 to 100 of a-z, 0-9 and -');
  requireTool(acting, 'PROJECT_CREATE');
  const { meshToolset } = await import('@parley/mesh');
  const { projects: all } = acting.host.servicesOf(meshToolset);
  const made = await all.create(acting.caller.organizationId, slug, { name: name ?? slug });
  return {
    json: { id: made.id, slug, name: made.name },
    text: `The project ${printable(made.name)} has the id ${made.id}`,
  };
}

async function setCode(
  acting: Acting,
  [id, ...rest]: readonly string[],
  { folder, check, install }: Readonly<Record<'folder' | 'check' | 'install', string | undefined>>,
) {
  if (id === undefined || folder === undefined || rest.length > 0) throw new UsageError(USAGE);
  const code = { folder: resolve(folder), check: check ?? null, install: install ?? null };
  const set = await projectsOf(acting).setCode(acting.caller, id, code);
  return { json: { id, ...set }, text: `The code of ${printable(id)} lies in ${printable(set.folder)}` };
}

const unsetCode: Action = async (acting, [id, ...rest]) => {
  if (id === undefined || rest.length > 0) throw new UsageError(USAGE);
  if (!(await projectsOf(acting).removeCode(acting.caller, id)))
    throw new ToolError('not_found', 'This project has no code.');
  return {
    json: { id },
    text: `The project ${printable(id)} has no code any more; its folder is as it was.`,
  };
};

/** The service, for whoever may have the route that does the same. */
function projectsOf({ host, caller }: Acting) {
  const guard = {
    toolset: agentToolset.name,
    name: 'project_code',
    available: (who: Caller) => ownersWithAll(undefined, who),
  };
  if (hiddenReason(guard, caller) !== undefined)
    throw new ToolError('forbidden', 'Only an owner may do this: commands of a project run on this machine.');
  return host.servicesOf(agentToolset).projects;
}
