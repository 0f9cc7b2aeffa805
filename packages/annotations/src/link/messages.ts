/**
 * The messages of the browser link, both ways; the overlay imports the types.
 *
 * Over WebSocket each frame is one message. Where WebSocket is blocked: `POST /__parley/messages` takes one message and
 * returns the message that comes back; the first is `hello`, every other carries `Authorization: Bearer <sessionToken>`,
 * as do `GET /__parley/events` (read with fetch; each event's data is one message) and `POST /__parley/screenshots`.
 */
import * as z from 'zod';
import type { PageAnnotation, Presence, Session } from '../shapes.ts';
import { Captured, Viewport, Wish, words } from '../shapes.ts';

/** The version of the link that both sides name. */
export const LINK_PROTOCOL = 1;

/** Why the server closed the link. */
export const CLOSE = {
  /** No valid hello in time, or a token that is not valid here. */
  unauthorized: 4401,
  /** The caps were passed too often. */
  tooMuch: 4429,
} as const;

const id = z.string().min(1).max(64);
const message = z.string().max(10_000);
const url = z.string().max(4000);
const title = z.string().max(1000);

const Hello = z.object({
  token: z.string().max(200),
  sessionToken: z.string().max(200).optional(),
  url,
  title,
  viewport: Viewport,
  userAgent: z.string().max(512),
  framework: z.enum(['react', 'vue', 'svelte', 'angular', 'none']),
  protocol: z.literal(LINK_PROTOCOL),
});

const Create = z.object({
  clientId: z.uuid(),
  ...Wish.shape,
  intent: Wish.shape.intent.default('change'),
  severity: Wish.shape.severity.default('important'),
  ...Captured.shape,
  /** The answer of the upload, when there is a picture. */
  screenshotId: id.optional(),
});

const Answer = z.object({ id, revision: z.int(), message: message.optional() });

/** The payload of every message that a browser may send, by type. */
export const CLIENT_PAYLOADS = {
  hello: Hello,
  'session:ping': z.object({ url: url.optional() }),
  'session:update': z.object({
    url: url.optional(),
    title: title.optional(),
    viewport: Viewport.optional(),
    autoApprove: z.boolean().optional(),
  }),
  'annotation:create': Create,
  'annotation:edit': z.object({ id, ...Wish.partial().shape }),
  'annotation:reply': z.object({ id, message: words(10_000), reopen: z.boolean().optional() }),
  'annotation:reopen': z.object({ id }),
  'annotation:delete': z.object({ id }),
  'annotations:clear': z.object({ ids: z.array(id).max(1000).optional() }),
  'diff:approve': Answer,
  'diff:reject': Answer,
} as const;

/** The types a browser may send. */
export type ClientType = keyof typeof CLIENT_PAYLOADS;

/** A message from the browser, as it is written. */
export type ClientMessage = {
  [Type in ClientType]: {
    readonly type: Type;
    readonly id?: string;
    readonly payload: z.input<(typeof CLIENT_PAYLOADS)[Type]>;
  };
}[ClientType];

/** A payload as it arrives, checked. */
export type ClientPayload<Type extends ClientType> = z.output<(typeof CLIENT_PAYLOADS)[Type]>;

/** What the browser must know before it sends. */
export interface LinkLimits {
  readonly messageBytes: number;
  readonly messagesPerSecond: number;
  readonly openNotes: number;
  readonly screenshotBytes: number;
  readonly pingMs: number;
}

export type LinkErrorCode =
  | 'not_found'
  | 'conflict'
  | 'invalid'
  | 'rate_limited'
  | 'forbidden'
  | 'unavailable'
  | 'unauthorized';

/** The payload of every message that the server sends, by type. */
export interface ServerPayloads {
  'session:ready': {
    readonly session: Session;
    readonly sessionToken: string;
    readonly annotations: readonly PageAnnotation[];
    readonly presence: Presence;
    readonly limits: LinkLimits;
    /** The next numbered message has the next number. */
    readonly seq: number;
  };
  'annotation:created': { readonly annotation: PageAnnotation; readonly seq: number };
  'annotation:updated': { readonly annotation: PageAnnotation; readonly seq: number };
  'annotations:sync': { readonly annotations: readonly PageAnnotation[]; readonly seq: number };
  presence: Presence;
  ok: { readonly annotation?: PageAnnotation; readonly cleared?: number };
  error: { readonly code: LinkErrorCode; readonly message: string };
}

/** A message from the server; `id` repeats the browser's in `ok`, `error` and `session:ready`. */
export type ServerMessage = {
  [Type in keyof ServerPayloads]: {
    readonly type: Type;
    readonly id?: string;
    readonly payload: ServerPayloads[Type];
  };
}[keyof ServerPayloads];
