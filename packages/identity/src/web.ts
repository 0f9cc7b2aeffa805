/** The face of signing in to the console; its code is loaded by the first who needs it. */
import type { Caller } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import type { RoleGrants } from './roles.ts';
import type { Account } from './services/sign-in/account.ts';
import type { HolderOfKey, Shown, ShownAgain } from './services/sign-in/entering.ts';
import type { SignInLink } from './services/sign-in/links.ts';
import type { TeamMembership } from './services/sign-in/memberships.ts';
import type { PasskeyAnswer, PasskeyInfo, PasskeyQuestion, Site } from './services/sign-in/passkeys.ts';
import type {
  OpenedWebSession,
  SignInPlace,
  TeamSessionInfo,
  WebSession,
  WebSessionInfo,
} from './services/sign-in/web-sessions.ts';

/** Who is signed in to the console, and how they get in. */
export interface Web {
  /** False where there is no console to sign in to. */
  readonly isOpen: boolean;
  /** A link that signs somebody of a team in once, within 15 minutes; without a name for the first owner. */
  createLink(who?: string): Promise<SignInLink>;
  /** True once an owner has a password or a passkey. */
  hasOwnerSignIn(): Promise<boolean>;
  /** Lets somebody in; undefined for whatever is worth nothing, in the same time. Too many attempts are `rate_limited`. */
  enter(shown: Shown, place: SignInPlace): Promise<OpenedWebSession | undefined>;
  /** The session of a token; undefined when it is unknown, over, or its person is of no team any more. */
  find(token: string): Promise<WebSession | undefined>;
  /** Makes a session fresh for 15 minutes when its person shows again who they are; false when they do not. */
  prove(session: WebSession, shown: ShownAgain): Promise<boolean>;
  /** Goes to another organization of the person; false where they are not of the team. */
  move(session: WebSession, organizationId: string): Promise<boolean>;
  list(userId: string): Promise<WebSessionInfo[]>;
  /** Ends a session of a person; false when there is none of this id. */
  end(userId: string, id: string): Promise<boolean>;
  /** The browsers in which anybody works in an organization; at most 500, those used last. */
  listTeam(organizationId: string): Promise<TeamSessionInfo[]>;
  /** Ends a session of somebody in the caller's organization who does not stand above them; false when there is none of this id. */
  endTeam(caller: Caller, id: string): Promise<boolean>;
  /** The organizations whose team a person is of. */
  memberships(userId: string): Promise<TeamMembership[]>;
  account(userId: string): Promise<Account | undefined>;
  changeAccount(
    session: WebSession,
    change: { readonly name?: string | undefined; readonly email?: string | undefined },
  ): Promise<void>;
  /** Keeps a password and ends every other session; false when the one before is wrong. */
  setPassword(session: WebSession, given: NewPassword): Promise<boolean>;
  readonly passkeys: Passkeys;
}

/** What a new password comes with. */
export interface NewPassword {
  readonly password: string;
  /** The one before; needed where there is one and nobody has just shown who they are. */
  readonly current?: string | undefined;
  readonly isFresh: boolean;
}

/** The passkeys of people. */
export interface Passkeys {
  list(userId: string): Promise<PasskeyInfo[]>;
  /** What a browser has to sign so that somebody is let in. */
  ask(site: Site): Promise<PasskeyQuestion<object>>;
  /** What a browser has to make a new passkey for. */
  askForNew(session: WebSession, site: Site): Promise<PasskeyQuestion<object> | undefined>;
  add(
    session: WebSession,
    given: PasskeyAnswer & { readonly site: Site; readonly name: string },
  ): Promise<PasskeyInfo>;
  /** False when there is none of this id. */
  remove(session: WebSession, id: string): Promise<boolean>;
}

const code = () => import('./sign-in.ts');

export function createWeb(
  store: Store,
  parts: {
    readonly now: () => number;
    readonly builtIn: RoleGrants;
    readonly onError: (error: unknown) => void;
    readonly holderOf: HolderOfKey;
    readonly isOpen: boolean;
  },
): Web {
  const { now, builtIn, onError, isOpen } = parts;
  const selfOf = ({ id: sessionId, userId, caller }: WebSession) => ({ sessionId, userId, caller });
  const changing = <T>(work: (tx: StoreTransaction) => Promise<T>) => store.transaction(work);
  return {
    isOpen,
    createLink: async (who) => {
      const { createLink } = await code();
      return changing((tx) => createLink(tx, who, now()));
    },
    hasOwnerSignIn: async () => (await code()).hasOwnerSignIn(store),
    enter: async (shown, place) => (await code()).enter(store, shown, place, parts),
    find: async (token) =>
      isOpen ? (await code()).findWebSession(store, token, { now: now(), builtIn, onError }) : undefined,
    prove: async ({ id, userId }, shown) => {
      const { isAgain, proveWebSession } = await code();
      if (!(await isAgain(store, shown, { userId, sessionId: id }, parts))) return false;
      await proveWebSession(store, id, now());
      return true;
    },
    move: async (session, organizationId) => {
      const { moveWebSession } = await code();
      return changing((tx) => moveWebSession(tx, session, organizationId));
    },
    list: async (userId) => (await code()).listWebSessions(store, userId, now()),
    end: async (userId, id) => {
      const { endWebSessions } = await code();
      return changing((tx) => endWebSessions(tx, userId, { id }));
    },
    listTeam: async (organizationId) => (await code()).listTeamSessions(store, organizationId, now()),
    endTeam: async (caller, id) => {
      const { endTeamSession } = await code();
      return changing((tx) => endTeamSession(tx, caller, id, now()));
    },
    memberships: async (userId) => (await code()).teamMemberships(store, userId),
    account: async (userId) => (await code()).accountOf(store, userId),
    changeAccount: async (session, change) =>
      (await code()).changeAccount(store, selfOf(session), change, now()),
    async setPassword(session, { password, current, isFresh }) {
      const { isAgain, setPassword } = await code();
      const shown = { method: 'password', password: current ?? '' } as const;
      // Whoever guesses at the one before is slowed down as at the door.
      const isProven =
        current === undefined
          ? isFresh
          : await isAgain(store, shown, { userId: session.userId, sessionId: session.id }, parts);
      return isProven && setPassword(store, selfOf(session), password, now());
    },
    passkeys: {
      list: async (userId) => (await code()).listPasskeys(store, userId),
      ask: async (site) => (await code()).askForPasskey(store, site, now()),
      askForNew: async ({ userId }, site) => {
        const { accountOf, askForNewPasskey } = await code();
        const account = await accountOf(store, userId);
        return account && askForNewPasskey(store, site, account, now());
      },
      add: async (session, given) => (await code()).addPasskey(store, selfOf(session), given, now()),
      remove: async (session, id) => (await code()).removePasskey(store, selfOf(session), id, now()),
    },
  };
}
