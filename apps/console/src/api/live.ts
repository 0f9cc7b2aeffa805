/** Owns the one live stream of the tab: what changed makes old what was read; a lost stream comes back by itself. */
import type { Query } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { detach } from '../detach.ts';
import { ApiError, clientHooks } from './client.ts';
import { queryClient } from './query.ts';
import { request } from './request.ts';
import type { Topic } from './types.ts';

/** The server lost count: everything may be old. */
const EVERYTHING = '*';

/** Something changed: which noun, which one, and its new version. */
export interface LiveMessage {
  readonly topic: Topic | typeof EVERYTHING;
  readonly id: string | null;
  readonly version?: number;
}

/** `live`: messages come; `connecting`: not yet or not any more; `paused`: the tab is hidden. */
export type LiveState = 'live' | 'connecting' | 'paused';

/** So many changes a second become one refetch. */
const GATHER_MS = 250;
/** Lists of more pages than this are read again at most so often. */
const LONG_PAGES = 10;
const LONG_MS = 15_000;
const RETRY_MS = [500, 1_000, 2_000, 4_000, 8_000] as const;

const listeners = new Map<Topic, Set<(message: LiveMessage) => void>>();
const stateListeners = new Set<() => void>();
const changedTopics = new Set<Topic>();
let state: LiveState = 'connecting';
let source: EventSource | undefined;
let gatherTimer: ReturnType<typeof setTimeout> | undefined;
let retryTimer: ReturnType<typeof setTimeout> | undefined;
let failures = 0;
let longTimer: ReturnType<typeof setTimeout> | undefined;
const longTopics = new Set<string>();
// What was read before the stream was there may have changed untold, at the first opening too.
let hasMissed = true;
let isWanted = false;

/** Starts the stream; called once a person is signed in. */
export function startLive(): void {
  if (isWanted) return;
  isWanted = true;
  document.addEventListener('visibilitychange', onVisibility);
  onVisibility();
}

/** Ends the stream; called when the person signs out. */
export function stopLive(): void {
  isWanted = false;
  document.removeEventListener('visibilitychange', onVisibility);
  close('connecting');
}

/** Tries at once instead of at the next try. */
export function retryLive(): void {
  if (!isWanted || state === 'live') return;
  close('connecting');
  open();
}

/**
 * Listens to topics while the component is there. Queries whose key starts with a topic are refetched anyway;
 * `onMessage` is for what needs to know more.
 */
export function useLive(topics: readonly Topic[], onMessage?: (message: LiveMessage) => void): LiveState {
  const names = topics.join(',');
  useEffect(() => {
    if (!onMessage) return undefined;
    const mine = names.split(',') as Topic[]; // Joined from topics above
    for (const topic of mine) {
      const set = listeners.get(topic) ?? new Set();
      listeners.set(topic, set.add(onMessage));
    }
    return () => {
      for (const topic of mine) listeners.get(topic)?.delete(onMessage);
    };
  }, [names, onMessage]);
  return useLiveState();
}

/** Whether messages come right now. */
export function useLiveState(): LiveState {
  return useSyncExternalStore(subscribeState, () => state);
}

function subscribeState(listener: () => void): () => void {
  stateListeners.add(listener);
  return () => {
    stateListeners.delete(listener);
  };
}

function setState(next: LiveState): void {
  if (state === next) return;
  state = next;
  for (const listener of stateListeners) listener();
}

function onVisibility(): void {
  if (document.hidden) {
    hasMissed = true;
    close('paused');
  } else if (!source) {
    open();
  }
}

function open(): void {
  clearTimeout(retryTimer);
  setState('connecting');
  const stream = new EventSource('/api/live');
  source = stream;
  stream.addEventListener('open', () => {
    failures = 0;
    clientHooks.onReachable(true);
    setState('live');
    if (hasMissed) catchUp();
  });
  stream.addEventListener('message', (event: MessageEvent<string>) => {
    onMessage(event.data);
  });
  stream.addEventListener('signed-out', () => {
    stopLive();
    clientHooks.onSignedOut();
  });
  stream.addEventListener('error', () => {
    if (source !== stream) return;
    hasMissed = true;
    close('connecting');
    retryTimer = setTimeout(open, RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]);
    failures += 1;
    // The stream does not say why it ended; a request does.
    detach(request('GET /api/session'), (error) => {
      if (error instanceof ApiError && error.status === 401) clientHooks.onSignedOut();
    });
  });
}

function close(next: LiveState): void {
  clearTimeout(retryTimer);
  source?.close();
  source = undefined;
  setState(next);
}

/** What happened meanwhile was not told: everything that is shown is read again. */
function catchUp(): void {
  hasMissed = false;
  detach(queryClient.invalidateQueries(), reportError);
}

function onMessage(text: string): void {
  const message = parse(text);
  if (!message) return;
  if (message.topic === EVERYTHING) return catchUp();
  changedTopics.add(message.topic);
  gatherTimer ??= setTimeout(flushSoon, GATHER_MS);
  for (const listener of listeners.get(message.topic) ?? []) listener(message);
}

function flushSoon(): void {
  detach(flush(), reportError);
}

/** Reads again what has changed. What changes meanwhile waits for the end of it: a reading that is begun anew with every change never ends. */
async function flush(): Promise<void> {
  const topics = [...changedTopics, 'counts'];
  changedTopics.clear();
  try {
    await readAgain(topics, (query) => !isLong(query));
    longTimer ??= setTimeout(() => {
      longTimer = undefined;
      detach(readAgain(longTopics, isLong), reportError);
      longTopics.clear();
    }, LONG_MS);
    for (const topic of topics) longTopics.add(topic);
  } finally {
    gatherTimer = changedTopics.size > 0 ? setTimeout(flushSoon, GATHER_MS) : undefined;
  }
}

async function readAgain(topics: Iterable<string>, predicate: (query: Query) => boolean): Promise<void> {
  const all = [...topics].map((topic) => queryClient.invalidateQueries({ queryKey: [topic], predicate }));
  await Promise.all(all);
}

/** A list that somebody went down far: all of its pages would be read again with every change. */
function isLong({ state: { data } }: Query): boolean {
  const pages: unknown =
    typeof data === 'object' && data !== null && 'pages' in data ? data.pages : undefined;
  return Array.isArray(pages) && pages.length > LONG_PAGES;
}

function parse(text: string): LiveMessage | undefined {
  try {
    return JSON.parse(text) as LiveMessage; // The route's document says what it is
  } catch {
    return undefined;
  }
}
