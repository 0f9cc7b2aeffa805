/** Owns the link to the server: hello, reconnect, the waiting messages, and which transport is used. */
import type { ClientMessage, ServerMessage } from '../../link/messages.ts';
import type { ChangeMessage, Outbox, Waiting } from './outbox.ts';
import type { Ending, Transport } from './transport.ts';
import { openSocket, openStream } from './transport.ts';

/** How the link stands. */
export type LinkState =
  | { readonly state: 'connecting' | 'online' }
  /** Blocked: the page's own policy does not let the link out. */
  | { readonly state: 'offline'; readonly isBlocked?: boolean }
  | { readonly state: 'refused'; readonly reason: string };

export interface LinkParts {
  readonly server: string;
  readonly outbox: Outbox;
  hello(): ClientMessage;
  /** Forgets the session after the server refused it; false when there was none to forget. */
  forgetSession(): boolean;
  onConnection(connection: LinkState): void;
  onMessage(message: ServerMessage, answered: Waiting | undefined): void;
}

/** The running link. */
export interface Link {
  /** Sends now or as soon as the server is there; false when too much waits already. */
  send(message: ChangeMessage): boolean;
  /** Sends only when connected. */
  tell(message: ClientMessage): void;
  reconnect(): void;
  close(): void;
}

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 10_000;
const PING_MS = 10_000;
// The server takes 20 a second and 60 at once.
const FREE_MESSAGES = 40;
const PACE_MS = 60;

/** Starts connecting at once. */
export function createLink(parts: LinkParts): Link {
  const { server, outbox } = parts;
  let transport: Transport | undefined;
  let isReady = false;
  let isClosed = false;
  let useStream = false;
  let attempts = 0;
  let retry = 0;
  let inFlight: string | undefined;
  let sentInARow = 0;
  let isBlocked = false;

  const pump = (): void => {
    const next = outbox.all()[0];
    if (!isReady || next === undefined || inFlight !== undefined) {
      if (next === undefined) sentInARow = 0;
      return;
    }
    inFlight = next.id;
    sentInARow += 1;
    setTimeout(
      () => {
        outbox.markSent(next.id);
        transport?.send(next.message);
      },
      sentInARow > FREE_MESSAGES ? PACE_MS : 0,
    );
  };

  const settle = (message: ServerMessage): Waiting | undefined => {
    if (message.type === 'session:ready') {
      isReady = true;
      isBlocked = false;
      attempts = 0;
      inFlight = undefined;
      return undefined;
    }
    if (message.id === undefined || message.id !== inFlight) return undefined;
    inFlight = undefined;
    const isForLater =
      message.type === 'error' && ['rate_limited', 'unavailable'].includes(message.payload.code);
    if (isForLater) {
      setTimeout(pump, 2_000);
      return undefined;
    }
    return outbox.remove(message.id);
  };

  const onMessage = (message: ServerMessage): void => {
    const answered = settle(message);
    parts.onMessage(message, answered);
    if (message.type === 'session:ready') parts.onConnection({ state: 'online' });
    if (message.type !== 'error' || answered !== undefined) pump();
  };

  const onEnded = ({ wasOpen, refused, reason }: Ending): void => {
    transport = undefined;
    isReady = false;
    inFlight = undefined;
    if (isClosed) return;
    if (refused) {
      const hadSession = parts.forgetSession();
      if (!hadSession) parts.onConnection({ state: 'refused', reason });
      again(hadSession ? 0 : LAST_RETRY_MS);
      return;
    }
    // One failed upgrade is enough to try the stream; a failed stream goes back to the socket.
    const wasStream = useStream;
    useStream = wasStream ? wasOpen : !wasOpen;
    if (useStream && !wasStream) return connect();
    parts.onConnection({ state: 'offline', isBlocked });
    const delayMs = Math.min(FIRST_RETRY_MS * 2 ** attempts, LAST_RETRY_MS);
    attempts += 1;
    again(delayMs * (0.75 + Math.random() / 4));
  };

  const again = (delayMs: number): void => {
    clearTimeout(retry);
    retry = window.setTimeout(connect, delayMs);
  };

  const connect = (): void => {
    clearTimeout(retry);
    if (isClosed || transport !== undefined) return;
    const open = useStream ? openStream : openSocket;
    const mine = open(server, parts.hello(), {
      message: (message) => mine === transport && onMessage(message),
      ended: (ending) => mine === transport && onEnded(ending),
    });
    transport = mine;
  };

  const wake = (): void => {
    if (document.visibilityState === 'visible' && transport === undefined) connect();
  };
  const onViolation = ({
    disposition,
    effectiveDirective,
    blockedURI,
  }: SecurityPolicyViolationEvent): void => {
    const isOurs = blockedURI.replace(/^ws/, 'http').startsWith(server);
    if (disposition === 'enforce' && effectiveDirective === 'connect-src' && isOurs) isBlocked = true;
  };
  document.addEventListener('securitypolicyviolation', onViolation);
  document.addEventListener('visibilitychange', wake);
  addEventListener('online', wake);
  const ping = setInterval(() => {
    if (isReady) transport?.send({ type: 'session:ping', payload: { url: location.href } });
  }, PING_MS);

  parts.onConnection({ state: 'connecting' });
  // Not in the page's own turn, so that loading is not held up.
  again(0);
  return {
    send(message) {
      const isTaken = outbox.add(message);
      pump();
      return isTaken;
    },
    tell(message) {
      if (isReady) transport?.send(message);
    },
    reconnect() {
      transport?.close();
    },
    close() {
      isClosed = true;
      clearTimeout(retry);
      clearInterval(ping);
      document.removeEventListener('securitypolicyviolation', onViolation);
      document.removeEventListener('visibilitychange', wake);
      removeEventListener('online', wake);
      transport?.close();
    },
  };
}
