/** Owns posting for somebody: what a customer said in a call or a mail becomes a post. */
import { useState } from 'react';
import { request } from '../../../api/request.ts';
import { useAct } from '../../../api/use-act.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input, TextArea } from '../../../ui/field.tsx';
import { Select } from '../../../ui/select.tsx';
import { toast } from '../../../ui/toast-store.ts';
import { fieldFaults, refreshFeedback, useBoards } from '../shared/queries.ts';

/** The form. */
export function NewPost({
  boardId,
  onClose,
  onDone,
}: {
  readonly boardId: string | undefined;
  readonly onClose: () => void;
  readonly onDone: (id: string) => void;
}) {
  const boards = useBoards().data ?? [];
  const [chosen, setChosen] = useState(boardId);
  const [title, setTitle] = useState('');
  const [content, setContent] = useState('');
  const board = chosen ?? boards[0]?.id;
  const save = useAct(
    async () => {
      const made = await request('POST /api/v1/posts', { body: { boardId: board ?? '', title, content } });
      await refreshFeedback();
      return made;
    },
    {
      isQuiet: true,
      onDone: (made) => {
        toast({ text: 'Posted.', tone: 'green' });
        onClose();
        onDone(made.id);
      },
    },
  );
  const faults = fieldFaults(save.error);
  const rest = save.error && Object.keys(faults).length === 0 ? save.error.message : undefined;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={save.run}
      title="New post"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={save.isBusy}>
            Post
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Board" isRequired error={faults['boardId']}>
          <Select
            value={board}
            onChange={setChosen}
            options={boards.map(({ id, name }) => ({ value: id, label: name }))}
          />
        </Field>
        <Field label="Title" isRequired error={faults['title']}>
          <Input value={title} onText={setTitle} maxLength={200} dir="auto" autoFocus />
        </Field>
        <Field label="Text" hint="Markdown" error={faults['content'] ?? rest}>
          <TextArea value={content} onText={setContent} rows={8} maxLength={10_000} dir="auto" />
        </Field>
      </div>
    </Dialog>
  );
}
