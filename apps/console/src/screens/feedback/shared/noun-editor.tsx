/** Owns making, changing and deleting what posts are sorted by: the dialog, its name field, and the question before something goes. */
import { useState } from 'react';
import type { ReactNode } from 'react';
import { useAct } from '../../../api/use-act.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDelete, Dialog } from '../../../ui/dialog.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { fieldFaults, refreshFeedback } from './queries.ts';

type Noun = 'board' | 'status' | 'tag';

interface Named {
  readonly id: string;
  readonly name: string;
}

export interface NounFormProps {
  readonly noun: Noun;
  /** What is changed; absent: a new one is made. */
  readonly item: Named | undefined;
  /** Over the form of one that is there. */
  readonly title: string;
  readonly size?: 's' | 'm';
  readonly maxName: number;
  /** Makes or changes it on the server. */
  readonly onSave: (name: string) => Promise<unknown>;
  readonly onClose: () => void;
  /** The fields after the name; what is wrong with each is told by its name. */
  readonly children: (faults: Readonly<Record<string, string>>) => ReactNode;
}

/** The form of one of them; what the server refuses stands at its field. */
export function NounForm({ noun, item, title, size, maxName, onSave, onClose, children }: NounFormProps) {
  const [name, setName] = useState(item?.name ?? '');
  const save = useAct(
    async () => {
      await onSave(name);
      await refreshFeedback();
    },
    { onDone: onClose, isQuiet: true },
  );
  const faults = fieldFaults(save.error);
  const rest = save.error && Object.keys(faults).length === 0 ? save.error.message : undefined;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={save.run}
      title={item ? title : `New ${noun}`}
      size={size}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={save.isBusy}>
            {item ? 'Save' : `Make the ${noun}`}
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Name" isRequired error={faults['name'] ?? rest}>
          <Input value={name} onText={setName} maxLength={maxName} dir="auto" autoFocus />
        </Field>
        {children(faults)}
      </div>
    </Dialog>
  );
}

/** Asks before one of them goes. */
export function DeleteNoun({
  noun,
  item,
  gone,
  onDelete,
  onClose,
}: {
  readonly noun: Noun;
  readonly item: Named;
  readonly gone: readonly string[];
  readonly onDelete: (id: string) => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const remove = useAct(
    async () => {
      await onDelete(item.id);
      await refreshFeedback();
    },
    { onDone: onClose },
  );
  return (
    <ConfirmDelete
      isOpen
      onClose={onClose}
      onConfirm={remove.run}
      isBusy={remove.isBusy}
      title={`Delete the ${noun} “${item.name}”?`}
      gone={gone}
    />
  );
}
