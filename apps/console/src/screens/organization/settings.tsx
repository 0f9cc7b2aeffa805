/** Owns the settings of the organization: its words, its colour, another one, and the end of it. */
import { useQuery } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { callTool } from '../../api/call-tool.ts';
import { request } from '../../api/request.ts';
import { useHeldTools } from '../../api/held-tools.ts';
import { makeOld } from '../../api/make-old.ts';
import { refreshSession, switchOrganization, useSession } from '../../api/session.ts';
import { useAct } from '../../api/use-act.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ShortId } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';

interface Organization {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly description?: string | null;
  readonly metadata?: { readonly accent?: string; readonly description?: string } | null;
}

/** The part of the screen. */
export function Settings() {
  const { organization, isAdministrator } = useSession();
  const query = useQuery({
    queryKey: ['organization', 'own', organization.id],
    queryFn: ({ signal }) => callTool<Organization>('self', 'ORGANIZATION_GET', {}, { signal }),
  });
  const has = useHeldTools('self');
  return (
    <Page title="Settings">
      {query.isPending ? (
        <Skeleton kind="card" rows={2} />
      ) : !query.data ? (
        <ErrorState error={query.error} onRetry={() => query.refetch()} />
      ) : (
        <>
          <Words key={query.data.name + query.data.slug} own={query.data} mayChange={isAdministrator} />
          {isAdministrator && <Colour />}
          {has('ORGANIZATION_CREATE') && <Another />}
          {has('ORGANIZATION_DELETE') && <End own={query.data} />}
        </>
      )}
    </Page>
  );
}

function Words({ own, mayChange }: { readonly own: Organization; readonly mayChange: boolean }) {
  const [name, setName] = useState(own.name);
  const [slug, setSlug] = useState(own.slug);
  const [description, setDescription] = useState(own.description ?? '');
  const save = useAct(
    () =>
      callTool('self', 'ORGANIZATION_UPDATE', {
        id: own.id,
        name: name.trim(),
        slug: slug.trim(),
        description: description.trim() === '' ? null : description.trim(),
      }),
    {
      isQuiet: true,
      onDone: () => {
        makeOld('organization', 'session');
        toast({ text: 'Saved.' });
      },
    },
  );
  const isSame = name === own.name && slug === own.slug && description === (own.description ?? '');
  return (
    <Card title="The organization" description={<ShortId id={own.id} />}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isSame) save.run();
        }}
      >
        <Field label="Name" error={save.error?.message}>
          <Input value={name} onText={setName} maxLength={255} disabled={!mayChange} />
        </Field>
        <Field label="Slug" hint="Short name, unique on this server: lower-case letters, digits and dashes">
          <Input className="mono" value={slug} onText={setSlug} maxLength={50} disabled={!mayChange} />
        </Field>
        <Field label="About">
          <TextArea
            value={description}
            onText={setDescription}
            maxLength={1000}
            rows={2}
            disabled={!mayChange}
          />
        </Field>
        {mayChange && (
          <div>
            <Button kind="primary" type="submit" disabled={isSame} isBusy={save.isBusy}>
              Save
            </Button>
          </div>
        )}
      </form>
    </Card>
  );
}

const COLOURS = ['#4f46e5', '#0369a1', '#0f766e', '#15803d', '#b45309', '#be123c', '#7e22ce', '#334155'];
const DEFAULT_COLOUR = '#4f46e5';

function Colour() {
  const { organization } = useSession();
  const path = { orgId: organization.id };
  const [own, setOwn] = useState(organization.accent ?? DEFAULT_COLOUR);
  const paint = useAct(async (accent: string | null) => {
    const before = organization.accent ?? null;
    await request('PUT /api/organizations/{orgId}/appearance', { path, body: { accent } });
    await refreshSession();
    toast({
      text: 'The console has a new colour, for everybody here.',
      onUndo: async () => {
        await request('PUT /api/organizations/{orgId}/appearance', { path, body: { accent: before } });
        await refreshSession();
      },
    });
  });
  const chosen = organization.accent ?? DEFAULT_COLOUR;
  return (
    <Card title="Colour" description="The console wears it for everybody in this organization.">
      <div className="stack">
        <div className="row-wrap" role="group" aria-label="Colours">
          {COLOURS.map((colour) => (
            <button
              key={colour}
              type="button"
              className="organization-colour"
              style={{ background: colour }}
              aria-label={`Use ${colour}`}
              aria-pressed={chosen === colour}
              disabled={paint.isBusy}
              onClick={() => paint.run(colour === DEFAULT_COLOUR ? null : colour)}
            />
          ))}
        </div>
        <form
          className="organization-own"
          onSubmit={(event) => {
            event.preventDefault();
            paint.run(own);
          }}
        >
          <Field label="Another colour" className="organization-own-colour">
            <Input type="color" value={own} onText={setOwn} />
          </Field>
          <Button type="submit" isBusy={paint.isBusy} disabled={own === chosen}>
            Use it
          </Button>
          {organization.accent !== undefined && (
            <Button kind="quiet" onClick={() => paint.run(null)}>
              Back to Parley&apos;s own
            </Button>
          )}
        </form>
      </div>
    </Card>
  );
}

function Another() {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const [slug, setSlug] = useState('');
  const make = useAct(
    () => callTool<{ id: string }>('self', 'ORGANIZATION_CREATE', { name: name.trim(), slug: slug.trim() }),
    {
      isQuiet: true,
      onDone: ({ id }) => {
        setOpen(false);
        makeOld('session');
        toast({
          text: `${name.trim()} is made. You are its owner.`,
          action: { label: 'Go there', onSelect: () => switchTo.run(id) },
        });
      },
    },
  );
  const switchTo = useAct(switchOrganization);
  const canSend = name.trim() !== '' && /^[a-z0-9-]{1,50}$/.test(slug);
  return (
    <Card
      title="Another organization"
      description="Its own people, keys, connections and records, on the same server."
      actions={
        <Button icon={<Plus />} onClick={() => setOpen(true)}>
          Make one
        </Button>
      }
    >
      <Dialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="New organization"
        onSubmit={() => canSend && make.run()}
        footer={
          <>
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button kind="primary" type="submit" disabled={!canSend} isBusy={make.isBusy}>
              Make it
            </Button>
          </>
        }
      >
        <div className="stack">
          <Field label="Name" error={make.error?.message} isRequired>
            <Input value={name} onText={setName} maxLength={255} autoFocus />
          </Field>
          <Field label="Slug" hint="Lower-case letters, digits and dashes" isRequired>
            <Input className="mono" value={slug} onText={setSlug} maxLength={50} />
          </Field>
        </div>
      </Dialog>
    </Card>
  );
}

function End({ own }: { readonly own: Organization }) {
  const { organizations } = useSession();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const end = useAct(() => callTool('self', 'ORGANIZATION_DELETE', { id: own.id }), {
    isQuiet: true,
    onDone: () => makeOld('session'),
  });
  const isRight = typed === own.slug;
  const isLast = organizations.length < 2;
  return (
    <Card
      title="Delete this organization"
      description={
        isLast
          ? 'The last organization of yours stays; make another one first.'
          : 'Everything of it goes, for good, and its keys stop at once.'
      }
      actions={
        <Button kind="danger" icon={<Trash2 />} disabled={isLast} onClick={() => setOpen(true)}>
          Delete
        </Button>
      }
    >
      <Dialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={`Delete ${own.name}?`}
        description="Its members, keys, roles, connections, agents, posts, annotations, events and records are gone for good."
        onSubmit={() => isRight && end.run()}
        footer={
          <>
            <Button onClick={() => setOpen(false)}>Keep</Button>
            <Button kind="danger" type="submit" disabled={!isRight} isBusy={end.isBusy}>
              Delete everything
            </Button>
          </>
        }
      >
        <Field label={`Type ${own.slug} to go on`} error={end.error?.message}>
          <Input className="mono" value={typed} onText={setTyped} autoFocus />
        </Field>
      </Dialog>
    </Card>
  );
}
