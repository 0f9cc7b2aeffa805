/** A connection as its readers see it. */
import * as z from 'zod';

const anyObject = z.record(z.string(), z.unknown());

export const audit = {
  organization_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  created_by: z.string(),
  updated_by: z.string().nullable(),
};

export const Connection = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  icon: z.string().nullable(),
  app_name: z.string().nullable(),
  app_id: z.string().nullable(),
  connection_type: z.enum(['HTTP', 'SSE', 'Websocket', 'STDIO', 'OPENAPI', 'VIRTUAL']),
  connection_url: z.string().nullable(),
  connection_token: z.null(),
  has_connection_token: z.boolean(),
  connection_headers: anyObject.nullable(),
  oauth_config: anyObject.nullable(),
  configuration_state: anyObject.nullable().optional(),
  configuration_scopes: z.array(z.string()).nullable(),
  metadata: anyObject.nullable(),
  tools: z.array(anyObject).nullable(),
  bindings: z.array(z.string()).nullable(),
  status: z.enum(['active', 'inactive', 'error']),
  catalog: z.object({
    fetched_at: z.string().nullable(),
    stale: z.boolean(),
    last_error: z.string().nullable(),
  }),
  ...audit,
});
export type Connection = z.output<typeof Connection>;
