/** Owns reading who is in the organization and what they may: members, invitations, roles, keys, sessions, the audit log. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { get } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import type { ToolRow } from '../../api/types.ts';
import type { Search } from '../../ui/use-screen.ts';

/** Names of tools by resource. */
export type Grants = Readonly<Record<string, readonly string[]>>;

/** A person in the organization. */
export interface Member {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly email: string | null;
  readonly roles: readonly string[];
  readonly createdAt: string;
}

/** Somebody who may join. */
export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly roles: readonly string[];
  readonly expiresAt: string;
  readonly createdAt: string;
}

/** A role with what it gives. */
export interface Role {
  readonly name: string;
  readonly isBuiltIn: boolean;
  readonly grants: Grants;
  readonly members: number;
}

/** A key, without its secret. */
export interface Key {
  readonly id: string;
  readonly name: string;
  readonly start: string;
  readonly owner: { readonly id: string; readonly name: string | null };
  readonly isMine: boolean;
  readonly role: string | null;
  readonly permissions: Grants;
  readonly connectionId: string | null;
  readonly agentId: string | null;
  readonly state: 'active' | 'expired' | 'revoked';
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
  readonly createdAt: string;
}

/** A browser in which the person is signed in. */
export interface SignIn {
  readonly id: string;
  readonly createdAt: string;
  readonly seenAt: string;
  readonly device: string;
  readonly isCurrent: boolean;
}

/** The same of anybody, for administrators. */
export interface SignInOfSomebody extends SignIn {
  readonly userId: string;
  readonly memberId: string;
  readonly name: string;
}

/** One entry of the audit log. */
export interface AuditEntry {
  /** What those in it are called; only of an entry that was read alone. */
  readonly names?: Readonly<Record<string, string>>;
  readonly seq: number;
  readonly id: string;
  readonly at: string;
  readonly callerId: string;
  readonly userId: string | null;
  readonly source: string;
  readonly requestId: string | null;
  readonly action: string;
  readonly target: string;
  readonly outcome: 'ok' | 'denied';
  readonly changed: Readonly<Record<string, unknown>>;
}

interface AuditPage {
  readonly entries: readonly AuditEntry[];
  readonly cursor: string | null;
  readonly hasMore: boolean;
  readonly names: Readonly<Record<string, string>>;
}

/** A place below the organization of the session. */
export function useOrganizationPath(): (path: string) => string {
  const { organization } = useSession();
  return (path) => `/api/organizations/${encodeURIComponent(organization.id)}/${path}`;
}

const PAGE = 200;

/** Members that fit, the oldest first; visitors of the feedback pages are left out unless they are asked for. */
export function useMembers(search: Search) {
  const at = useOrganizationPath();
  const { q, role } = search;
  return useInfiniteQuery({
    queryKey: ['members', 'list', q, role],
    queryFn: ({ pageParam, signal }) =>
      get<{ members: Member[]; hasMore: boolean }>(at('members'), {
        query: { text: q, role, team: role === undefined ? true : undefined, offset: pageParam, limit: PAGE },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.hasMore ? pages.length * PAGE : undefined),
    placeholderData: keepPreviousData,
  });
}

/** Reads one member, whom the list may not have read yet. */
export function useReadMember() {
  const at = useOrganizationPath();
  return async (id: string, signal: AbortSignal): Promise<Member | undefined> =>
    (await get<{ members: Member[] }>(at('members'), { query: { id }, signal })).members[0];
}

/** Open invitations. */
export function useInvitations(): UseQueryResult<readonly Invitation[]> {
  const at = useOrganizationPath();
  return useQuery({
    queryKey: ['members', 'invitations'],
    queryFn: ({ signal }) => get<Invitation[]>(at('invitations'), { signal }),
  });
}

/** All roles. */
export function useRoles(): UseQueryResult<readonly Role[]> {
  const at = useOrganizationPath();
  return useQuery({
    queryKey: ['members', 'roles'],
    queryFn: ({ signal }) => get<Role[]>(at('roles'), { signal }),
  });
}

/** As many as the server tells at once. */
export const MOST_KEYS = 1000;

/** The newest keys with this in their name: those of everybody for administrators, one's own for others. */
export function useKeysOfOrganization(text?: string): UseQueryResult<readonly Key[]> {
  const at = useOrganizationPath();
  return useQuery({
    queryKey: ['keys', 'list', text],
    queryFn: ({ signal }) => get<Key[]>(at('keys'), { query: { text }, signal }),
    placeholderData: keepPreviousData,
  });
}

/** Reads one key, which may be older than those of the list. */
export function useReadKey() {
  const at = useOrganizationPath();
  return async (id: string, signal: AbortSignal): Promise<Key | undefined> =>
    (await get<Key[]>(at('keys'), { query: { id }, signal }))[0];
}

/** Every tool that the person may see. */
export function useTools(): UseQueryResult<readonly ToolRow[]> {
  return useQuery({
    queryKey: ['connections', 'tools-of-all'],
    queryFn: ({ signal }) => get<ToolRow[]>('/api/tools', { signal }),
    staleTime: 60_000,
  });
}

/** Where the person is signed in. */
export function useSignIns(): UseQueryResult<readonly SignIn[]> {
  return useQuery({
    queryKey: ['sessions', 'mine'],
    queryFn: ({ signal }) => get<SignIn[]>('/api/sessions', { signal }),
  });
}

// The stream tells people of their own sessions alone.
const OTHERS_MS = 10_000;

/** Where anybody is signed in, for administrators. */
export function useSignInsOfAll(): UseQueryResult<readonly SignInOfSomebody[]> {
  return useQuery({
    queryKey: ['sessions', 'everybody'],
    queryFn: ({ signal }) => get<SignInOfSomebody[]>('/api/team-sessions', { signal }),
    refetchInterval: OTHERS_MS,
  });
}

/** The audit log, newest first. */
export function useAudit(search: Search) {
  const { outcome, action, actor, target, q: text } = search;
  return useInfiniteQuery({
    queryKey: ['organization', 'audit', outcome, action, actor, target, text],
    queryFn: ({ pageParam, signal }) =>
      get<AuditPage>('/api/audit', {
        query: { outcome, action, actor, target, text, cursor: pageParam, limit: 100 },
        signal,
      }),
    initialPageParam: undefined as string | undefined, // The first page has no cursor
    getNextPageParam: (last) => last.cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

/** Reads one entry, which the list may not have read yet. */
export async function readEntry(id: string, signal: AbortSignal): Promise<AuditEntry | undefined> {
  const { entries, names } = await get<AuditPage>('/api/audit', { query: { id }, signal });
  return entries[0] && { ...entries[0], names };
}
