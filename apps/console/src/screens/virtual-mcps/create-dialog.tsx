/** Owns making a virtual MCP: a name, and the connections that it begins with. */
import { useMemo, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { NameChooser } from '../../ui/name-chooser.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import { memberChoices, useMemberCandidates } from './candidates.ts';
import { createVirtualMcp, readSoon } from './queries.ts';

export function CreateDialog({
  onClose,
  onMade,
}: {
  readonly onClose: () => void;
  readonly onMade: (id: string) => void;
}) {
  const [title, setTitle] = useState('');
  const [description, setDescription] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const candidates = useMemberCandidates();
  const choices = useMemo(() => memberChoices(candidates.all), [candidates.all]);
  const make = useAct(
    () => {
      const connections = candidates.all
        .filter(({ label }) => chosen.has(label))
        .map(({ id }) => ({ connection_id: id }));
      return createVirtualMcp({ title, ...(description !== '' && { description }), connections });
    },
    {
      isQuiet: true,
      onDone: ({ item }) => {
        onClose();
        onMade(item.id);
        readSoon();
        toast({ text: `“${item.title}” is made.`, tone: 'green' });
      },
    },
  );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => make.run()}
      title="New virtual MCP"
      description="Of each member all tools are shown at first; which ones, and under which names, is chosen afterwards."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={make.isBusy} disabled={title.trim() === ''}>
            Make it
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Name" isRequired error={make.error?.message}>
          <Input value={title} onText={setTitle} maxLength={255} autoFocus />
        </Field>
        <Field label="About">
          <TextArea value={description} onText={setDescription} maxLength={2000} rows={2} />
        </Field>
        {candidates.isPending ? (
          <Skeleton rows={4} />
        ) : (
          <NameChooser label="Members" choices={choices} chosen={chosen} onChange={setChosen} />
        )}
      </div>
    </Dialog>
  );
}
