/** Owns the list of boards: order, who sees them, moderation, and making and taking them away. */
import { LayoutList, MoreHorizontal, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { queryClient } from '../../../api/query.ts';
import { request } from '../../../api/request.ts';
import { useAct } from '../../../api/use-act.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Switch } from '../../../ui/checkbox.tsx';
import { Field, Input, TextArea } from '../../../ui/field.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { ScreenLink } from '../../../ui/screen-link.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../../ui/states.tsx';
import { useKeys } from '../../../ui/use-keys.ts';
import { DeleteNoun, NounForm } from '../shared/noun-editor.tsx';
import { TOPIC, useBoards, useIsAdministrator } from '../shared/queries.ts';
import { Sortable } from '../shared/sortable.tsx';
import type { Board } from '../shared/types.ts';

/** Writes the places of things whose place has changed. */
export async function saveOrder<T extends { readonly id: string; readonly position: number }>(
  noun: 'boards' | 'statuses' | 'roadmaps',
  items: readonly T[],
): Promise<void> {
  try {
    for (const [position, item] of items.entries())
      if (item.position !== position)
        await request(`PATCH /api/v1/${noun}/{id}`, { path: { id: item.id }, body: { position } });
  } finally {
    await queryClient.invalidateQueries({ queryKey: [TOPIC, noun] });
  }
}

/** The boards. */
export function BoardList() {
  const boards = useBoards();
  const isAdministrator = useIsAdministrator();
  const [edited, setEdited] = useState<Board | 'new'>();
  const [deleted, setDeleted] = useState<Board>();
  const order = useAct((items: readonly Board[]) => saveOrder('boards', items), { inTurn: true });
  useKeys({ n: () => setEdited('new') }, !isAdministrator);
  if (boards.isPending) return <Skeleton kind="row" rows={4} />;
  if (!boards.data) return <ErrorState error={boards.error} onRetry={() => boards.refetch()} />;
  const make = isAdministrator && (
    <Button kind="primary" icon={<Plus />} title="New board (n)" onClick={() => setEdited('new')}>
      New board
    </Button>
  );
  return (
    <>
      {boards.data.length === 0 ? (
        <EmptyState icon={<LayoutList />} title="No boards yet" action={make}>
          A board is a place for one kind of post: ideas, bugs, integrations.
        </EmptyState>
      ) : (
        <Card title="Boards" description="The public pages show them in this order." actions={make} isFlush>
          <Sortable
            items={boards.data}
            keyOf={({ id }) => id}
            labelOf={({ name }) => name}
            onOrder={order.run}
            isFixed={!isAdministrator}
          >
            {(board) => (
              <>
                <span className="noun-name">
                  <ScreenLink to="/feedback/inbox" search={{ board: board.id }} className="strong truncate">
                    <bdi>{board.name}</bdi>
                  </ScreenLink>
                  <bdi className="small muted truncate">{board.description ?? board.slug}</bdi>
                </span>
                {board.settings.moderation === true && <Badge tone="amber">Moderated</Badge>}
                <Badge tone={board.isPublic ? 'green' : 'neutral'}>
                  {board.isPublic ? 'Public' : 'Private'}
                </Badge>
                <span className="small muted number noun-wide">
                  {board.postCount.toLocaleString('en')} {board.postCount === 1 ? 'post' : 'posts'}
                </span>
                {isAdministrator && (
                  <Menu
                    trigger={<IconButton label={`More about ${board.name}`} icon={<MoreHorizontal />} />}
                    items={[
                      { label: 'Settings', icon: <Pencil />, onSelect: () => setEdited(board) },
                      'separator',
                      {
                        label: 'Delete',
                        icon: <Trash2 />,
                        isDanger: true,
                        onSelect: () => setDeleted(board),
                      },
                    ]}
                  />
                )}
              </>
            )}
          </Sortable>
        </Card>
      )}
      {edited !== undefined && (
        <BoardForm
          key={edited === 'new' ? 'new' : edited.id}
          board={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
      {deleted && (
        <DeleteNoun
          noun="board"
          item={deleted}
          gone={goneWith(deleted)}
          onDelete={(id) => request('DELETE /api/v1/boards/{id}', { path: { id }, query: { cascade: true } })}
          onClose={() => setDeleted(undefined)}
        />
      )}
    </>
  );
}

function BoardForm({ board, onClose }: { readonly board: Board | undefined; readonly onClose: () => void }) {
  const [slug, setSlug] = useState(board?.slug ?? '');
  const [description, setDescription] = useState(board?.description ?? '');
  const [isPublic, setPublic] = useState(board?.isPublic ?? true);
  const [isModerated, setModerated] = useState(board?.settings.moderation === true);
  const save = (name: string) => {
    const body = {
      name,
      ...(slug !== '' && slug !== board?.slug && { slug }),
      description: description.trim() === '' ? null : description,
      isPublic,
      settings: isModerated ? { moderation: true } : {},
    };
    return board
      ? request('PATCH /api/v1/boards/{id}', { path: { id: board.id }, body })
      : request('POST /api/v1/boards', { body });
  };
  return (
    <NounForm
      noun="board"
      item={board}
      title={`Settings of ${board?.name ?? ''}`}
      maxName={100}
      onSave={save}
      onClose={onClose}
    >
      {(faults) => (
        <>
          <Field
            label="Name in addresses"
            hint={
              board ? 'Links with the old name stop working.' : 'Made from the name when you leave it empty.'
            }
            error={faults['slug']}
          >
            <Input value={slug} onText={setSlug} maxLength={100} className="mono" spellCheck={false} />
          </Field>
          <Field
            label="Description"
            hint="Stands below the name on the public pages."
            error={faults['description']}
          >
            <TextArea value={description} onText={setDescription} maxLength={500} dir="auto" />
          </Field>
          <Switch
            isChecked={isPublic}
            onChange={setPublic}
            hint="Off: only the team sees the board and its posts."
          >
            Public
          </Switch>
          <Switch
            isChecked={isModerated}
            onChange={setModerated}
            hint="New posts of visitors wait in the inbox, under Held, until the team approves them."
          >
            Moderate new posts
          </Switch>
        </>
      )}
    </NounForm>
  );
}

function goneWith({ postCount }: Board): string[] {
  return [
    postCount === 0
      ? 'The board itself; it has no posts.'
      : `${postCount.toLocaleString('en')} posts with their votes and comments.`,
    'Its page and every link to it.',
  ];
}
