/** Owns making, changing and deleting a roadmap. */
import { useState } from 'react';
import { request } from '../../../api/request.ts';
import { useAct } from '../../../api/use-act.ts';
import { Button } from '../../../ui/button.tsx';
import { Switch } from '../../../ui/checkbox.tsx';
import { ConfirmDelete, Dialog } from '../../../ui/dialog.tsx';
import { Field, Input, TextArea } from '../../../ui/field.tsx';
import { fieldFaults, refreshFeedback } from '../shared/queries.ts';
import type { Roadmap } from '../shared/types.ts';

/** The form of a roadmap. */
export function RoadmapForm({
  roadmap,
  onClose,
  onGone,
  onMade,
}: {
  readonly roadmap: Roadmap | undefined;
  readonly onClose: () => void;
  readonly onGone: () => void;
  readonly onMade: (slug: string) => void;
}) {
  const [name, setName] = useState(roadmap?.name ?? '');
  const [description, setDescription] = useState(roadmap?.description ?? '');
  const [isPublic, setPublic] = useState(roadmap?.isPublic ?? true);
  const [isDeleting, setDeleting] = useState(false);
  const save = useAct(
    async () => {
      const body = { name, description: description.trim() === '' ? null : description, isPublic };
      const saved = await (roadmap
        ? request('PATCH /api/v1/roadmaps/{id}', { path: { id: roadmap.id }, body })
        : request('POST /api/v1/roadmaps', { body }));
      await refreshFeedback();
      return saved;
    },
    {
      isQuiet: true,
      onDone: ({ slug }) => {
        onClose();
        if (!roadmap) onMade(slug);
      },
    },
  );
  const remove = useAct(
    async () => {
      await request('DELETE /api/v1/roadmaps/{id}', { path: { id: roadmap?.id ?? '' } });
      await refreshFeedback();
    },
    {
      onDone: () => {
        onClose();
        onGone();
      },
    },
  );
  const faults = fieldFaults(save.error);
  const rest = save.error && Object.keys(faults).length === 0 ? save.error.message : undefined;
  return (
    <>
      <Dialog
        isOpen={!isDeleting}
        onClose={onClose}
        onSubmit={save.run}
        title={roadmap ? `Settings of ${roadmap.name}` : 'New roadmap'}
        footer={
          <>
            {roadmap && (
              <Button kind="danger" onClick={() => setDeleting(true)}>
                Delete
              </Button>
            )}
            <span className="grow" />
            <Button onClick={onClose}>Cancel</Button>
            <Button kind="primary" type="submit" isBusy={save.isBusy}>
              {roadmap ? 'Save' : 'Make the roadmap'}
            </Button>
          </>
        }
      >
        <div className="stack">
          <Field label="Name" isRequired error={faults['name'] ?? rest}>
            <Input value={name} onText={setName} maxLength={100} dir="auto" autoFocus />
          </Field>
          <Field label="Description" error={faults['description']}>
            <TextArea value={description} onText={setDescription} maxLength={500} dir="auto" />
          </Field>
          <Switch isChecked={isPublic} onChange={setPublic} hint="Off: only the team sees it.">
            Public
          </Switch>
        </div>
      </Dialog>
      {roadmap && (
        <ConfirmDelete
          isOpen={isDeleting}
          onClose={() => setDeleting(false)}
          onConfirm={remove.run}
          isBusy={remove.isBusy}
          title={`Delete the roadmap “${roadmap.name}”?`}
          gone={['The roadmap and the order of its posts. The posts themselves stay.']}
        />
      )}
    </>
  );
}
