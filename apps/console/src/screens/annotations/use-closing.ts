/** Owns closing a note: resolved or dismissed, with Undo, and opened again. */
import { makeOld } from '../../api/make-old.ts';
import { useAct } from '../../api/use-act.ts';
import { toast } from '../../ui/toast-store.ts';
import { dismiss, reopen, resolve } from './queries.ts';

/** The acts on one note. */
export function useClosing(id: string) {
  const reread = () => makeOld('annotations', 'counts');
  const open = useAct(() => reopen(id), { onDone: reread });
  const closed = (text: string) => () => {
    reread();
    // Not by the act above: what showed the note may be gone by then.
    toast({ text, onUndo: () => reopen(id).then(reread) });
  };
  const done = useAct(() => resolve(id), { onDone: closed('Resolved.') });
  const away = useAct(() => dismiss(id), { onDone: closed('Dismissed.') });
  return { open, done, away };
}
