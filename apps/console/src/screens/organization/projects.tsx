/** Owns the projects of the organization: what people and agents work on. */
import { useQuery } from '@tanstack/react-query';
import { FolderKanban, Pencil, Plus, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { callTool } from '../../api/call-tool.ts';
import { useHeldTools } from '../../api/held-tools.ts';
import { makeOld } from '../../api/make-old.ts';
import { useSession } from '../../api/session.ts';
import { useAct } from '../../api/use-act.ts';
import { Badge } from '../../ui/badge.tsx';
import { BulkDelete } from '../../ui/bulk-delete.tsx';
import { Button } from '../../ui/button.tsx';
import { ShortId } from '../../ui/copy-button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { DetailPane, Facts } from '../../ui/detail-pane.tsx';
import { ConfirmDelete, Dialog } from '../../ui/dialog.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { ListScreen } from '../../ui/list-screen.tsx';
import type { Filter } from '../../ui/list-screen.tsx';
import { isAmong, rowOptions } from '../../ui/row-options.ts';
import { useSection } from '../../ui/sections.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useKeys } from '../../ui/use-keys.ts';
import type { ScreenState } from '../../ui/use-screen.ts';
import { When } from '../../ui/when.tsx';

interface Project {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly enabledPlugins: readonly string[] | null;
  readonly boundConnections: readonly { readonly id: string; readonly title: string }[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

const OWN_PROJECT = 'org-admin';
const columns: Column<Project>[] = [
  { id: 'name', header: 'Name', cell: ({ name }) => name, sortValue: ({ name }) => name },
  { id: 'slug', header: 'Slug', cell: ({ slug }) => <code>{slug}</code>, sortValue: ({ slug }) => slug },
  {
    id: 'about',
    header: 'About',
    isWideOnly: true,
    cell: ({ description }) => <span className="truncate muted">{description ?? ''}</span>,
  },
  {
    id: 'changed',
    header: 'Changed',
    width: '120px',
    align: 'end',
    cell: ({ updatedAt }) => <When at={updatedAt} />,
    sortValue: ({ updatedAt }) => updatedAt,
  },
];
const keyOf = ({ id }: Project) => id;

function filtersOf(all: readonly Project[]): readonly Filter[] {
  const bound = all.flatMap(({ boundConnections }) => boundConnections);
  const titles = new Map(bound.map(({ id, title }) => [id, title]));
  return [
    { id: 'plugin', label: 'Plugin', options: rowOptions(all.flatMap((one) => one.enabledPlugins ?? [])) },
    {
      id: 'connection',
      label: 'Connection',
      options: rowOptions([...titles.keys()], (id) => titles.get(id) ?? id),
    },
  ];
}

/** The part of the screen. */
export function Projects({ screen: whole }: { readonly screen: ScreenState }) {
  const screen = useSection(whole, 'projects');
  const { organization } = useSession();
  const query = useQuery({
    queryKey: ['projects', organization.id],
    queryFn: async ({ signal }) =>
      (
        await callTool<{ projects: Project[] }>(
          'self',
          'PROJECT_LIST',
          { organizationId: organization.id },
          { signal },
        )
      ).projects,
  });
  const [isMaking, setMaking] = useState(false);
  const hasTool = useHeldTools('self');
  const canMake = hasTool('PROJECT_CREATE');
  useKeys({ c: () => setMaking(true) }, !canMake);
  const text = (screen.search['q'] ?? '').toLowerCase();
  const { plugin, connection } = screen.search;
  const rows = useMemo(
    () =>
      (query.data ?? []).filter(
        ({ name, slug, enabledPlugins, boundConnections }) =>
          `${name} ${slug}`.toLowerCase().includes(text) &&
          isAmong(plugin, enabledPlugins ?? []) &&
          isAmong(
            connection,
            boundConnections.map(({ id }) => id),
          ),
      ),
    [query.data, text, plugin, connection],
  );
  const filters = useMemo(() => filtersOf(query.data ?? []), [query.data]);
  const opened = query.data?.find(({ id }) => id === screen.id);
  const button = canMake && (
    <Button size="s" kind="primary" icon={<Plus />} onClick={() => setMaking(true)}>
      New project
    </Button>
  );
  const bulk = (chosen: readonly Project[], clear: () => void) =>
    hasTool('PROJECT_DELETE') && (
      <BulkDelete
        rows={chosen.filter(({ slug }) => slug !== OWN_PROJECT)}
        noun={['project', 'projects']}
        goneOf={({ name }) => `“${name}” with its plugins, settings and bindings`}
        remove={({ id: projectId }) => callTool('self', 'PROJECT_DELETE', { projectId })}
        onDone={() => {
          makeOld('projects');
          clear();
        }}
      />
    );
  return (
    <>
      <ListScreen
        title="Projects"
        viewsOf="projects"
        screen={screen}
        query={query}
        rows={rows}
        columns={screen.id === undefined ? columns : columns.slice(0, 2)}
        keyOf={keyOf}
        defaultSort="name"
        filters={filters}
        actions={button}
        bulk={bulk}
        empty={
          <EmptyState icon={<FolderKanban />} title="No projects yet" action={button}>
            A project is what people and agents work on, each with its plugins and connections.
          </EmptyState>
        }
        detail={
          screen.id !== undefined && (
            <ProjectDetail key={screen.id} project={opened} onClose={() => screen.open(undefined)} />
          )
        }
      />
      {isMaking && <ProjectDialog project={undefined} onClose={() => setMaking(false)} />}
    </>
  );
}

function ProjectDetail({
  project,
  onClose,
}: {
  readonly project: Project | undefined;
  readonly onClose: () => void;
}) {
  const hasTool = useHeldTools('self');
  const [isEditing, setEditing] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const remove = useAct((projectId: string) => callTool('self', 'PROJECT_DELETE', { projectId }), {
    onDone: () => {
      makeOld('projects');
      onClose();
    },
  });
  return (
    <DetailPane
      title={project?.name ?? 'Project'}
      onClose={onClose}
      about={project && <code>{project.slug}</code>}
      actions={
        project && (
          <>
            {hasTool('PROJECT_UPDATE') && (
              <Button size="s" icon={<Pencil />} onClick={() => setEditing(true)}>
                Change
              </Button>
            )}
            {hasTool('PROJECT_DELETE') && project.slug !== OWN_PROJECT && (
              <Button size="s" kind="danger" icon={<Trash2 />} onClick={() => setAsking(true)}>
                Delete
              </Button>
            )}
          </>
        )
      }
    >
      {project === undefined ? (
        <p className="muted">There is no such project.</p>
      ) : (
        <Facts
          facts={[
            [
              'About',
              project.description ?? (
                <span key="about" className="faint">
                  nothing yet
                </span>
              ),
            ],
            [
              'Plugins',
              project.enabledPlugins === null || project.enabledPlugins.length === 0 ? (
                <span key="plugins" className="faint">
                  none
                </span>
              ) : (
                <span key="plugins" className="row-wrap">
                  {project.enabledPlugins.map((id) => (
                    <Badge key={id}>{id}</Badge>
                  ))}
                </span>
              ),
            ],
            project.boundConnections.length > 0 && [
              'Connections',
              project.boundConnections.map(({ title }) => title).join(', '),
            ],
            ['Made', <When key="made" at={project.createdAt} />],
            ['Project', <ShortId key="id" id={project.id} />],
          ]}
        />
      )}
      {isEditing && project && <ProjectDialog project={project} onClose={() => setEditing(false)} />}
      <ConfirmDelete
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => project && remove.run(project.id)}
        isBusy={remove.isBusy}
        title={`Delete the project “${project?.name ?? ''}”?`}
        gone={['The project', 'The settings of its plugins']}
      />
    </DetailPane>
  );
}

function ProjectDialog({
  project,
  onClose,
}: {
  readonly project: Project | undefined;
  readonly onClose: () => void;
}) {
  const { organization } = useSession();
  const [name, setName] = useState(project?.name ?? '');
  const [slug, setSlug] = useState<string>();
  const [description, setDescription] = useState(project?.description ?? '');
  const about = description.trim() === '' ? null : description.trim();
  const shown = slug ?? slugOf(name);
  const save = useAct(
    () =>
      project === undefined
        ? callTool('self', 'PROJECT_CREATE', {
            organizationId: organization.id,
            slug: shown,
            name: name.trim(),
            description: about,
          })
        : callTool('self', 'PROJECT_UPDATE', {
            projectId: project.id,
            name: name.trim(),
            description: about,
          }),
    {
      isQuiet: true,
      onDone: () => {
        makeOld('projects');
        onClose();
      },
    },
  );
  const canSend = name.trim() !== '' && (project !== undefined || shown !== '');
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={project === undefined ? 'New project' : 'Change the project'}
      onSubmit={() => canSend && save.run()}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={!canSend} isBusy={save.isBusy}>
            Save
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Name" error={save.error?.message} isRequired>
          <Input value={name} onText={setName} maxLength={200} autoFocus />
        </Field>
        {project === undefined && (
          <Field label="Slug" hint="Its name in addresses; it stays" isRequired>
            <Input className="mono" value={shown} onText={setSlug} maxLength={100} />
          </Field>
        )}
        <Field label="About">
          <TextArea value={description} onText={setDescription} maxLength={1000} />
        </Field>
      </div>
    </Dialog>
  );
}

function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}
