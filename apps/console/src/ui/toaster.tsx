/** Owns showing the short messages. */
import { X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { Button, IconButton } from './button.tsx';
import { dismissToast, toastStore, undoToast } from './toast-store.ts';
import './toaster.css';
import { useKeys } from './use-keys.ts';

/** The place where messages come up; the frame has one. */
export function Toaster() {
  const shown = useSyncExternalStore(toastStore.subscribe, toastStore.read);
  const last = shown.findLast(({ onUndo }) => onUndo);
  // No way by Tab is short enough for what is shown so shortly.
  useKeys(last ? { z: () => undoToast(last) } : {});
  return (
    <div className="toaster" role="status" aria-live="polite">
      {shown.map((message) => (
        <div key={message.id} className={`toast toast-${message.tone ?? 'neutral'}`}>
          <span className="grow">{message.text}</span>
          {message.onUndo && (
            <Button
              size="s"
              title={message === last ? 'Undo (z)' : undefined}
              onClick={() => undoToast(message)}
            >
              Undo
            </Button>
          )}
          {message.action && (
            <Button size="s" onClick={message.action.onSelect}>
              {message.action.label}
            </Button>
          )}
          <IconButton size="s" label="Dismiss" icon={<X />} onClick={() => dismissToast(message.id)} />
        </div>
      ))}
    </div>
  );
}
