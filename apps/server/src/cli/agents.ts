/** `parley agents`: agents are made, listed, changed and looked at here, and get their keys. */
import type { Agent, SessionSource } from '@parley/agent';
import { agentToolset, SESSION_SOURCES } from '@parley/agent';
import { ToolError } from '@parley/kit';
import { loadConfig, UsageError } from '../config.ts';
import { printable } from '../printable.ts';
import type { Acting, Action } from './actions.ts';
import { requireRight, runAction } from './actions.ts';
import { channels } from './agent-channels.ts';
import { noSuchAgent } from './agent-names.ts';
import type { Command } from './main.ts';
import { table } from './table.ts';

const USAGE =
  'Usage: parley agents create NAME [--tools a,b] [--description TEXT] [--project ID] | list | show NAME | update NAME | delete NAME | key NAME | channels NAME [set TYPE JSON | enable TYPE | disable TYPE | remove TYPE] | tools NAME [--source SOURCE] [--unattended]';

const EXTRA = {
  tools: 'list',
  description: 'text',
  name: 'text',
  project: 'text',
  source: 'text',
  unattended: 'switch',
} as const;

/** What was given besides the name. */
interface Given {
  readonly tools: readonly string[] | null | undefined;
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly project: string | undefined;
  readonly source: SessionSource;
  readonly unattended: boolean;
}

type AgentAction = (acting: Acting, name: string, given: Given) => ReturnType<Action>;

/** Runs one of the commands on agents. */
export const agents: Command = (args, toolsets) => {
  const { config, positionals, extras } = loadConfig(args, { extra: EXTRA, toolsets });
  const given = givenIn(extras);
  const named =
    (run: AgentAction): Action =>
    async (acting, [name, ...rest]) => {
      if (name === undefined || rest.length > 0) throw new UsageError(USAGE);
      return run(acting, name, given);
    };
  const actions = {
    list,
    create: named(create),
    show: named(show),
    update: named(update),
    delete: named(remove),
    key: named(key),
    tools: named(tools),
    channels: channelsOf,
  };
  return runAction(config, toolsets, { actions, given: positionals, usage: USAGE });
};

function givenIn(extras: Partial<Record<keyof typeof EXTRA, unknown>>): Given {
  const text = (given: unknown) => (typeof given === 'string' ? given : undefined);
  const source = SESSION_SOURCES.find((word) => word === (text(extras.source) ?? 'api'));
  if (source === undefined) throw new UsageError(`--source: must be one of ${SESSION_SOURCES.join(', ')}`);
  return {
    tools: toolsIn(extras.tools),
    name: text(extras.name),
    description: text(extras.description),
    project: text(extras.project),
    source,
    unattended: extras.unattended === true,
  };
}

/** `a,b`; `none` is an empty list, `default` none of its own. */
function toolsIn(given: unknown): readonly string[] | null | undefined {
  if (!Array.isArray(given) || given.length === 0) return undefined;
  const names = given
    .flatMap((text) => String(text).split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 1 && names[0] === 'default') return null;
  return names.length === 1 && names[0] === 'none' ? [] : names;
}

const servicesIn = ({ host }: Acting) => host.servicesOf(agentToolset);

/** The agent of a name or id; an error that names those there are. */
async function found(acting: Acting, name: string): Promise<Agent> {
  const { organizationId } = acting.caller;
  const agent = await servicesIn(acting).agents.find(organizationId, name);
  if (agent === undefined) throw await noSuchAgent(acting.host, organizationId, name);
  return agent;
}

const list: Action = async (acting) => {
  requireRight(acting, 'agents_read');
  const all = await servicesIn(acting).agents.list(acting.caller.organizationId);
  const rows = all.map(({ id, name, tools: own, description }) => [name, id, toolsText(own), description]);
  return { json: all, text: table(['NAME', 'ID', 'TOOLS', 'DESCRIPTION'], rows) };
};

const show: AgentAction = async (acting, name) => {
  requireRight(acting, 'agents_read');
  const agent = await found(acting, name);
  const lines = Object.entries({ ...agent, tools: toolsText(agent.tools) }).map(
    ([field, value]) => `${`${field}:`.padEnd(20)}${printable(String(value ?? '-'))}`,
  );
  return { json: agent, text: lines.join('\n') };
};

const create: AgentAction = async (acting, name, { tools: own, description, project }) => {
  requireRight(acting, 'agents_manage');
  const input = { name, description, tools: own, defaultProjectId: project };
  const made = await servicesIn(acting).agents.create(acting.caller, input);
  const { id } = made.agent;
  const lines = [`The agent ${printable(made.agent.name)} (${id}) has ${toolsText(made.agent.tools)}.`];
  lines.push(...warningLines(made.warnings), 'This is the only time its key is shown:', '', made.key);
  return { json: { id, name: made.agent.name, key: made.key, ...warned(made) }, text: lines.join('\n') };
};

const update: AgentAction = async (acting, old, { tools: own, name, description, project }) => {
  requireRight(acting, 'agents_manage');
  if ([own, name, description, project].every((value) => value === undefined))
    throw new UsageError('Give what shall change: --name, --tools, --description or --project.');
  const { id } = await found(acting, old);
  const defaultProjectId = project === 'none' ? null : project;
  const change = { name, description, tools: own, defaultProjectId };
  const saved = await servicesIn(acting).agents.update(acting.caller, id, change);
  const { agent, warnings } = saved;
  const lines = [
    `The agent ${printable(agent.name)} has ${toolsText(agent.tools)}.`,
    ...(project === undefined ? [] : [await projectText(acting, agent)]),
    ...warningLines(warnings),
  ];
  return { json: { ...agent, ...warned(saved) }, text: lines.join('\n') };
};

const remove: AgentAction = async (acting, given) => {
  requireRight(acting, 'agents_manage');
  const { id, name } = await found(acting, given);
  if (!(await servicesIn(acting).agents.delete(acting.caller, id)))
    throw new ToolError('not_found', 'Agent not found');
  return { json: { id, name, deleted: true }, text: `The agent ${printable(name)} is deleted.` };
};

const key: AgentAction = async (acting, given, { project }) => {
  requireRight(acting, 'agents_manage');
  const { id, name } = await found(acting, given);
  const made = await servicesIn(acting).agents.createKey(acting.caller, id, { projectId: project });
  const lines = [`A further key of the agent ${printable(name)}, shown this once:`, '', made];
  return { json: { id, name, key: made }, text: lines.join('\n') };
};

const channelsOf: Action = async (acting, [name, ...rest]) => {
  if (name === undefined) throw new UsageError(USAGE);
  requireRight(acting, 'agents_manage');
  return channels(acting, await found(acting, name), rest);
};

const tools: AgentAction = async (acting, given, { source, unattended, project }) => {
  requireRight(acting, 'agents_read');
  const { id } = await found(acting, given);
  const { permissions } = servicesIn(acting);
  const kind = { source, unattended, projectId: project };
  const report = await permissions.report(acting.caller.organizationId, id, kind);
  if (report === undefined) throw new ToolError('not_found', 'Agent not found');
  const rows = [
    ...report.tools.map((name) => [name, 'has it']),
    ...report.removed.map(({ name, reason }) => [name, reason]),
    ...report.unknown.map((name) => [name, 'no such tool now']),
  ];
  return { json: report, text: table(['TOOL', 'STATE'], rows) };
};

async function projectText({ host, caller }: Acting, { default_project_id: id }: Agent): Promise<string> {
  if (id === null) return 'It has no project of its own.';
  const project = await host.projects.get(caller.organizationId, id);
  return `It works in the project ${printable(project?.name ?? id)}.`;
}

function toolsText(own: readonly string[] | null): string {
  if (own === null) return 'the default set';
  return own.length === 0 ? 'no tools' : printable(own.join(', '));
}

function warningLines(warnings: readonly string[]): string[] {
  return warnings.map((warning) => `Note: ${printable(warning)}`);
}

function warned({ warnings }: { readonly warnings: readonly string[] }) {
  return warnings.length === 0 ? {} : { warnings };
}
