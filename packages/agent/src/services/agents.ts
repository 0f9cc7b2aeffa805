/** Agents: made and changed by people, never stronger than whoever makes or changes them. */
import type { Identity } from '@parley/identity';
import { IDENTITY_CHANGED } from '@parley/identity';
import type { Caller, Grants } from '@parley/kit';
import { requireLasting, ToolError, typeId } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import { fromJson, isUniqueViolation, toJson } from '@parley/store';
import { AGENT } from '../name.ts';
import { keyOfName } from '../name-key.ts';
import { bundlesOfAgent, bundlesOfProject } from '../permissions/given-bundles.ts';
import { agentRow, findAgentRow } from '../permissions/lookup.ts';
import { mayGive } from '../permissions/may-give.ts';
import type { AgentRow, AgentTables } from '../schema.ts';
import type { AgentTool } from '../tools/sets.ts';
import { DEFAULT_ALLOWED_TOOLS } from '../tools/sets.ts';

/** An agent, as people see it. */
export interface Agent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly account_id: string;
  /** Null: the default set. */
  readonly tools: readonly string[] | null;
  readonly default_project_id: string | null;
  readonly runner: string | null;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface NewAgent {
  readonly name: string;
  readonly description?: string | undefined;
  readonly tools?: readonly string[] | null | undefined;
  readonly defaultProjectId?: string | null | undefined;
  readonly runner?: string | null | undefined;
}

export type AgentChange = { readonly [Field in keyof NewAgent]?: NewAgent[Field] | undefined };

/** An agent that was saved, and what is odd about it. */
export interface SavedAgent {
  readonly agent: Agent;
  readonly warnings: readonly string[];
}

export interface Agents {
  list(organizationId: string): Promise<Agent[]>;
  get(organizationId: string, id: string): Promise<Agent | undefined>;
  /** By id, or by name ignoring case. */
  find(organizationId: string, idOrName: string): Promise<Agent | undefined>;
  /** Makes an agent and its key; the text of the key is returned here and never again. */
  create(by: Caller, input: NewAgent): Promise<SavedAgent & { readonly key: string }>;
  /** A further key of an agent; with a project, its sessions have the bundles of that too. */
  createKey(by: Caller, id: string, options?: { readonly projectId?: string | undefined }): Promise<string>;
  update(by: Caller, id: string, change: AgentChange): Promise<SavedAgent>;
  /** The agent and all that is its own goes; its keys stop with the next request. False: there was none. */
  delete(by: Caller, id: string): Promise<boolean>;
}

/** What is done with a new agent in the transaction that makes it, such as giving it an account. */
export type Born = (tx: StoreTransaction, agent: AgentRow) => Promise<void>;

/** Tells whether an organization has a project. */
export type ProjectExists = (organizationId: string, projectId: string) => Promise<boolean>;

export interface AgentsParts {
  readonly store: Store;
  readonly identity: Identity;
  readonly now: () => number;
  /** The tool of a name, where an organization has one. */
  readonly toolNamed: (organizationId: string, name: string) => AgentTool | undefined;
  /** Resolves when the tools of an organization are known; undefined when they are. */
  readonly ready: (organizationId: string) => Promise<void> | undefined;
  readonly born: readonly Born[];
  readonly projectExists: ProjectExists;
}

const MAX_NAME = 100;
const MAX_DESCRIPTION = 1000;
const MAX_TOOLS = 200;
const TOOL_NAME = /^[A-Za-z0-9_\-:.]{1,100}$/;

export function createAgents(parts: AgentsParts): Agents {
  const { store, identity, now } = parts;
  const all = (organizationId: string) =>
    store
      .db<AgentTables>()
      .selectFrom('agents')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .orderBy('name_key')
      .execute();
  return {
    list: async (organizationId) => (await all(organizationId)).map(shown),
    async get(organizationId, id) {
      const row = await agentRow(store, organizationId, id);
      return row && shown(row);
    },
    async find(organizationId, idOrName) {
      const row = await findAgentRow(store, organizationId, idOrName);
      return row && shown(row);
    },
    async create(by, input) {
      requireLasting(by, 'agents');
      const { userId, organizationId } = by;
      if (userId === null) throw new ToolError('forbidden', 'This caller has no user to make agents for.');
      const tools = input.tools ?? null;
      await parts.ready(organizationId);
      const warnings = checkTools(parts, by, tools);
      await requireProject(parts, by, input.defaultProjectId);
      const at = now();
      const name = checkedName(input.name);
      const row: AgentRow = {
        id: typeId('agt', at),
        organization_id: organizationId,
        user_id: userId,
        name,
        name_key: keyOfName(name),
        description: checkedDescription(input.description ?? ''),
        account_id: typeId('acct', at),
        mcp_tool_permissions: tools === null ? null : toJson(tools),
        default_project_id: input.defaultProjectId ?? null,
        runner: input.runner ?? null,
        version: 1,
        created_at: at,
        updated_at: at,
      };
      await store.transaction(async (tx) => {
        await named(name, () => tx.db<AgentTables>().insertInto('agents').values(row).execute());
        for (const born of parts.born) await born(tx, row);
        await told(identity, tx, by, { action: 'agent.created', row, changed: { name, tools } });
      });
      return { agent: shown(row), warnings, key: await keyFor(identity, by, row) };
    },
    async createKey(by, id, { projectId } = {}) {
      requireLasting(by, 'keys');
      const row = await agentRow(store, by.organizationId, id);
      if (row === undefined) throw notFound();
      const { organizationId } = by;
      await parts.ready(organizationId);
      await requireProject(parts, by, projectId);
      // Whoever holds the key can do what the agent can, by its bundles too, so it takes all of that to make one.
      checkTools(parts, by, toolsOf(row));
      for (const { tools } of await bundlesOfAgent(store, organizationId, id)) checkTools(parts, by, tools);
      return keyFor(identity, by, row, projectId);
    },
    async update(by, id, change) {
      requireLasting(by, 'agents');
      await parts.ready(by.organizationId);
      await requireProject(parts, by, change.defaultProjectId);
      return store.transaction(async (tx) => {
        const row = await lockedRow(tx, by.organizationId, id);
        const warnings = change.tools === undefined ? [] : checkTools(parts, by, change.tools);
        const next = changedRow(row, change, now());
        await named(next.name, () =>
          tx.db<AgentTables>().updateTable('agents').set(next).where('id', '=', id).execute(),
        );
        const { name, description, tools } = change;
        await told(identity, tx, by, {
          action: 'agent.updated',
          row: next,
          changed: { name, description, tools },
        });
        return { agent: shown(next), warnings };
      });
    },
    delete: (by, id) =>
      store.transaction(async (tx) => {
        const row = await agentRow(tx, by.organizationId, id);
        if (row === undefined) return false;
        await tx.db<AgentTables>().deleteFrom('agents').where('id', '=', id).execute();
        await told(identity, tx, by, { action: 'agent.deleted', row, changed: { name: row.name } });
        return true;
      }),
  };
}

/** Throws `forbidden` for the first name that the giver does not have; returns words about names that stand for nothing. */
export function checkTools(
  { toolNamed }: Pick<AgentsParts, 'toolNamed'>,
  by: Caller,
  list: readonly string[] | null,
): string[] {
  const tools = list ?? DEFAULT_ALLOWED_TOOLS;
  if (tools.length > MAX_TOOLS) throw new ToolError('invalid', `tools: must be at most ${MAX_TOOLS}`);
  const odd = tools.find((name) => !TOOL_NAME.test(name));
  if (odd !== undefined)
    throw new ToolError(
      'invalid',
      'tools: each must have 1 to 100 letters, digits, underscores, dashes, colons or dots; * has no meaning here',
    );
  // Every built-in tool has the prefix, and it is what people forget.
  const meant = (name: string) =>
    toolNamed(by.organizationId, `corvid_${name}`) === undefined ? '' : `; did you mean corvid_${name}?`;
  const warnings: string[] = [];
  for (const name of new Set(tools)) {
    const tool = toolNamed(by.organizationId, name);
    // A name without a tool may be one of a plugin tomorrow, and those are not privileged.
    if (!mayGive(by, tool ?? { name, privileged: false }))
      throw new ToolError('forbidden', `You cannot give what you do not have: ${name}`);
    if (tool === undefined) warnings.push(`${name}: no such tool now${meant(name)}`);
  }
  return warnings;
}

/** A mistyped id would leave the agent without its project, and nobody would be told. */
async function requireProject(
  parts: Pick<AgentsParts, 'projectExists' | 'store' | 'toolNamed'>,
  by: Caller,
  id: string | null | undefined,
): Promise<void> {
  if (id === null || id === undefined) return;
  if (!(await parts.projectExists(by.organizationId, id)))
    throw new ToolError('not_found', 'Project not found. "parley projects list" shows those that there are.');
  await checkProject(parts, by, id);
}

/** The same for a project that an agent is given: what works there has its bundles. */
export async function checkProject(
  parts: Pick<AgentsParts, 'store' | 'toolNamed'>,
  by: Caller,
  projectId: string,
): Promise<void> {
  const bundles = await bundlesOfProject(parts.store, by.organizationId, projectId);
  for (const { tools } of bundles) checkTools(parts, by, tools);
}

async function keyFor(
  identity: Identity,
  by: Caller,
  { id, name }: AgentRow,
  projectId?: string,
): Promise<string> {
  const grants: Grants = { [AGENT]: grantedNames(by) };
  const agent = { agentId: id, ...(projectId !== undefined && { projectId }) };
  const made = await identity.createKey(by, { name: `Agent ${name}`, grants, expiresAt: null, agent });
  return made.text;
}

/** What a key of an agent may hold: all that its maker holds of the toolset, since the agent's own list cuts it down. */
function grantedNames({ grants }: Caller): readonly string[] {
  const held = [...(grants[AGENT] ?? []), ...(grants['*'] ?? [])];
  return held.includes('*') ? ['*'] : [...new Set(held)];
}

/** Ends what every process remembers of who may do what. */
export function tellRights(tx: StoreTransaction, organizationId: string): Promise<void> {
  return tx.signal(IDENTITY_CHANGED, organizationId);
}

/** Writes the change down with it. */
async function told(
  identity: Identity,
  tx: StoreTransaction,
  caller: Caller,
  { action, row, changed }: { action: string; row: AgentRow; changed: Record<string, unknown> },
): Promise<void> {
  await identity.audit.write(tx, { caller, action, target: row.id, changed });
  await tellRights(tx, row.organization_id);
}

function changedRow(row: AgentRow, change: AgentChange, at: number): AgentRow {
  const name = change.name === undefined ? row.name : checkedName(change.name);
  const { description, tools, defaultProjectId, runner } = change;
  return {
    ...row,
    name,
    name_key: keyOfName(name),
    description: description === undefined ? row.description : checkedDescription(description),
    mcp_tool_permissions: tools === undefined ? row.mcp_tool_permissions : tools && toJson(tools),
    default_project_id: defaultProjectId === undefined ? row.default_project_id : defaultProjectId,
    runner: runner === undefined ? row.runner : runner,
    version: row.version + 1,
    updated_at: at,
  };
}

async function lockedRow(tx: StoreTransaction, organizationId: string, id: string): Promise<AgentRow> {
  const query = tx
    .db<AgentTables>()
    .selectFrom('agents')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id);
  const row = await tx.locked(query).executeTakeFirst();
  if (row === undefined) throw notFound();
  return row;
}

function notFound(): ToolError {
  return new ToolError('not_found', 'Agent not found');
}

async function named(name: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new ToolError('conflict', `name: there is an agent "${name}" already`);
  }
}

function checkedName(given: string): string {
  const name = given.trim();
  if (name === '' || name.length > MAX_NAME)
    throw new ToolError('invalid', `name: must have 1 to ${MAX_NAME} characters`);
  return name;
}

function checkedDescription(description: string): string {
  if (description.length > MAX_DESCRIPTION)
    throw new ToolError('invalid', `description: must have at most ${MAX_DESCRIPTION} characters`);
  return description;
}

/** The list of an agent; null: the default set. */
export function toolsOf({ mcp_tool_permissions: tools }: AgentRow): string[] | null {
  return tools === null ? null : fromJson<string[]>(tools);
}

function shown(row: AgentRow): Agent {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    account_id: row.account_id,
    tools: toolsOf(row),
    default_project_id: row.default_project_id,
    runner: row.runner,
    version: row.version,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}
