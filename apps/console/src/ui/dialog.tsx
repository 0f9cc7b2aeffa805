/** Owns dialogs: what must be answered before anything else. */
import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { FormEvent, ReactNode } from 'react';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import './dialog.css';

/** What a dialog takes; with `onSubmit` it is a form, and Enter sends it. */
export interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: ReactNode;
  readonly description?: ReactNode;
  /** Buttons; the main one last. */
  readonly footer?: ReactNode;
  readonly onSubmit?: () => void;
  readonly size?: 's' | 'm' | 'l';
  readonly children?: ReactNode;
}

/** A window over the page; Escape closes it. */
export function Dialog(props: DialogProps) {
  const { isOpen, onClose, title, description, footer, onSubmit, size = 'm', children } = props;
  const send = (event: FormEvent) => {
    event.preventDefault();
    onSubmit?.();
  };
  const inside = (
    <>
      <header className="dialog-head">
        <div className="grow">
          <Base.Title className="dialog-title">{title}</Base.Title>
          {description !== undefined && (
            <Base.Description className="dialog-description">{description}</Base.Description>
          )}
        </div>
        {/* Without a hint of its own: the first Escape would only close that. */}
        <button
          type="button"
          className="button button-quiet button-icon button-m"
          aria-label="Close"
          onClick={onClose}
        >
          <X />
        </button>
      </header>
      {children !== undefined && <div className="dialog-body">{children}</div>}
      {footer !== undefined && <footer className="dialog-foot">{footer}</footer>}
    </>
  );
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="dialog-scrim" />
        <Base.Popup className={classes('dialog', `dialog-${size}`)}>
          {onSubmit ? (
            <form className="dialog-form" onSubmit={send} noValidate>
              {inside}
            </form>
          ) : (
            <div className="dialog-form">{inside}</div>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** What a question before something is taken away takes. */
export interface ConfirmDeleteProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
  /** What goes: "Delete the key “CI”?" */
  readonly title: string;
  /** What will be gone with it, one line each. */
  readonly gone?: readonly ReactNode[];
  readonly confirmText?: string;
  /** The way back; "Keep" fits what would be deleted. */
  readonly keepText?: string;
  readonly isBusy?: boolean;
  readonly children?: ReactNode;
}

/** Says what will be gone, and asks. */
export function ConfirmDelete(props: ConfirmDeleteProps) {
  const {
    isOpen,
    onClose,
    onConfirm,
    title,
    gone = [],
    confirmText = 'Delete',
    keepText = 'Keep',
    isBusy,
    children,
  } = props;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      onSubmit={onConfirm}
      title={title}
      size="s"
      footer={
        <>
          <Button onClick={onClose}>{keepText}</Button>
          <Button kind="danger" type="submit" isBusy={isBusy}>
            {confirmText}
          </Button>
        </>
      }
    >
      {gone.length > 0 && (
        <div className="stack">
          <p>Gone with it, for good:</p>
          <ul className="dialog-gone">
            {gone.map((line, index) => (
              <li key={index}>{line}</li>
            ))}
          </ul>
        </div>
      )}
      {children}
    </Dialog>
  );
}
