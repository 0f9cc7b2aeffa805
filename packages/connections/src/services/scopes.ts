/** The scopes of a configuration: each names a value of the state, and connections named there must be usable. */
import { isDeepStrictEqual } from 'node:util';
import type { Caller, Grants } from '@parley/kit';
import { ALL_GRANTS, firstUncovered, ToolError, unionGrants } from '@parley/kit';
import type { Queryable } from '@parley/store';
import { selfConnectionId } from '../self-connection.ts';
import { isMoved, mayUse, SELF } from './rights.ts';
import { findRow } from './rows.ts';
import type { Settings } from './settings.ts';
import { callsBack } from './settings.ts';

/** Refuses scopes that name nothing, and connections that are not the caller's to use. */
export async function checkScopes(from: Queryable, caller: Caller, settings: Settings): Promise<void> {
  const state = settings.configuration_state ?? {};
  for (const [index, scope] of (settings.configuration_scopes ?? []).entries()) {
    if (scope === '*') continue;
    const path = `configuration_scopes.${index}`;
    const end = scope.indexOf('::');
    const steps = end > 0 && end + 2 < scope.length ? stepsOf(scope.slice(0, end)) : undefined;
    if (steps === undefined)
      throw new ToolError(
        'invalid',
        `${path}: must be KEY::SCOPE or *, where KEY is a path like DB or a.b[0]`,
      );
    const value = steps.reduce<unknown>(inside, state);
    if (value === undefined || value === null)
      throw new ToolError('invalid', `${path}: "${scope.slice(0, end)}" has no value in configuration_state`);
    await checkConnection(from, caller, value, path);
  }
}

/** Refuses to let a server call back for more than the caller has: what it may, that it may, and which server it is. */
export function requireScopes(caller: Caller, before: Settings | undefined, after: Settings): void {
  const isSame =
    before !== undefined &&
    isDeepStrictEqual(configurationOf(before), configurationOf(after)) &&
    (!callsBack(after) || (callsBack(before) && !isMoved(before, after)));
  if (isSame) return;
  const missing = firstUncovered(caller.grants, grantsOfScopes(caller.organizationId, after));
  if (missing === undefined) return;
  const { resource, tool } = missing;
  throw new ToolError(
    'forbidden',
    `configuration_scopes: you do not have ${resource}:${tool}, so you cannot let a server call back for it.`,
  );
}

function configurationOf({ configuration_scopes: scopes, configuration_state: state }: Settings) {
  return [scopes ?? [], state ?? {}];
}

async function checkConnection(from: Queryable, caller: Caller, value: unknown, path: string): Promise<void> {
  const id = inside(value, 'value');
  if (id === undefined || id === null) return;
  if (typeof id !== 'string')
    throw new ToolError('invalid', `${path}: "value" in configuration_state must be the id of a connection`);
  const isKnown = id.endsWith('_self')
    ? id === selfConnectionId(caller.organizationId)
    : (await findRow(from, caller.organizationId, id)) !== undefined;
  if (!isKnown || !mayUse(caller, id))
    throw new ToolError('not_found', `${path}: there is no connection "${id.slice(0, 64)}"`);
}

/** What a configuration lets its server do when it calls back, before it is cut to what its caller may. */
export function grantsOfScopes(
  organizationId: string,
  {
    configuration_scopes,
    configuration_state,
  }: Pick<Settings, 'configuration_scopes' | 'configuration_state'>,
): Grants {
  const each = (configuration_scopes ?? []).map((scope): Grants => {
    if (scope === '*') return ALL_GRANTS;
    const end = scope.indexOf('::');
    const steps = end > 0 ? stepsOf(scope.slice(0, end)) : undefined;
    const id = inside(steps?.reduce<unknown>(inside, configuration_state ?? {}), 'value');
    if (typeof id !== 'string') return {};
    return { [id === selfConnectionId(organizationId) ? SELF : id]: [scope.slice(end + 2)] };
  });
  return unionGrants(each);
}

const STEP = /\.?([\w$-]+)|\[(\d{1,6})\]|\["([^"\]]{1,200})"\]|\['([^'\]]{1,200})'\]/y;

/** The steps of a path in dots and brackets; undefined when it is none. */
function stepsOf(path: string): string[] | undefined {
  if (path.startsWith('.')) return undefined;
  const steps: string[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < path.length) {
    const found = STEP.exec(path);
    if (found === null) return undefined;
    steps.push(found[1] ?? found[2] ?? found[3] ?? found[4] ?? '');
  }
  return steps;
}

function inside(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return Reflect.get(value, key);
}
