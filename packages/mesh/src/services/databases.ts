/** SQL of callers: which connection's database a caller may use, and its answer in the words of tools. */
import { selfOf } from '@parley/events';
import type { Caller } from '@parley/kit';
import { mayAdminister, ToolError } from '@parley/kit';
import type { Databases, SqlRequest, SqlResult } from '@parley/store';
import { SqlFault } from '@parley/store';
import { mayNameConnections } from './named-connections.ts';

/** True when an organization has the connection. */
type HasConnection = (organizationId: string, connectionId: string) => Promise<boolean>;

/** One statement; without a connection, for that of the caller. */
export type CallerSql = Omit<SqlRequest, 'organizationId' | 'connectionId'> & {
  readonly connectionId?: string | undefined;
};

export interface CallerDatabases {
  run(caller: Caller, request: CallerSql): Promise<SqlResult>;
}

/** Creates them over the databases of the store. */
export function createCallerDatabases(databases: Databases, hasConnection: HasConnection): CallerDatabases {
  return {
    async run(caller, { connectionId: named, ...request }) {
      const connectionId = await connectionFor(caller, named, hasConnection);
      try {
        return await databases.run({ ...request, organizationId: caller.organizationId, connectionId });
      } catch (error) {
        throw error instanceof SqlFault ? new ToolError(error.code, error.message) : error;
      }
    },
  };
}

/** The connection whose database is meant. Who may name connections names one of theirs; others have their own. */
async function connectionFor(
  caller: Caller,
  named: string | undefined,
  hasConnection: HasConnection,
): Promise<string> {
  const self = selfOf(caller.organizationId);
  const bound = caller.connectionId ?? (mayAdminister(caller) ? self : undefined);
  const wanted = named ?? bound;
  if (wanted === undefined)
    throw new ToolError('forbidden', 'Use a key that is bound to a connection; its database is yours then.');
  if (wanted === self && bound === self) return self;
  // Also for the own one: a key outlives the connection that it is bound to.
  const isTheirs =
    (wanted === bound || mayNameConnections(caller)) && (await hasConnection(caller.organizationId, wanted));
  if (!isTheirs) throw new ToolError('not_found', `There is no connection ${wanted}.`);
  return wanted;
}
