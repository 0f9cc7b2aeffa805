/** The names that stand in place of the ids of call records: of keys, members and agents, of people, of what was called. */
import type { Identity } from '@parley/identity';
import type { StoredCallRecord } from '@parley/store';
import type { TitlesOf } from './titles.ts';

export interface CallNames {
  readonly callers: ReadonlyMap<string, string>;
  readonly users: ReadonlyMap<string, string>;
  /** Of toolsets, connections and virtual MCPs. */
  readonly titles: ReadonlyMap<string, string>;
}

export type NamesOf = (organizationId: string, records: readonly StoredCallRecord[]) => Promise<CallNames>;

// Agents are asked for one by one.
const MOST_AGENTS = 20;

export function createCallNames(
  identity: Pick<Identity, 'namesOf' | 'callerNamed'>,
  titlesOf: TitlesOf,
): NamesOf {
  return async (organizationId, records) => {
    const ids = [...new Set(records.map(({ callerId }) => callerId))];
    const users = [...new Set(records.flatMap(({ userId }) => userId ?? []))];
    const named = await identity.namesOf(organizationId, { callers: ids, users });
    const unknown = new Set(
      records
        .filter(({ callerId, source }) => source !== 'key' && !named.callers.has(callerId))
        .map(({ callerId }) => callerId),
    );
    for (const id of [...unknown].slice(0, MOST_AGENTS)) {
      const caller = await identity.callerNamed(organizationId, id);
      if (caller?.agent !== undefined) named.callers.set(id, caller.agent.name);
    }
    const titles = await titlesOf(
      organizationId,
      records.flatMap(({ toolset, virtualMcpId }) => [
        toolset,
        ...(virtualMcpId === null ? [] : [virtualMcpId]),
      ]),
    );
    return { ...named, titles };
  };
}
