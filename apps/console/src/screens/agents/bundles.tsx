/** Owns the bundles of the organization: sets of tools with words, made, changed, set back and deleted. */
import { Package, Plus } from 'lucide-react';
import { useState } from 'react';
import { makeOld } from '../../api/make-old.ts';
import { request } from '../../api/request.ts';
import type { Bundle } from '../../api/schema.ts';
import { useAct } from '../../api/use-act.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDelete, Dialog } from '../../ui/dialog.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { NameChooser } from '../../ui/name-chooser.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import { useBundles, useToolNames } from './bundle-queries.ts';

/** The place of bundles. */
export function BundlesPlace() {
  const query = useBundles();
  const [edited, setEdited] = useState<Bundle | 'new'>();
  const make = (
    <Button size="s" kind="primary" icon={<Plus />} onClick={() => setEdited('new')}>
      New bundle
    </Button>
  );
  return (
    <Page
      title="Bundles"
      description="Sets of tools with words for whoever gets them. Given to an agent, a bundle adds its tools to what the agent has."
      actions={make}
    >
      {query.isPending && <Skeleton rows={6} kind="row" />}
      {query.error !== null && <ErrorState error={query.error} onRetry={() => query.refetch()} />}
      {query.data?.length === 0 && <EmptyState icon={<Package />} title="No bundles" action={make} />}
      {query.data && query.data.length > 0 && (
        <Card>
          <ul className="agents-list">
            {query.data.map((bundle) => (
              <BundleLine key={bundle.id} bundle={bundle} onEdit={() => setEdited(bundle)} />
            ))}
          </ul>
        </Card>
      )}
      {edited !== undefined && (
        <BundleDialog bundle={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </Page>
  );
}

function BundleLine({ bundle, onEdit }: { readonly bundle: Bundle; readonly onEdit: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const path = { id: bundle.id };
  const remove = useAct(() => request('DELETE /api/skill-bundles/{id}', { path }), {
    onDone: () => makeOld('agents'),
  });
  const reset = useAct(() => request('POST /api/skill-bundles/{id}/reset', { path }), {
    onDone() {
      makeOld('agents');
      toast({ text: `“${bundle.name}” is as it began.` });
    },
  });
  return (
    <li className="agents-line">
      <div className="grow stack">
        <span className="row-wrap">
          <strong dir="auto">{bundle.name}</strong>
          {bundle.preset && <Badge>preset</Badge>}
          <span className="faint number">{bundle.tools.length} tools</span>
        </span>
        {bundle.description !== '' && (
          <span className="muted" dir="auto">
            {bundle.description}
          </span>
        )}
        <span className="agents-text small muted">{bundle.tools.join(', ')}</span>
      </div>
      <div className="row">
        <Button size="s" onClick={onEdit}>
          Edit
        </Button>
        {bundle.preset ? (
          <Button size="s" isBusy={reset.isBusy} onClick={() => reset.run()}>
            Set back
          </Button>
        ) : (
          <Button size="s" kind="danger" onClick={() => setAsking(true)}>
            Delete
          </Button>
        )}
      </div>
      <ConfirmDelete
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        isBusy={remove.isBusy}
        onConfirm={() => remove.run()}
        title={`Delete the bundle “${bundle.name}”?`}
        gone={['Agents and projects that have it lose what it gives them']}
      />
    </li>
  );
}

function BundleDialog({
  bundle,
  onClose,
}: {
  readonly bundle: Bundle | undefined;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(bundle?.name ?? '');
  const [description, setDescription] = useState(bundle?.description ?? '');
  const [words, setWords] = useState(bundle?.prompt_additions ?? '');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(bundle?.tools));
  const names = useToolNames(bundle?.tools ?? []);
  const save = useAct(
    () => {
      const body = { name: name.trim(), description, tools: [...chosen], prompt_additions: words };
      return bundle === undefined
        ? request('POST /api/skill-bundles', { body })
        : request('PUT /api/skill-bundles/{id}', { path: { id: bundle.id }, body });
    },
    {
      isQuiet: true,
      onDone() {
        makeOld('agents');
        onClose();
      },
    },
  );
  return (
    <Dialog
      isOpen
      size="l"
      onClose={onClose}
      onSubmit={() => name.trim() !== '' && save.run()}
      title={bundle === undefined ? 'New bundle' : `Change the bundle “${bundle.name}”`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={save.isBusy} disabled={name.trim() === ''}>
            Save
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Name" isRequired error={save.error?.message}>
          <Input value={name} onText={setName} maxLength={100} />
        </Field>
        <Field label="What it is for">
          <Input value={description} onText={setDescription} maxLength={1000} />
        </Field>
        <Field label="What an agent with it is told">
          <TextArea value={words} onText={setWords} maxLength={4000} />
        </Field>
        <NameChooser
          label="Tools of the bundle"
          choices={names.map((each) => ({ name: each }))}
          chosen={chosen}
          onChange={setChosen}
        />
      </div>
    </Dialog>
  );
}
