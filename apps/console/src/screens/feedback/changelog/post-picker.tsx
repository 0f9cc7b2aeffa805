/** Owns choosing a post for an entry: finished ones first, others by search. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { requestWhole } from '../../../api/request.ts';
import { Dot, Votes } from '../shared/marks.tsx';
import { Picker } from '../shared/picker.tsx';
import { TOPIC, useStatuses } from '../shared/queries.ts';

const MOST_FOUND = 20;

/** The picker. */
export function PostPicker({
  chosen,
  onClose,
  onChoose,
}: {
  readonly chosen: readonly string[];
  readonly onClose: () => void;
  readonly onChoose: (id: string) => void;
}) {
  const [text, setText] = useState('');
  const statuses = useStatuses().data ?? [];
  const words = text.trim();
  // What is done is what news are about.
  const done = statuses.find(({ category }) => category === 'complete')?.slug;
  const filter = words === '' ? { status: done } : { search: words };
  const found = useQuery({
    queryKey: [TOPIC, 'news', filter],
    queryFn: ({ signal }) =>
      requestWhole('GET /api/v1/posts', { query: { ...filter, limit: MOST_FOUND }, signal }),
    placeholderData: (before) => before,
  });
  const posts = (found.data?.data ?? []).filter(({ id }) => !chosen.includes(id));
  return (
    <Picker
      title="Which post is it about?"
      choices={posts.map((post) => {
        const status = statuses.find(({ id }) => id === post.statusId);
        return {
          id: post.id,
          label: post.title,
          icon: status && <Dot color={status.color} />,
          hint: <Votes count={post.voteCount} />,
        };
      })}
      chosen={[]}
      isNarrowedElsewhere
      onText={setText}
      placeholder="Search posts"
      onClose={onClose}
      onChoose={([id]) => id !== undefined && onChoose(id)}
    />
  );
}
