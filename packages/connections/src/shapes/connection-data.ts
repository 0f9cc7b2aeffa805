/** What may be said about a connection when it is made or changed. */
import * as z from 'zod';

const MAX_JSON_BYTES = 64 * 1024;
const SECRET_INPUT = { writeOnly: true };

// Published once, however many fields are like it.
const text = z.string().max(2000).nullable().meta({ id: 'Text' });

const json = z
  .record(z.string(), z.unknown())
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_JSON_BYTES, {
    error: `must have at most ${MAX_JSON_BYTES} bytes of JSON`,
  });

/** A shape that is checked in full but published as any object, since its description says it in fewer words. */
function described<Output>(shape: z.ZodType<Output, Record<string, unknown>>, description: string) {
  return z.record(z.string(), z.unknown()).pipe(shape).nullable().optional().describe(description);
}

const texts = (most: number) =>
  z
    .record(z.string().min(1).max(200), z.string().max(8192))
    .refine((value) => Object.keys(value).length <= most, { error: `must have at most ${most} entries` });

/** How an upstream is spoken to: headers for HTTP, or a program to start. */
const UpstreamSettings = z.strictObject({
  headers: texts(50).optional(),
  command: z.string().min(1).max(1000).optional(),
  args: z.array(z.string().max(4000)).max(100).optional(),
  cwd: z.string().min(1).max(1000).optional(),
  envVars: texts(100).optional(),
});
export type UpstreamSettings = z.output<typeof UpstreamSettings>;

/** The same as it is kept; that a program was stored on the machine itself can be said by no caller. */
export type StoredUpstream = UpstreamSettings & { readonly isLocal?: true };

const OAuthConfig = z.strictObject({
  authorizationEndpoint: z.url().max(2000),
  tokenEndpoint: z.url().max(2000),
  introspectionEndpoint: z.url().max(2000).optional(),
  clientId: z.string().min(1).max(1000),
  clientSecret: z.string().max(8192).optional(),
  scopes: z.array(z.string().max(200)).max(100),
  grantType: z.enum(['authorization_code', 'client_credentials']),
});
export type OAuthConfig = z.output<typeof OAuthConfig>;

/** Its addresses. */
export const OAUTH_ENDPOINTS = ['authorizationEndpoint', 'tokenEndpoint', 'introspectionEndpoint'] as const;

const fields = {
  title: z.string().min(1).max(255),
  description: text.optional(),
  icon: text.optional(),
  app_name: text.optional(),
  app_id: text.optional(),
  connection_type: z.enum(['HTTP', 'SSE', 'Websocket', 'STDIO', 'OPENAPI', 'VIRTUAL']),
  connection_url: text.optional().describe('virtual://<id> for VIRTUAL; the document for OPENAPI'),
  connection_token: z.string().max(8192).nullable().optional().meta(SECRET_INPUT),
  connection_headers: described(
    UpstreamSettings,
    '{headers}; for STDIO {command, args?[], cwd?, envVars?}',
  ).meta(SECRET_INPUT),
  oauth_config: described(
    OAuthConfig,
    '{authorizationEndpoint, tokenEndpoint, introspectionEndpoint?, clientId, clientSecret?, scopes[], grantType}',
  ),
  configuration_state: json.nullable().optional().meta(SECRET_INPUT),
  configuration_scopes: z
    .array(z.string().min(1).max(400))
    .max(100)
    .nullable()
    .optional()
    .describe('KEY::SCOPE or *'),
  metadata: json.nullable().optional().describe('isFixed: true forbids deletion'),
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
