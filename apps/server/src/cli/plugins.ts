/** `parley plugins`: owners load plugins here and grant what they may do. */
import type { Plugin } from '@parley/agent';
import { agentToolset } from '@parley/agent';
import { AGENT } from '@parley/agent/name';
import type { Caller } from '@parley/kit';
import { hiddenReason, ownersWithAll, ToolError } from '@parley/kit';
import { loadConfig, UsageError } from '../config.ts';
import { printable } from '../printable.ts';
import type { Acting, Action } from './actions.ts';
import { runAction } from './actions.ts';
import type { Command } from './main.ts';
import { table } from './table.ts';

const USAGE =
  'Usage: parley plugins list | load NAME [--auto-grant] | unload NAME | grant NAME CAPABILITY | revoke NAME CAPABILITY';

/** Runs one of the commands on plugins. */
export const plugins: Command = (args, toolsets) => {
  const { config, positionals, extras } = loadConfig(args, { extra: { 'auto-grant': 'switch' }, toolsets });
  const autoGrant = extras['auto-grant'] === true;
  const actions = {
    list: withNames(0, async (acting) => {
      const all = await servicesIn(acting).all(acting.caller.organizationId);
      const rows = all.map(({ name, version, status, tools, capabilities }) => [
        name,
        version,
        status,
        capabilitiesText(capabilities),
        tools.join(','),
      ]);
      const notes = all.flatMap(({ name, note }) => (note === null ? [] : [`${name}: ${note}`]));
      const shownTable = table(['NAME', 'VERSION', 'STATUS', 'CAPABILITIES', 'TOOLS'], rows);
      return { json: all, text: [shownTable, ...notes].join('\n') };
    }),
    load: withNames(1, async (acting, name) =>
      shown(await servicesIn(acting).load(acting.caller, name, { autoGrant }), 'is loaded'),
    ),
    unload: withNames(1, async (acting, name) =>
      shown(await servicesIn(acting).unload(acting.caller, name), 'is unloaded'),
    ),
    grant: withNames(2, async (acting, name, capability) =>
      shown(await servicesIn(acting).grant(acting.caller, name, capability), `may use ${capability}`),
    ),
    revoke: withNames(2, async (acting, name, capability) =>
      shown(await servicesIn(acting).revoke(acting.caller, name, capability), `may not use ${capability}`),
    ),
  };
  return runAction(config, toolsets, { actions, given: positionals, usage: USAGE });
};

function withNames(
  count: number,
  run: (acting: Acting, name: string, capability: string) => ReturnType<Action>,
): Action {
  return async (acting, given) => {
    if (given.length !== count) throw new UsageError(USAGE);
    const { caller } = acting;
    const available = (who: Caller) => ownersWithAll(undefined, who);
    if (hiddenReason({ toolset: AGENT, name: 'plugins_manage', available }, caller) !== undefined)
      throw new ToolError('forbidden', 'Only an owner may do this: plugins run on this machine.');
    const [name = '', capability = ''] = given;
    return run(acting, name, capability);
  };
}

const servicesIn = ({ host }: Acting) => host.servicesOf(agentToolset).plugins;

function shown(plugin: Plugin, what: string) {
  const lines = [`The plugin ${plugin.name} ${printable(plugin.version)} ${printable(what)}.`];
  const missing = plugin.capabilities.filter(({ granted }) => !granted).map(({ capability }) => capability);
  if (plugin.status === 'active') {
    lines.push(`Its tools: ${plugin.tools.join(', ') || 'none'}`);
    if (missing.length > 0)
      lines.push(
        `Not granted: ${missing.join(', ')}. Its tools answer forbidden until then.`,
        `Grant each with: parley plugins grant ${plugin.name} ${missing[0]}`,
      );
  }
  if (plugin.note !== null) lines.push(plugin.note);
  return { json: plugin, text: lines.join('\n') };
}

function capabilitiesText(capabilities: Plugin['capabilities']): string {
  const words = capabilities.map(({ capability, granted }) => (granted ? capability : `(${capability})`));
  return words.join(',') || '-';
}
