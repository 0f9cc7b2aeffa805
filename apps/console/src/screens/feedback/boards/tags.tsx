/** Owns the list of tags: name, colour, making and taking them away. */
import { Pencil, Plus, Tags, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../../api/request.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { ScreenLink } from '../../../ui/screen-link.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../../ui/states.tsx';
import { useKeys } from '../../../ui/use-keys.ts';
import { ColorField } from '../shared/color-field.tsx';
import { Dot } from '../shared/marks.tsx';
import { DeleteNoun, NounForm } from '../shared/noun-editor.tsx';
import { useTags } from '../shared/queries.ts';
import type { Tag } from '../shared/types.ts';

const MOST_SHOWN = 200;

/** The tags. */
export function TagList() {
  const tags = useTags();
  const [text, setText] = useState('');
  const [edited, setEdited] = useState<Tag | 'new'>();
  const [deleted, setDeleted] = useState<Tag>();
  useKeys({ n: () => setEdited('new') });
  if (tags.isPending) return <Skeleton kind="row" rows={6} />;
  if (!tags.data) return <ErrorState error={tags.error} onRetry={() => tags.refetch()} />;
  const wanted = text.trim().toLowerCase();
  const found = tags.data.filter(({ name }) => name.toLowerCase().includes(wanted));
  const make = (
    <Button kind="primary" icon={<Plus />} title="New tag (n)" onClick={() => setEdited('new')}>
      New tag
    </Button>
  );
  return (
    <>
      {tags.data.length === 0 ? (
        <EmptyState icon={<Tags />} title="No tags yet" action={make}>
          Tags tell what posts are about; in the inbox the key T makes them too.
        </EmptyState>
      ) : (
        <Card title="Tags" description={`${tags.data.length} in all`} actions={make} isFlush>
          <div className="noun-line">
            <Input
              type="search"
              value={text}
              onText={setText}
              placeholder="Filter"
              aria-label="Filter tags"
            />
          </div>
          <ul>
            {found.slice(0, MOST_SHOWN).map((tag) => (
              <li key={tag.id} className="noun-line">
                <Dot color={tag.color} />
                <ScreenLink to="/feedback/inbox" search={{ tag: tag.id }} className="grow truncate">
                  <bdi>{tag.name}</bdi>
                </ScreenLink>
                <IconButton label={`Edit ${tag.name}`} icon={<Pencil />} onClick={() => setEdited(tag)} />
                <IconButton label={`Delete ${tag.name}`} icon={<Trash2 />} onClick={() => setDeleted(tag)} />
              </li>
            ))}
          </ul>
          {found.length > MOST_SHOWN && (
            <p className="noun-line muted small">
              {found.length - MOST_SHOWN} more: type a part of their names.
            </p>
          )}
          {found.length === 0 && <p className="noun-line muted">No tag is called so.</p>}
        </Card>
      )}
      {edited !== undefined && (
        <TagForm
          key={edited === 'new' ? 'new' : edited.id}
          tag={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
      {deleted && (
        <DeleteNoun
          noun="tag"
          item={deleted}
          onDelete={(id) => request('DELETE /api/v1/tags/{id}', { path: { id } })}
          gone={['The tag, also from every post that has it. The posts stay.']}
          onClose={() => setDeleted(undefined)}
        />
      )}
    </>
  );
}

function TagForm({ tag, onClose }: { readonly tag: Tag | undefined; readonly onClose: () => void }) {
  const [color, setColor] = useState(tag?.color ?? '#6b7280');
  const save = (name: string) => {
    const body = { name, color };
    return tag
      ? request('PATCH /api/v1/tags/{id}', { path: { id: tag.id }, body })
      : request('POST /api/v1/tags', { body });
  };
  return (
    <NounForm
      noun="tag"
      item={tag}
      title={`Edit ${tag?.name ?? ''}`}
      size="s"
      maxName={50}
      onSave={save}
      onClose={onClose}
    >
      {(faults) => (
        <Field label="Colour" error={faults['color']}>
          <ColorField value={color} onChange={setColor} />
        </Field>
      )}
    </NounForm>
  );
}
