/** Owns the tags of a member: words that calls of theirs are labelled with. */
import { useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { callTool } from '../../../api/call-tool.ts';
import { queryClient } from '../../../api/query.ts';
import { useAct } from '../../../api/use-act.ts';
import { Button } from '../../../ui/button.tsx';
import { Input } from '../../../ui/field.tsx';

interface Tag {
  readonly id: string;
  readonly name: string;
}

/** The tags; for those who may, each with a way to take it off, and a field for another. */
export function MemberTags({
  memberId,
  canChange,
}: {
  readonly memberId: string;
  readonly canChange: boolean;
}) {
  const key = ['member-tags', memberId];
  const query = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) =>
      (await callTool<{ tags: Tag[] }>('self', 'MEMBER_TAGS_GET', { memberId }, { signal })).tags,
    retry: false,
  });
  const [name, setName] = useState('');
  const tags = query.data ?? [];
  const save = async (tagIds: readonly string[]) => {
    const { tags: now } = await callTool<{ tags: Tag[] }>('self', 'MEMBER_TAGS_SET', { memberId, tagIds });
    queryClient.setQueryData(key, now);
  };
  const add = useAct(
    async () => {
      const { tag } = await callTool<{ tag: Tag }>('self', 'TAGS_CREATE', { name: name.trim() });
      await save([...tags.map(({ id }) => id), tag.id]);
    },
    { onDone: () => setName('') },
  );
  const drop = useAct((gone: Tag) => save(tags.filter(({ id }) => id !== gone.id).map(({ id }) => id)));
  if (query.error || (tags.length === 0 && !canChange)) return null;
  return (
    <section className="stack">
      <h3>Tags</h3>
      <div className="row-wrap">
        {tags.map((tag) => (
          <span key={tag.id} className="chip">
            <span className="organization-tag">{tag.name}</span>
            {canChange && (
              <button
                type="button"
                className="chip-remove"
                aria-label={`Take off the tag ${tag.name}`}
                onClick={() => drop.run(tag)}
              >
                <X />
              </button>
            )}
          </span>
        ))}
        {canChange && (
          <form
            className="row"
            onSubmit={(event) => {
              event.preventDefault();
              if (name.trim() !== '') add.run();
            }}
          >
            <Input
              className="organization-tag-input"
              aria-label="New tag"
              placeholder="Tag"
              value={name}
              onText={setName}
              maxLength={50}
            />
            <Button size="s" type="submit" icon={<Plus />} isBusy={add.isBusy} disabled={name.trim() === ''}>
              Add
            </Button>
          </form>
        )}
      </div>
    </section>
  );
}
