/** What the methods of the backend work with during one call of a tool. */
import type { Send } from './client.ts';
import type { Dialect } from './dialect.ts';
import type { Names } from './named.ts';
import type { Written } from './written.ts';

/** The server, as one call of a tool reaches it. */
export interface Remote {
  readonly send: Send;
  readonly dialect: Dialect;
  readonly names: Names;
  readonly signal: AbortSignal;
  /** How a change of a post, comment or entry is looked at again. */
  rereading(noun: 'posts' | 'comments' | 'changelog'): Pick<Written, 'reread' | 'signal'>;
}

/** A date or time in the one form that every server takes; what is none is left for the server to judge. */
export function momentOf<T extends string | null | undefined>(text: T): T | string {
  const at = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? text : new Date(at).toISOString();
}
