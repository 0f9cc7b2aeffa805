/** Owns the list of statuses: name, colour, order, place on the roadmap, and which one new posts get. */
import { MoreHorizontal, Pencil, Plus, Star, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../../api/request.ts';
import { useAct } from '../../../api/use-act.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Switch } from '../../../ui/checkbox.tsx';
import { Field } from '../../../ui/field.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { ScreenLink } from '../../../ui/screen-link.tsx';
import { Select } from '../../../ui/select.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast-store.ts';
import { useKeys } from '../../../ui/use-keys.ts';
import { ColorField } from '../shared/color-field.tsx';
import { Dot } from '../shared/marks.tsx';
import { DeleteNoun, NounForm } from '../shared/noun-editor.tsx';
import { refreshFeedback, useIsAdministrator, useStatuses } from '../shared/queries.ts';
import { Sortable } from '../shared/sortable.tsx';
import { CATEGORIES } from '../shared/types.ts';
import type { Status } from '../shared/types.ts';
import { saveOrder } from './boards.tsx';

const GROUP_WORDS = {
  active: 'Active: something is still to be done',
  complete: 'Complete: it is there',
  closed: 'Closed: it will not be done',
} as const;

/** The statuses by group. */
export function StatusList() {
  const statuses = useStatuses();
  const isAdministrator = useIsAdministrator();
  const [edited, setEdited] = useState<Status | 'new'>();
  const [deleted, setDeleted] = useState<Status>();
  const order = useAct((items: readonly Status[]) => saveOrder('statuses', items), { inTurn: true });
  const makeDefault = useAct(async (status: Status) => {
    const before = statuses.data?.find(({ isDefault }) => isDefault);
    const set = async (id: string) => {
      await request('PATCH /api/v1/statuses/{id}', { path: { id }, body: { isDefault: true } });
      await refreshFeedback();
    };
    await set(status.id);
    toast({
      text: `New posts are ${status.name} from now on.`,
      ...(before && { onUndo: () => set(before.id) }),
    });
  });
  useKeys({ n: () => setEdited('new') }, !isAdministrator);
  if (statuses.isPending) return <Skeleton kind="row" rows={6} />;
  if (!statuses.data) return <ErrorState error={statuses.error} onRetry={() => statuses.refetch()} />;
  return (
    <>
      <Card
        title="Statuses"
        description="How far a post is. The order inside a group is that of lists and of the roadmap."
        isFlush
        actions={
          isAdministrator && (
            <Button kind="primary" icon={<Plus />} title="New status (n)" onClick={() => setEdited('new')}>
              New status
            </Button>
          )
        }
      >
        {CATEGORIES.map((category) => (
          <section key={category}>
            <h3 className="noun-group">{GROUP_WORDS[category]}</h3>
            <Sortable
              items={statuses.data.filter((status) => status.category === category)}
              keyOf={({ id }) => id}
              labelOf={({ name }) => name}
              onOrder={order.run}
              isFixed={!isAdministrator}
            >
              {(status) => (
                <>
                  <Dot color={status.color} />
                  <span className="noun-name">
                    <ScreenLink
                      to="/feedback/inbox"
                      search={{ status: status.slug }}
                      className="strong truncate"
                    >
                      <bdi>{status.name}</bdi>
                    </ScreenLink>
                  </span>
                  {status.isDefault && <Badge tone="accent">For new posts</Badge>}
                  {status.showOnRoadmap && <Badge tone="blue">On the roadmap</Badge>}
                  {isAdministrator && (
                    <Menu
                      trigger={<IconButton label={`More about ${status.name}`} icon={<MoreHorizontal />} />}
                      items={[
                        { label: 'Edit', icon: <Pencil />, onSelect: () => setEdited(status) },
                        ...(status.isDefault
                          ? []
                          : [
                              {
                                label: 'Give it to new posts',
                                icon: <Star />,
                                onSelect: () => makeDefault.run(status),
                              },
                            ]),
                        'separator',
                        {
                          label: 'Delete',
                          icon: <Trash2 />,
                          isDanger: true,
                          isDisabled: status.isDefault,
                          hint: status.isDefault ? 'New posts need it' : undefined,
                          onSelect: () => setDeleted(status),
                        },
                      ]}
                    />
                  )}
                </>
              )}
            </Sortable>
          </section>
        ))}
      </Card>
      {edited !== undefined && (
        <StatusForm
          key={edited === 'new' ? 'new' : edited.id}
          status={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
      {deleted && (
        <DeleteNoun
          noun="status"
          item={deleted}
          onDelete={(id) => request('DELETE /api/v1/statuses/{id}', { path: { id } })}
          gone={['The status. It must not have posts any more: give them another one first.']}
          onClose={() => setDeleted(undefined)}
        />
      )}
    </>
  );
}

function StatusForm({
  status,
  onClose,
}: {
  readonly status: Status | undefined;
  readonly onClose: () => void;
}) {
  const [color, setColor] = useState(status?.color ?? '#3b82f6');
  const [category, setCategory] = useState<Status['category']>(status?.category ?? 'active');
  const [isOnRoadmap, setOnRoadmap] = useState(status?.showOnRoadmap ?? false);
  const save = (name: string) => {
    const body = { name, color, showOnRoadmap: isOnRoadmap };
    return status
      ? request('PATCH /api/v1/statuses/{id}', { path: { id: status.id }, body })
      : request('POST /api/v1/statuses', { body: { ...body, category } });
  };
  return (
    <NounForm
      noun="status"
      item={status}
      title={`Edit ${status?.name ?? ''}`}
      maxName={50}
      onSave={save}
      onClose={onClose}
    >
      {(faults) => (
        <>
          <Field label="Colour" error={faults['color']}>
            <ColorField value={color} onChange={setColor} />
          </Field>
          {!status && (
            <Field label="Group" hint="It stays in this group." error={faults['category']}>
              <Select
                value={category}
                onChange={setCategory}
                options={CATEGORIES.map((value) => ({ value, label: GROUP_WORDS[value] }))}
              />
            </Field>
          )}
          <Switch isChecked={isOnRoadmap} onChange={setOnRoadmap} hint="The roadmap has a column for it.">
            Show on the roadmap
          </Switch>
        </>
      )}
    </NounForm>
  );
}
