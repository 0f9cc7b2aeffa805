/** Why somebody does not have a tool where they look for it: one of seven reasons, and nothing that the asker may not see. */
import type { ServedConnection } from '@parley/connections';
import { selfConnectionId } from '@parley/connections';
import type { Caller, CatalogTool, Engine } from '@parley/kit';
import { hiddenByPower, isGranted, mayAdminister } from '@parley/kit';
import type { DegradedNow } from './upstream/toolset.ts';
import type { VirtualReach } from './virtual/reach.ts';

export const MISSING_REASONS = [
  'permission',
  'selection',
  'health',
  'quarantine',
  'collision',
  'era',
  'inactive',
] as const;

/** `there`: it is not missing. `unknown`: nothing has this name, said only to those from whom nothing is hidden. */
export interface Missing {
  readonly reason: (typeof MISSING_REASONS)[number] | 'there' | 'unknown';
  readonly text: string;
}

/** Where it is looked for. */
export interface Searched {
  /** What is served there. */
  readonly engine: Engine;
  /** The connections behind it, also those that are switched off. */
  readonly connections: readonly ServedConnection[];
  /** Why what is known of a connection may not be what there is now. */
  degradedOf(connectionId: string): DegradedNow;
  /** What it is made of, where somebody put it together; absent: it is no virtual MCP. */
  readonly virtual?: VirtualReach | undefined;
  /** The management tools: a toolset of this server that can be a member of virtual MCPs. */
  readonly self: { readonly toolset: string; readonly tools: ReadonlySet<string> };
}

export interface Looking {
  /** Who does not have it. */
  readonly caller: Caller;
  /** Who is told; the caller, or somebody who looks after callers. */
  readonly asker: Caller;
  readonly tool: string;
}

/** What a tool of one connection stands in the way of; the first of these is told. */
const RANKS = ['quarantine', 'collision', 'inactive', 'selection', 'permission'] as const;

export function whyMissing(looking: Looking, searched: Searched): Missing {
  const { caller, asker, tool } = looking;
  const view = searched.engine.view(caller);
  const found = view.tool(tool, caller);
  if (found !== undefined) return seen(found, searched);
  // A resource or prompt of this name.
  if (searched.engine.explain(caller, tool) === undefined && !view.tools.has(tool)) return THERE;
  // Whoever asks hears of nothing that their own grants do not cover.
  const told = searched.connections.filter(({ id }) => isGranted(asker.grants, id, tool));
  const held = told.filter(({ tools }) => tools.some(({ definition }) => definition.name === tool));
  const reasons = held.map((connection) => ofConnection(connection, looking, searched));
  const own = ownTool(looking, searched);
  if (own !== undefined) reasons.push(own);
  for (const rank of RANKS) {
    const first = reasons.find(({ reason }) => reason === rank);
    if (first !== undefined) return first;
  }
  const covered = told.filter(({ id }) => isPermitted(caller, id, tool));
  return covered.map((connection) => unread(connection, tool, searched)).find(Boolean) ?? nothing(asker);
}

const THERE: Missing = { reason: 'there', text: 'It is there, and not missing.' };

/** Of a tool that the caller has: it may be in no list all the same. */
function seen(found: CatalogTool, { connections }: Searched): Missing {
  const name = found.granted ?? found.name;
  const connection = connections.find(({ id }) => id === found.toolset);
  const served = connection?.tools.find(({ definition }) => definition.name === name);
  if (connection === undefined || served?.state !== 'held') return THERE;
  return quarantine(connection);
}

function quarantine({ title }: ServedConnection): Missing {
  return {
    reason: 'quarantine',
    text: `Its definition at "${title}" is new or has changed. An owner or administrator has to approve it first.`,
  };
}

function ofConnection(connection: ServedConnection, { caller, tool }: Looking, searched: Searched): Missing {
  const { id, title, status, tools } = connection;
  if (!isPermitted(caller, id, tool)) return withoutGrant(title);
  const shown = searched.engine.view(caller).granted(id, tool, caller);
  const isHeld = tools.some(({ definition, state }) => definition.name === tool && state === 'held');
  if (shown !== undefined) return isHeld ? quarantine(connection) : collision(title, shown);
  if (status === 'inactive') return inactive(title);
  return searched.virtual === undefined ? hiddenByPolicy(title) : leftOut(searched.virtual, id, title);
}

/** A management tool in a virtual MCP, or a tool of this server itself. */
function ownTool({ caller, asker, tool }: Looking, { engine, virtual, self }: Searched): Missing | undefined {
  const hidden = engine.explain(caller, tool);
  const isTold = engine.view(asker).tool(tool, asker) !== undefined;
  if (hidden !== undefined && hidden !== 'unknown' && isTold) return withoutGrant();
  const place = selfConnectionId(caller.organizationId);
  const isMember = virtual?.members.has(place) === true && self.tools.has(tool);
  if (!isMember || !isGranted(asker.grants, self.toolset, tool)) return undefined;
  if (!isPermitted(caller, self.toolset, tool)) return withoutGrant();
  const shown = engine.view(caller).granted(self.toolset, tool, caller);
  return shown === undefined ? leftOut(virtual, place, 'Parley') : collision('Parley', shown);
}

function isPermitted(caller: Caller, toolset: string, name: string): boolean {
  return hiddenByPower({ toolset, name }, caller) === undefined;
}

function withoutGrant(title?: string): Missing {
  const place = title === undefined ? '' : ` at "${title}"`;
  return {
    reason: 'permission',
    text: `It is there${place}, and no grant gives it to this caller. An owner or administrator can.`,
  };
}

function hiddenByPolicy(title: string): Missing {
  return { reason: 'permission', text: `A policy of this server hides it, though "${title}" has it.` };
}

function collision(title: string, { name }: CatalogTool): Missing {
  return {
    reason: 'collision',
    text: `Another tool has this name, or it cannot be shown as it is: the one of "${title}" is called "${name}" here.`,
  };
}

function inactive(title: string): Missing {
  return { reason: 'inactive', text: `"${title}" has it and is switched off. Set its status to active.` };
}

function leftOut({ members }: VirtualReach, connectionId: string, title: string): Missing {
  if (members.get(connectionId)?.isActive === false) return inactive(title);
  return {
    reason: 'selection',
    text: `"${title}" has it, and the selection of this virtual MCP leaves it out. Whoever keeps it can select it.`,
  };
}

/** What keeps a connection that may have it from being known as it is. */
function unread(connection: ServedConnection, tool: string, searched: Searched): Missing | undefined {
  const { id, title, status, isKnown, failedWith, dropped = [] } = connection;
  const refused = dropped.find(({ kind, name }) => kind === 'tools' && name === tool);
  if (refused !== undefined)
    return {
      reason: refused.reason === SAME_NAME ? 'collision' : 'health',
      text: `"${title}" lists it with a definition that cannot be used: ${refused.reason}`,
    };
  if (status === 'inactive')
    return isKnown ? undefined : { reason: 'inactive', text: `"${title}" may have it and is switched off.` };
  if (failedWith === 'invalid_protocol')
    return {
      reason: 'era',
      text: `"${title}" may have it, but its server does not speak a revision of MCP that is known here.`,
    };
  const isWell = isKnown && searched.degradedOf(id) === undefined && status === 'active';
  if (isWell) return undefined;
  return {
    reason: 'health',
    text: `"${title}" may have it, but it could not be read of late. Look at how the connection does.`,
  };
}

/** As discovery words it. */
const SAME_NAME = 'Another one has the same name.';

/** The same for what is not there and for what is hidden, unless nothing is hidden from the asker. */
function nothing(asker: Caller): Missing {
  const seesAll = mayAdminister(asker) && isGranted(asker.grants, '*', '*');
  if (seesAll) return { reason: 'unknown', text: 'Nothing has this name here. Check how it is spelled.' };
  return {
    reason: 'permission',
    text: 'There is no tool of this name here, or no grant gives it. Ask an owner or administrator.',
  };
}
