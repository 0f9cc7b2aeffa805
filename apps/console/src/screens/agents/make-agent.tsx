/** Owns making an agent, and showing its first key this once. */
import { useState } from 'react';
import { makeOld } from '../../api/make-old.ts';
import { useAct } from '../../api/use-act.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { makeAgent } from './queries.ts';

export function MakeAgent({
  onClose,
  onMade,
}: {
  readonly onClose: () => void;
  readonly onMade: (id: string) => void;
}) {
  const [name, setName] = useState('');
  const [about, setAbout] = useState('');
  const [made, setMade] = useState<{ readonly id: string; readonly key: string }>();
  const make = useAct(() => makeAgent(name.trim(), about), {
    isQuiet: true,
    onDone(agent) {
      setMade(agent);
      makeOld('agents', 'keys');
    },
  });
  if (made !== undefined)
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title="The key of the agent"
        description="It is shown this once: give it to the program that the agent runs in."
        footer={
          <Button
            kind="primary"
            onClick={() => {
              onMade(made.id);
              onClose();
            }}
          >
            I have it
          </Button>
        }
      >
        <CodeBlock text={made.key} isWrapped />
      </Dialog>
    );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => make.run()}
      title="New agent"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={make.isBusy} disabled={name.trim() === ''}>
            Make it
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Name" isRequired error={make.error?.message}>
          <Input value={name} onText={setName} maxLength={100} autoFocus />
        </Field>
        <Field label="What it is for" hint="Other agents see it">
          <TextArea value={about} onText={setAbout} maxLength={1000} />
        </Field>
      </div>
    </Dialog>
  );
}
