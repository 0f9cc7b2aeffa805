/** What may be said about a connection when it is made or changed. */
import * as z from 'zod';

const MAX_JSON_BYTES = 64 * 1024;
const SECRET_INPUT = { writeOnly: true };

const text = (most: number) => z.string().max(most).nullable().optional();
const json = (what: string) =>
  z
    .record(z.string().max(200), z.unknown())
    .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_JSON_BYTES, {
      error: `must have at most ${MAX_JSON_BYTES} bytes of JSON`,
    })
    .nullable()
    .optional()
    .describe(what);

const texts = (most: number) =>
  z
    .record(z.string().min(1).max(200), z.string().max(8192))
    .refine((value) => Object.keys(value).length <= most, { error: `must have at most ${most} entries` })
    .meta(SECRET_INPUT);

/** How an upstream is spoken to: headers for HTTP, or a program to start. */
export const UpstreamSettings = z
  .strictObject({
    headers: texts(50).optional(),
    command: z.string().min(1).max(1000).optional(),
    args: z.array(z.string().max(4000)).max(100).optional(),
    cwd: z.string().min(1).max(1000).optional(),
    envVars: texts(100).optional(),
  })
  .describe('{headers}, or for STDIO {command, args, cwd, envVars}');
export type UpstreamSettings = z.output<typeof UpstreamSettings>;

const OAuthConfig = z
  .strictObject({
    authorizationEndpoint: z.url().max(2000),
    tokenEndpoint: z.url().max(2000),
    introspectionEndpoint: z.url().max(2000).optional(),
    clientId: z.string().min(1).max(1000),
    clientSecret: z.string().max(8192).meta(SECRET_INPUT).optional(),
    scopes: z.array(z.string().max(200)).max(100),
    grantType: z.enum(['authorization_code', 'client_credentials']),
  })
  .describe('OAuth client');
export type OAuthConfig = z.output<typeof OAuthConfig>;

const fields = {
  title: z.string().min(1).max(255).describe('Name'),
  description: text(2000),
  icon: text(2000),
  app_name: text(255),
  app_id: text(255),
  connection_type: z.enum(['HTTP', 'SSE', 'Websocket', 'STDIO', 'VIRTUAL']),
  connection_url: text(2000).describe('Address; virtual://<id> for VIRTUAL'),
  connection_token: z.string().max(8192).nullable().optional().meta(SECRET_INPUT).describe('Bearer token'),
  connection_headers: UpstreamSettings.nullable().optional(),
  oauth_config: OAuthConfig.nullable().optional(),
  configuration_state: json('Configuration by key'),
  configuration_scopes: z
    .array(z.string().min(1).max(400))
    .max(100)
    .nullable()
    .optional()
    .describe('KEY::SCOPE or *'),
  metadata: json('Notes; isFixed forbids deletion'),
};

/** An id that a caller may choose. */
export const ChosenId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, { error: 'must be 1 to 64 of A-Z, a-z, 0-9, _ and -' });

export const ConnectionCreate = z.strictObject({ id: ChosenId.optional(), ...fields });
export type ConnectionCreate = z.output<typeof ConnectionCreate>;

export const ConnectionUpdate = z
  .strictObject({ ...fields, status: z.enum(['active', 'inactive']) })
  .partial();
export type ConnectionUpdate = z.output<typeof ConnectionUpdate>;
