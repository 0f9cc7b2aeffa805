/** Owns choosing where a replay begins: a number, or all that is kept. */
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';

const CURSOR = /^\d{1,15}$/;

/** Asks for the cursor. */
export function ReplayDialog({
  isOpen,
  onClose,
  onChoose,
}: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onChoose: (after: string) => void;
}) {
  const [text, setText] = useState('0');
  const cursor = text.trim();
  const isRight = CURSOR.test(cursor);
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      size="s"
      title="Replay from a cursor"
      description="Shows events in the order in which they happened, as a program that lost its place reads them. Nothing is delivered again."
      onSubmit={() => isRight && onChoose(cursor)}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={!isRight}>
            Replay
          </Button>
        </>
      }
    >
      <Field
        label="After number"
        hint="The number of the last event that was seen; 0 begins with the oldest that is kept."
        error={isRight ? undefined : 'A number, such as 120'}
      >
        <Input inputMode="numeric" value={text} onText={setText} autoFocus />
      </Field>
    </Dialog>
  );
}
