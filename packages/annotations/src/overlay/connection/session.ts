/** Owns this tab's session: link, state and waiting messages joined into one. */
import { detach } from '../../detach.ts';
import type { ClientMessage, ServerMessage } from '../../link/messages.ts';
import { viewportNow } from '../capture/capture.ts';
import { detectFramework } from '../capture/component.ts';
import type { Link } from './link.ts';
import { createLink } from './link.ts';
import type { ChangeMessage, Waiting } from './outbox.ts';
import { openOutbox } from './outbox.ts';
import { openSiblingTabs } from './sibling-tabs.ts';
import type { StateStore } from './state.ts';
import { createState } from './state.ts';
import type { Shelf } from './storage.ts';

export interface SessionParts {
  readonly server: string;
  readonly token: string;
  readonly shelf: Shelf;
  onError(message: string): void;
}

export interface TabSession {
  readonly state: StateStore;
  send(message: ChangeMessage): void;
  setAutoApprove(isOn: boolean): void;
  /** Tells the server where the page is now. */
  tellPlace(): void;
  close(): void;
}

const GAP_PAUSE_MS = 10_000;

/** Starts the session; a token of this tab or of a sibling resumes an old one. */
export function openSession(parts: SessionParts): TabSession {
  const { server, token, shelf } = parts;
  let link: Link | undefined;
  let isClosed = false;
  let lastGap = 0;
  const sessionToken = (): string | undefined => shelf.read('session') as string | undefined; // written below
  const outbox = openOutbox(shelf);
  const state = createState(() => {
    if (Date.now() - lastGap < GAP_PAUSE_MS) return;
    lastGap = Date.now();
    link?.reconnect();
  });
  const siblings = openSiblingTabs(server, sessionToken);

  const hello = (): ClientMessage => {
    const own = sessionToken();
    const payload = {
      token,
      ...(own !== undefined && { sessionToken: own }),
      ...placeNow(),
      framework: detectFramework(),
    };
    return {
      type: 'hello',
      payload: { ...payload, userAgent: navigator.userAgent.slice(0, 512), protocol: 1 },
    };
  };
  const onMessage = (message: ServerMessage, answered: Waiting | undefined): void => {
    if (message.type === 'session:ready') {
      shelf.write('session', message.payload.sessionToken);
      dropAnswered(message.payload.annotations);
    }
    state.apply(message);
    if (answered !== undefined) state.setWaiting(outbox.all());
    if (message.type === 'error' && answered !== undefined) parts.onError(message.payload.message);
  };
  // A reply whose answer was lost with the connection is there already.
  const dropAnswered = (
    notes: Extract<ServerMessage, { type: 'session:ready' }>['payload']['annotations'],
  ): void => {
    for (const { id, message, wasSent } of outbox.all()) {
      if (!wasSent || message.type !== 'annotation:reply') continue;
      const replies = notes.find((note) => note.id === message.payload.id)?.replies ?? [];
      const last = replies.findLast(({ author }) => author === 'user');
      if (last?.message === message.payload.message) outbox.remove(id);
    }
  };
  const start = async (): Promise<void> => {
    await pageIsBuilt();
    if (sessionToken() === undefined) {
      const shared = await siblings.ask();
      if (shared !== undefined) shelf.write('session', shared);
    }
    if (isClosed) return;
    link = createLink({ server, outbox, hello, forgetSession, onConnection: state.setConnection, onMessage });
  };
  const forgetSession = (): boolean => {
    const had = sessionToken() !== undefined;
    shelf.write('session', undefined);
    return had;
  };
  state.setWaiting(outbox.all());
  detach(start(), reportError);

  return {
    state,
    send(message) {
      const isTaken = link === undefined ? outbox.add(message) : link.send(message);
      if (!isTaken) parts.onError('Too many notes wait for the server. Start it, then write on.');
      state.setWaiting(outbox.all());
    },
    setAutoApprove(autoApprove) {
      link?.tell({ type: 'session:update', payload: { autoApprove } });
      state.setAutoApprove(autoApprove);
    },
    tellPlace: () => link?.tell({ type: 'session:update', payload: placeNow() }),
    close() {
      isClosed = true;
      siblings.close();
      link?.close();
    },
  };
}

// By then the page's framework has put its marks on the page.
async function pageIsBuilt(): Promise<void> {
  if (document.readyState === 'loading') {
    await new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve, { once: true }));
  }
  await new Promise((resolve) => setTimeout(resolve));
}

function placeNow() {
  return {
    url: location.href.slice(0, 4_000),
    title: document.title.slice(0, 1_000),
    viewport: viewportNow(),
  };
}
