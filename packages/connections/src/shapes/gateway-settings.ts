/** How the gateway treats one connection: `metadata.gateway`, checked when it is stored. */
import * as z from 'zod';

const headerName = z.string().regex(/^[A-Za-z0-9-]{1,100}$/, { error: 'must be the name of a header' });

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
    /** Everybody brings a token of their own, which goes into this header; `{token}` stands for it. */
    personalToken: z.strictObject({
      header: headerName,
      template: z.string().max(200).includes('{token}'),
    }),
    /** A header of the client's request that goes to the upstream under a name of its own. */
    mappedHeader: z.strictObject({ from: headerName, to: headerName }),
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
