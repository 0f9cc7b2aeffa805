/** What routes and commands ask about credentials of connections; the gateway answers, since it reaches upstreams. */
import type { Caller } from '@parley/kit';
import type { AuthState } from './services/auth-state.ts';
import type { AuthStep } from './services/auth-trails.ts';

/** What a browser is told at the end of an authorization. */
export interface Authorized {
  /** The title of the connection. */
  readonly title: string;
  /** For whom: their name; null: everybody in the organization. */
  readonly name: string | null;
}

/** Where an authorization would lead, before anything is begun. */
export interface AuthorizationOffer extends Authorized {
  /** The name of the server that asks for it. */
  readonly host: string;
}

/** The browser that an authorization passes through. */
export interface AuthBrowser {
  /** What only this browser has; whoever brings it back is the one that was sent away. */
  readonly nonce: string;
  /** Who is signed in there, if anybody. */
  readonly userId?: string | undefined;
}

/** How one person stands with the server of a connection. */
export interface PersonAuth {
  /** Null: it is for everybody. */
  readonly userId: string | null;
  readonly kind: 'personal_token' | 'oauth';
  readonly state: AuthState['state'];
  readonly expiresAt: number | null;
  readonly updatedAt: number;
}

/** Everything a person can do about credentials. Connections that they may not use answer like unknown ones. */
export interface ConnectionAuth {
  state(caller: Caller, connectionId: string): Promise<AuthState>;
  /** The same for each of these connections that they may use, by id. */
  states(caller: Caller, ids: readonly string[]): Promise<ReadonlyMap<string, AuthState>>;
  /** What others have given or were given, for owners and administrators. */
  people(caller: Caller, connectionId: string): Promise<readonly PersonAuth[]>;
  /** How the last authorization of this person went. */
  steps(caller: Caller, connectionId: string): Promise<readonly AuthStep[]>;
  /**
   * Looks whether an authorization can be begun; the address is the page of ours that begins it in the browser of this
   * person, and works for 10 minutes.
   */
  authorize(
    caller: Caller,
    connectionId: string,
  ): Promise<{ readonly url: string; readonly steps: readonly AuthStep[] }>;
  /** What such an address stands for, which an `auth_required` answer has too; throws when it is over. */
  offer(link: string): Promise<AuthorizationOffer>;
  /** Begins the authorization in a browser, which alone can end it. */
  follow(link: string, browser: AuthBrowser): Promise<{ readonly url: string }>;
  /** Ends an authorization with what the browser brought back. Throws a sentence for whoever looks at it. */
  finish(parameters: URLSearchParams, browser: Partial<AuthBrowser>): Promise<Authorized>;
  /** Forgets the token of this person, and tells the server that gave it. Nothing happens when there is none. */
  revoke(caller: Caller, connectionId: string): Promise<void>;
  setToken(caller: Caller, connectionId: string, token: string): Promise<void>;
  removeToken(caller: Caller, connectionId: string): Promise<void>;
  /** The document that tells authorization servers who this server is; undefined without a public https address. */
  clientDocument(): Readonly<Record<string, unknown>> | undefined;
}
