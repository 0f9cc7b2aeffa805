/** Who acts: callers, their roles, and where their calls come from. */
import type { Grants } from './grants.ts';

/** Where a call came from. */
export type CallSource = 'web' | 'key' | 'stdio' | 'cli' | 'agent' | 'schedule' | 'webhook' | 'remote';

/** The agent that a caller acts as. */
export interface ActingAgent {
  readonly id: string;
  readonly name: string;
  /** How many agents called one another up to this one; the first is 1. */
  readonly depth: number;
  /** Where the session of the agent came from, in the words of the agent toolset. */
  readonly source: string;
  readonly sessionId?: string | undefined;
  readonly projectId?: string | undefined;
}

/** Who acts. Built by identity, never by a client. */
export interface Caller {
  readonly id: string;
  readonly name: string;
  readonly organizationId: string;
  readonly userId: string | null;
  readonly roles: readonly string[];
  readonly grants: Grants;
  readonly source: CallSource;
  /** True when nobody is watching; tools marked `unattended: 'block'` are gone. */
  readonly unattended: boolean;
  /** The connection that the credential is bound to. */
  readonly connectionId?: string;
  /** When the credential ends by itself, minutes after it was made: its holder makes nothing that would outlive it. */
  readonly endsAt?: number;
  /** The agent that acts, where one does. */
  readonly agent?: ActingAgent;
  /** Until when somebody who is signed in with a browser need not show again who they are. */
  readonly freshUntil?: number;
  /** The names that the caller is held to within its grants, by toolset; a toolset that is not here has no such list. */
  readonly held?: Readonly<Record<string, readonly string[]>>;
}

/** A caller that no person or key stands for: it owns work of the server itself and is granted nothing. */
export function systemCaller(id: string, name: string, organizationId: string): Caller {
  const powers = { roles: [], grants: {}, source: 'schedule', unattended: true } as const;
  return { id, name, organizationId, userId: null, ...powers };
}

/** The only caller of a program that has no accounts: an owner with these grants. */
export function soleCaller(id: string, name: string, powers: Pick<Caller, 'grants' | 'source'>): Caller {
  return { ...systemCaller(id, name, id), roles: ['owner'], ...powers, unattended: false };
}

/** Where a call comes from that nobody watches. */
export type UnattendedSource = Extract<CallSource, 'agent' | 'schedule' | 'webhook' | 'remote'>;

/** The same caller, acting with nobody watching: for what they leave behind to be done. */
export function unattended(caller: Caller, source: UnattendedSource): Caller {
  return { ...caller, source, unattended: true };
}

/** True for somebody in a browser who has to show again who they are before they do what could do most harm. */
export function mustProve({ source, freshUntil = 0 }: Caller, now: number): boolean {
  return source === 'web' && freshUntil <= now;
}

/** True for owners and administrators. */
export function mayAdminister(caller: Pick<Caller, 'roles'>): boolean {
  return caller.roles.includes('owner') || caller.roles.includes('admin');
}

/** True for owners. */
export function isOwner({ roles }: Pick<Caller, 'roles'>): boolean {
  return roles.includes('owner');
}

/** True for the team: administrators, members and holders of roles that build on `member`; a `user` is a visitor. */
export function isTeam({ roles }: Pick<Caller, 'roles'>): boolean {
  if (['owner', 'admin', 'member'].some((role) => roles.includes(role))) return true;
  return roles.length > 0 && !roles.includes('user');
}

/** Equal keys mean equal power: what list and view caches are keyed by. */
export function powerKeyOf(caller: Caller): string {
  const grants = Object.entries(caller.grants)
    .map(([resource, tools]) => [resource, [...tools].toSorted()] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([
    grants,
    isUnwatched(caller),
    mayAdminister(caller),
    caller.agent !== undefined,
    caller.held ?? null,
  ]);
}

/** Schedules, webhooks and remote agents act with nobody watching, whatever the flag says. */
export function isUnattendedSource(source: CallSource): boolean {
  return source === 'schedule' || source === 'webhook' || source === 'remote';
}

/** True where tools that must not run unwatched are gone: nobody watches, or whoever acts is only passing. */
export function isUnwatched({ unattended, source, endsAt }: Caller): boolean {
  return unattended || isUnattendedSource(source) || endsAt !== undefined;
}
