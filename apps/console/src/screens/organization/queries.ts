/** Owns reading who is in the organization and what they may: members, invitations, roles, keys, sessions, the audit log. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { request } from '../../api/request.ts';
import type {
  AuditPage,
  Device,
  DeviceOfSomebody,
  Invitation,
  Key,
  MemberPage,
  Role,
  Tool,
} from '../../api/schema.ts';
import { useSession } from '../../api/session.ts';
import { orderOf } from '../../ui/server-order.ts';
import type { Search } from '../../ui/use-screen.ts';

/** Names of tools by resource. */
export type Grants = Readonly<Record<string, readonly string[]>>;

/** A person in the organization. */
export type Member = MemberPage['members'][number];

/** One entry of the audit log. */
export interface AuditEntry extends AuditLine {
  /** What those in it are called; only of an entry that was read alone. */
  readonly names?: AuditPage['names'];
}

type AuditLine = AuditPage['entries'][number];

/** The organization of the session. */
export function useOrganizationId(): string {
  return useSession().organization.id;
}

const PAGE = 200;

/** Members that fit, by name or by when they joined; visitors of the feedback pages are left out unless they are asked for. */
export function useMembers(search: Search) {
  const orgId = useOrganizationId();
  const { q, role, sort: chosen = 'since' } = search;
  const sort = chosen.replace(/^-/, '') === 'name' ? 'name' : 'joined';
  const order = chosen.startsWith('-') ? 'desc' : 'asc';
  return useInfiniteQuery({
    queryKey: ['members', 'list', q, role, sort, order],
    queryFn: ({ pageParam, signal }) =>
      request('GET /api/organizations/{orgId}/members', {
        path: { orgId },
        query: {
          text: q,
          role,
          team: role === undefined ? true : undefined,
          sort,
          order,
          offset: pageParam,
          limit: PAGE,
        },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.hasMore ? pages.length * PAGE : undefined),
    placeholderData: keepPreviousData,
  });
}

/** Reads one member, whom the list may not have read yet. */
export function useReadMember() {
  const orgId = useOrganizationId();
  return async (id: string, signal: AbortSignal): Promise<Member | undefined> => {
    const given = { path: { orgId }, query: { id }, signal };
    return (await request('GET /api/organizations/{orgId}/members', given)).members[0];
  };
}

/** Open invitations. */
export function useInvitations(): UseQueryResult<readonly Invitation[]> {
  const orgId = useOrganizationId();
  return useQuery({
    queryKey: ['members', 'invitations'],
    queryFn: ({ signal }) =>
      request('GET /api/organizations/{orgId}/invitations', { path: { orgId }, signal }),
  });
}

/** All roles. */
export function useRoles(): UseQueryResult<readonly Role[]> {
  const orgId = useOrganizationId();
  return useQuery({
    queryKey: ['members', 'roles'],
    queryFn: ({ signal }) => request('GET /api/organizations/{orgId}/roles', { path: { orgId }, signal }),
  });
}

/** As many as the server tells at once. */
export const MOST_KEYS = 1000;

/** The newest keys with this in their name: those of everybody for administrators, one's own for others. */
export function useKeysOfOrganization(text?: string): UseQueryResult<readonly Key[]> {
  const orgId = useOrganizationId();
  return useQuery({
    queryKey: ['keys', 'list', text],
    queryFn: ({ signal }) =>
      request('GET /api/organizations/{orgId}/keys', { path: { orgId }, query: { text }, signal }),
    placeholderData: keepPreviousData,
  });
}

/** Reads one key, which may be older than those of the list. */
export function useReadKey() {
  const orgId = useOrganizationId();
  return async (id: string, signal: AbortSignal): Promise<Key | undefined> => {
    const given = { path: { orgId }, query: { id }, signal };
    return (await request('GET /api/organizations/{orgId}/keys', given))[0];
  };
}

/** Every tool that the person may see. */
export function useTools(): UseQueryResult<readonly Tool[]> {
  return useQuery({
    queryKey: ['connections', 'tools-of-all'],
    queryFn: ({ signal }) => request('GET /api/tools', { signal }),
    staleTime: 60_000,
  });
}

/** Where the person is signed in. */
export function useSignIns(): UseQueryResult<readonly Device[]> {
  return useQuery({
    queryKey: ['sessions', 'mine'],
    queryFn: ({ signal }) => request('GET /api/sessions', { signal }),
  });
}

// The stream tells people of their own sessions alone.
const OTHERS_MS = 10_000;

/** Where anybody is signed in, for administrators. */
export function useSignInsOfAll(): UseQueryResult<readonly DeviceOfSomebody[]> {
  return useQuery({
    queryKey: ['sessions', 'everybody'],
    queryFn: ({ signal }) => request('GET /api/team-sessions', { signal }),
    refetchInterval: OTHERS_MS,
  });
}

/** The audit log, newest first unless it is said otherwise. */
export function useAudit(search: Search) {
  const { outcome, action, actor, target, q: text } = search;
  const order = orderOf(search, 'when');
  return useInfiniteQuery({
    queryKey: ['organization', 'audit', outcome, action, actor, target, text, order],
    queryFn: ({ pageParam, signal }) =>
      request('GET /api/audit', {
        query: { outcome, action, actor, target, text, order, cursor: pageParam, limit: 100 },
        signal,
      }),
    initialPageParam: undefined as string | undefined, // The first page has no cursor
    getNextPageParam: (last) => last.cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

/** Reads one entry, which the list may not have read yet. */
export async function readEntry(id: string, signal: AbortSignal): Promise<AuditEntry | undefined> {
  const { entries, names } = await request('GET /api/audit', { query: { id }, signal });
  return entries[0] && { ...entries[0], names };
}
