/** Owns the list of what a person can do; views call these and know nothing of each other. */
import type { Annotation, Captured, Wish } from '../shapes.ts';

/** What the overlay shows. */
export type Mode =
  | 'hidden'
  | 'idle'
  | 'inspect'
  | 'annotate'
  | 'thread'
  | 'preview'
  | 'notes'
  | 'help'
  | 'settings';

/** A note that is being written. */
export interface Draft {
  readonly captured: Captured;
  readonly wish: Wish;
}

/** Everything that buttons and keys can start. */
export interface Actions {
  toggleInspect(): void;
  toggleHidden(): void;
  togglePause(): void;
  copy(notes?: readonly Annotation[]): void;
  clear(): void;
  back(): void;
  openThread(id: string): void;
  openPreview(id: string): void;
  openNotes(): void;
  openHelp(): void;
  openSettings(): void;
  submit(draft: Draft): void;
  reply(id: string, message: string, reopen: boolean): void;
  reopen(id: string): void;
  remove(id: string): void;
  edit(id: string, wish: Partial<Wish>): void;
  answerDiff(note: Annotation, isApproved: boolean, message: string): void;
  setAutoApprove(isOn: boolean): void;
}
