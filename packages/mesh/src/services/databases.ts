/** SQL of callers: which connection's database a caller may use, and its answer in the words of tools. */
import type { Caller } from '@parley/kit';
import { mayAdminister, ToolError } from '@parley/kit';
import type { Databases, SqlRequest, SqlResult } from '@parley/store';
import { SqlFault } from '@parley/store';

/** What has to be known of connections. */
export interface SqlConnections {
  /** The connection that the credential of a caller is bound to. */
  boundTo(caller: Caller): string | undefined;
  /** True when an organization has the connection. */
  has(organizationId: string, connectionId: string): Promise<boolean>;
}

/** One statement; without a connection, for that of the caller. */
export type CallerSql = Omit<SqlRequest, 'connectionId'> & { readonly connectionId?: string | undefined };

export interface CallerDatabases {
  run(caller: Caller, request: CallerSql): Promise<SqlResult>;
}

/** As long as an organization has no connection but itself. */
export const selfOnly: SqlConnections = {
  boundTo: () => undefined,
  has: async (organizationId, connectionId) => connectionId === selfOf(organizationId),
};

/** Creates them over the databases of the store. */
export function createCallerDatabases(databases: Databases, connections: SqlConnections): CallerDatabases {
  return {
    async run(caller, { connectionId: named, ...request }) {
      const connectionId = await connectionFor(caller, named, connections);
      try {
        return await databases.run({ ...request, connectionId });
      } catch (error) {
        throw error instanceof SqlFault ? new ToolError(error.code, error.message) : error;
      }
    },
  };
}

/** The connection whose database is meant. Administrators may name one of their organization; others have their own. */
async function connectionFor(
  caller: Caller,
  named: string | undefined,
  connections: SqlConnections,
): Promise<string> {
  const bound = connections.boundTo(caller);
  if (named === undefined || named === bound) {
    if (bound !== undefined) return bound;
    if (mayAdminister(caller)) return selfOf(caller.organizationId);
    throw new ToolError('forbidden', 'Use a key that is bound to a connection; its database is yours then.');
  }
  const isTheirs = mayAdminister(caller) && (await connections.has(caller.organizationId, named));
  if (!isTheirs) throw new ToolError('not_found', `There is no connection ${named}.`);
  return named;
}

/** The connection that an organization is to itself. */
function selfOf(organizationId: string): string {
  return `${organizationId}_self`;
}
