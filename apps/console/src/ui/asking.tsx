/** Owns asking before an act that cannot be taken back: one dialog for all such acts of a part of a screen. */
import { useState } from 'react';
import type { ReactNode } from 'react';
import { ConfirmDelete } from './dialog.tsx';
import type { ConfirmDeleteProps } from './dialog.tsx';

/** What is asked, and what happens on yes. */
type Question = Pick<ConfirmDeleteProps, 'title' | 'gone' | 'confirmText' | 'keepText' | 'children'> & {
  readonly onYes: () => void;
};

/**
 * Asks, then acts.
 *
 *     const asking = useAsking();
 *     <Button onClick={() => asking.ask({ title: 'Cancel the task?', gone: [...], onYes: () => cancel.run() })} />
 *     {asking.dialog}
 */
export function useAsking(): { readonly ask: (question: Question) => void; readonly dialog: ReactNode } {
  const [question, setQuestion] = useState<Question>();
  const close = () => setQuestion(undefined);
  return {
    ask: setQuestion,
    dialog: question && (
      <ConfirmDelete
        {...question}
        isOpen
        onClose={close}
        onConfirm={() => {
          close();
          question.onYes();
        }}
      />
    ),
  };
}
