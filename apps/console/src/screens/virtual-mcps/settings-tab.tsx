/** Owns the words of a virtual MCP: its name, what it is about, and what clients are told when they connect. */
import { useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { toast } from '../../ui/toast-store.ts';
import { readAgain, updateVirtualMcp } from './queries.ts';
import type { VirtualMcp } from './types.ts';

export function SettingsTab({ virtual }: { readonly virtual: VirtualMcp }) {
  const [title, setTitle] = useState(virtual.title);
  const [description, setDescription] = useState(virtual.description ?? '');
  const [instructions, setInstructions] = useState(virtual.metadata?.instructions ?? '');
  const isChanged =
    title !== virtual.title ||
    description !== (virtual.description ?? '') ||
    instructions !== (virtual.metadata?.instructions ?? '');
  const keep = useAct(
    () =>
      updateVirtualMcp(virtual.id, {
        title,
        description: description === '' ? null : description,
        metadata: { instructions: instructions === '' ? null : instructions },
      }).then(readAgain),
    { isQuiet: true, onDone: () => toast({ text: `“${title}” is changed.`, tone: 'green' }) },
  );
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        keep.run();
      }}
    >
      <Field label="Name" isRequired error={keep.error?.message}>
        <Input value={title} onText={setTitle} maxLength={255} />
      </Field>
      <Field label="About">
        <TextArea value={description} onText={setDescription} maxLength={2000} rows={2} />
      </Field>
      <Field label="Instructions" hint="What clients are told when they connect, in every mode">
        <TextArea value={instructions} onText={setInstructions} maxLength={20_000} rows={6} />
      </Field>
      <div className="row">
        <Button
          kind="primary"
          type="submit"
          isBusy={keep.isBusy}
          disabled={!isChanged || title.trim() === ''}
        >
          Save
        </Button>
      </div>
    </form>
  );
}
