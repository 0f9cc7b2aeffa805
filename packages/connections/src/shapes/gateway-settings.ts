/** How the gateway treats one connection: `metadata.gateway`, checked when it is stored. */
import { ToolError } from '@parley/kit';
import { fromJson } from '@parley/store';
import * as z from 'zod';

const headerName = z.string().regex(/^[A-Za-z0-9-]{1,100}$/, { error: 'must be the name of a header' });

// What the connection and the protocol set themselves; a header of the client that is Parley's own business.
const OWN = /^(?:host|content-.*|transfer-encoding|connection|mcp-.*|x-parley-.*)$/i;
const CLIENTS_OWN = /^(?:authorization|proxy-.*|cookie|sec-.*)$/i;

const sentHeader = headerName.refine((name) => !OWN.test(name), {
  error: 'is set by the connection itself. Choose another header.',
});
const mappedHeader = sentHeader.refine((name) => !CLIENTS_OWN.test(name), {
  error: 'is for Parley alone and goes to no other server. Choose another header.',
});

export const GatewaySettings = z
  .strictObject({
    /** What becomes of tools that are new or have changed. */
    pinning: z.enum(['off', 'flag', 'strict']),
    callTimeoutMs: z.int().min(1_000).max(3_600_000),
    maxResultBytes: z
      .int()
      .min(1_024)
      .max(50 * 1024 * 1024),
    /** Characters of text that a result may have; what is over is kept as a resource. */
    resultBudget: z.int().min(1_000).max(10_000_000).nullable(),
    /** Plain http to a public address. */
    allowPlain: z.boolean(),
    /** The address may be a private one; an owner or administrator says so, for this address alone. */
    allowPrivate: z.boolean(),
    /** Everybody brings a token of their own, which goes into this header; `{token}` stands for it. */
    personalToken: z.strictObject({
      header: sentHeader,
      template: z.string().max(200).includes('{token}'),
    }),
    /** A header of the client's request that goes to the upstream under a name of its own. */
    mappedHeader: z.strictObject({ from: mappedHeader, to: sentHeader }),
    /** Whether everybody authorises for themselves, or one for all. */
    oauth: z.enum(['personal', 'shared']),
    /** Sends `x-parley-token`, with which the upstream can call back. */
    callbackToken: z.boolean(),
    /** Where the service of an OPENAPI connection is; absent: what its document says, at the origin of the document. */
    openapiServer: z.url({ protocol: /^https?$/ }).max(2_000),
    /** Calls of clients that can follow tasks become durable tasks after this time. */
    taskAfterMs: z.int().min(0).max(300_000),
  })
  .partial();
export type GatewaySettings = z.output<typeof GatewaySettings>;

/** What holds where nothing is said. */
export const GATEWAY_DEFAULTS = {
  pinning: 'strict',
  callTimeoutMs: 300_000,
  maxResultBytes: 10 * 1024 * 1024,
} as const satisfies GatewaySettings;

type Metadata = Readonly<Record<string, unknown>>;

/** The settings in what is given as metadata; refused with the path of what is wrong. */
export function checkedGatewaySettings(metadata: Metadata | null): GatewaySettings {
  const given = metadata?.['gateway'];
  if (given === undefined) return {};
  const { data, error } = GatewaySettings.safeParse(given);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  const key = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const path = [
    'metadata',
    'gateway',
    ...(issue?.path ?? []),
    ...(key === undefined ? [] : [key.slice(0, 60)]),
  ];
  const known = Object.keys(GatewaySettings.shape).join(', ');
  const wrong = key === undefined ? issue?.message : `is not known here. Use one of: ${known}`;
  throw new ToolError('invalid', `${path.join('.')}: ${wrong}`);
}

/** The settings of a stored connection; what was stored before they were checked counts for nothing. */
export function gatewaySettingsOf({ metadata }: { readonly metadata: string | null }): GatewaySettings {
  if (metadata === null) return {};
  return GatewaySettings.safeParse(fromJson<Metadata>(metadata)['gateway'] ?? {}).data ?? {};
}

/** True when everybody brings credentials of their own. */
export function isPersonal({ personalToken, oauth }: GatewaySettings): boolean {
  return personalToken !== undefined || oauth === 'personal';
}
