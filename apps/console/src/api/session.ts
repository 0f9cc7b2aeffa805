/** Owns who is signed in: reading, signing in and out, switching the organization. */
import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { detach } from '../detach.ts';
import { ApiError, clientHooks, setCsrfToken } from './client.ts';
import { ownDrafts } from './drafts.ts';
import { startLive, stopLive } from './live.ts';
import { queryClient } from './query.ts';
import { request } from './request.ts';
import type { BodyOf } from './request.ts';
import type { Session } from './schema.ts';

export const SESSION_KEY = ['session'] as const;

/** What the server offers to someone who is not signed in. */
export interface SignInOffer {
  readonly methods: readonly BodyOf<'POST /api/session'>['method'][];
  readonly hasOwnerSignIn: boolean;
}

/** Reads the session; null: nobody is signed in. */
export function useSessionQuery(): UseQueryResult<Session | null> {
  return useQuery({ queryKey: SESSION_KEY, queryFn: readSession, staleTime: Infinity });
}

/** The session inside the frame, where somebody is signed in. */
export function useSession(): Session {
  const { data } = useSessionQuery();
  if (!data) throw new Error('Only a screen inside the frame may ask for the session.');
  return data;
}

let offer: SignInOffer = { methods: ['link', 'password', 'passkey', 'key'], hasOwnerSignIn: true };

/** What the last refusal offered. */
export function signInOffer(): SignInOffer {
  return offer;
}

async function readSession(): Promise<Session | null> {
  try {
    return accept(await request('GET /api/session'));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    const details = error.details as Partial<SignInOffer> | undefined; // As the route's document says
    offer = { methods: details?.methods ?? offer.methods, hasOwnerSignIn: details?.hasOwnerSignIn ?? true };
    return null;
  }
}

function accept(session: Session): Session {
  setCsrfToken(session.csrfToken);
  ownDrafts(session.person.id);
  const before = queryClient.getQueryData<Session | null>(SESSION_KEY);
  // Another tab went to another organization: what this one has read is of the one before.
  if (before && before.person.id !== session.person.id) forgetRead();
  startLive();
  return session;
}

let isByLink = false;

/** Whether the person came with a one-time link just now: a way in that they cannot use again. */
export function cameByLink(): boolean {
  return isByLink;
}

/** Signs in with one of the methods; the answer is the session. */
export async function signIn(body: BodyOf<'POST /api/session'>): Promise<void> {
  isByLink = body.method === 'link';
  become(accept(await request('POST /api/session', { body })));
}

/** Takes the place of whoever was signed in before: nothing that they read is kept. */
function become(session: Session | null): void {
  queryClient.setQueryData(SESSION_KEY, session);
  forgetRead();
}

function forgetRead(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
}

/** Signs out in this browser; the page shows the way in again. */
export async function signOut(): Promise<void> {
  await request('DELETE /api/session');
  forgetSession();
}

/** The session ended elsewhere: what was read is forgotten and the way in is shown. */
export function forgetSession(): void {
  stopLive();
  become(null);
  // Reads again what ways in there are; without them the page offers all.
  detach(readSession(), reportError);
}

clientHooks.onSignedOut = forgetSession;
clientHooks.onElsewhere = () => detach(refreshSession(), reportError);

/** Works in another organization from now on. */
export async function switchOrganization(id: string): Promise<void> {
  become(accept(await request('PUT /api/session/organization', { body: { id } })));
}

/** Reads the session anew, after something in it was changed. */
export async function refreshSession(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: SESSION_KEY });
}
