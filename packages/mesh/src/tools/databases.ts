/** SQL on the database of a connection. */
import * as z from 'zod';
import { SQL_TOOL } from '../name.ts';
import { defineTool } from './define-tool.ts';
import { Id } from './fields.ts';

const value = z.union([z.string(), z.number(), z.boolean(), z.null(), z.object({ base64: z.string() })]);

export const databasesRunSql = defineTool({
  name: SQL_TOOL,
  title: 'Run SQL',
  description:
    'Runs one SQL statement, in a transaction of its own, on the database that a connection has to itself. At most 1,000 rows and 1 MiB come back.',
  effect: 'run',
  privileged: true,
  input: z.object({
    sql: z.string().min(1).max(100_000).describe('One statement, with $1, $2 or ? for values'),
    // What is bound to a statement is data, and often what the statement must not say.
    params: z.array(value).max(1000).default([]).describe('The values, in order').meta({ writeOnly: true }),
    timeoutMs: z.int().min(100).max(30_000).default(5000),
    connectionId: Id.optional().describe(
      'Whose database; absent: that of your key, else of the organization itself',
    ),
  }),
  output: z.object({
    result: z.array(
      z.object({
        results: z.array(z.record(z.string(), z.unknown())),
        success: z.boolean(),
        rowsAffected: z.int(),
        truncated: z.boolean(),
      }),
    ),
  }),
  errors: {
    sql_error: 'The database refused the statement; the message says why.',
    timeout: 'The statement took longer than its time.',
    too_large: 'The database is full, or the statement needs too much.',
  },
  run: async (input, { services, caller, signal }) => {
    const { rows, rowsAffected, truncated } = await services.databases.run(caller, { ...input, signal });
    return { result: [{ results: [...rows], success: true, rowsAffected, truncated }] };
  },
});
