/** Owns the short messages at the edge of the page: which are shown, and for how long. */
import { detach } from '../detach.ts';
import type { Tone } from './badge.tsx';

/** What a message says; with `onUndo` it offers to take the act back. */
export interface ToastText {
  readonly text: string;
  readonly tone?: Tone;
  readonly onUndo?: () => Promise<unknown> | void;
  /** Another act instead of Undo. */
  readonly action?: { readonly label: string; readonly onSelect: () => void };
}

/** A message that is shown. */
export interface ShownToast extends ToastText {
  readonly id: number;
}

const SHOWN_MS = 6_000;
const MOST_SHOWN = 4;

let shown: readonly ShownToast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

/** Shows a message: `toast({ text: 'Key revoked', onUndo: restore })`. */
export function toast(message: ToastText): void {
  lastId += 1;
  const id = lastId;
  set([...shown, { ...message, id }].slice(-MOST_SHOWN));
  setTimeout(() => dismissToast(id), SHOWN_MS);
}

/** Takes a message away. */
export function dismissToast(id: number): void {
  set(shown.filter((one) => one.id !== id));
}

/** Takes back what a message was about. */
export function undoToast(message: ShownToast): void {
  dismissToast(message.id);
  const work = message.onUndo?.();
  if (work)
    detach(work, (error) => {
      toast({ text: error instanceof Error ? error.message : String(error), tone: 'red' });
    });
}

/** For `useSyncExternalStore`. */
export const toastStore = {
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  },
  read: () => shown,
};

function set(next: readonly ShownToast[]): void {
  shown = next;
  for (const listener of listeners) listener();
}
