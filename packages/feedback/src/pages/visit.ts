/** One request for a page: what is published, who asks, and where from. */
import type { IncomingMessage } from 'node:http';
import { checkedFields, sessionToken } from '@parley/http/pages';
import type { FoundSession } from '@parley/identity';
import type { Actor } from '../actor.ts';
import type { FeedbackServices } from '../services/index.ts';
import type { PublicReading } from '../services/public/public.ts';

/** Somebody looks at the pages. */
export interface Visit {
  readonly reading: PublicReading;
  /** Set when the visitor has given a name. */
  readonly session: FoundSession | undefined;
  /** The address of this server, e.g. `https://feedback.example.com`. */
  readonly base: string;
  readonly url: URL;
}

/** Puts a visit together. */
export async function visitOf(
  req: IncomingMessage,
  parts: { services: FeedbackServices; reading: PublicReading; publicUrl: string | undefined },
): Promise<Visit> {
  const { services, reading, publicUrl } = parts;
  const url = urlOf(req, publicUrl);
  const token = await sessionToken(req);
  const found = token === undefined ? undefined : await services.identity.sessions.find(token);
  const isHere = found?.caller.organizationId === reading.site.organizationId;
  return { reading, session: isHere ? found : undefined, base: url.origin, url };
}

/** The address that was asked for, as the world writes it. */
export function urlOf({ url = '/', headers }: IncomingMessage, publicUrl: string | undefined): URL {
  const asked = new URL(url, publicUrl ?? `http://${headers.host ?? 'localhost'}`);
  checkedFields(asked.searchParams);
  return asked;
}

/** True when the browser speaks https with us, by way of a proxy or not. */
export function isHttps(req: IncomingMessage, { base }: Visit): boolean {
  return base.startsWith('https:') || (req.headers.origin ?? '').startsWith('https:');
}

/** The signed-in visitor as services know them. */
export async function actorOfSession(services: FeedbackServices, session: FoundSession): Promise<Actor> {
  return services.actor(session.caller);
}

/** The path and query of the page itself, for forms that come back to it. */
export function hereOf({ url }: Visit): string {
  return url.pathname + url.search;
}

const PLACE = /^\/feedback(?:[/?][\w\-./?=&%+~!$'()*,;:@]*)?$/;

/** A place on these pages, as a browser understands it; anything else becomes the front page. */
export function placeOf(text: string | null): string {
  if (text === null || !PLACE.test(text)) return '/feedback';
  // The query stays as it was written; only its path can lead away.
  const at = text.indexOf('?');
  const place = new URL(text, 'http://localhost').pathname + (at === -1 ? '' : text.slice(at));
  return PLACE.test(place) ? place : '/feedback';
}
