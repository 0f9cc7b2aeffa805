/** Owns clearing all notes, with a short time in which it can be undone. */
import type { Annotation } from '../shapes.ts';
import type { TabSession } from './connection/session.ts';
import { isLocal } from './connection/state.ts';
import type { Shelf } from './connection/storage.ts';
import type { Toast } from './ui/toast.ts';

const UNDO_MS = 6_000;

/** Clears notes: hidden at once; open ones are dismissed and closed ones forgotten when the time to undo is over. */
export function createClear(
  session: TabSession,
  tab: Shelf,
  toast: Toast,
): (notes: readonly Annotation[]) => void {
  let cleared = (tab.read('cleared') as string[] | undefined) ?? []; // written below
  let finish: (() => void) | undefined;
  const hide = (more: readonly string[] = []): void =>
    session.state.setHidden(new Set([...cleared, ...more]));
  hide();
  addEventListener('pagehide', () => finish?.());
  return (shown) => {
    finish?.();
    const notes = shown.filter((note) => !isLocal(note));
    if (notes.length === 0) return;
    hide(notes.map(({ id }) => id));
    const timer = setTimeout(() => finish?.(), UNDO_MS);
    const end = (): void => {
      clearTimeout(timer);
      finish = undefined;
      hide();
    };
    finish = () => {
      const open = notes.filter(({ status }) => status !== 'resolved' && status !== 'dismissed');
      cleared = [...cleared, ...notes.map(({ id }) => id)];
      tab.write('cleared', cleared);
      end();
      if (open.length > 0)
        session.send({ type: 'annotations:clear', payload: { ids: open.map(({ id }) => id) } });
    };
    const what = notes.length === 1 ? '1 note cleared' : `${notes.length} notes cleared`;
    toast(what, { label: 'Undo', run: end }, UNDO_MS);
  };
}
