/** Owns what an agent remembers: found by words, each with whether its signature holds. */
import { useDeferredValue, useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { When } from '../../ui/when.tsx';
import { useMemories } from './queries.ts';

export function MemoryTab({ id }: { readonly id: string }) {
  const [words, setWords] = useState('');
  const wanted = useDeferredValue(words.trim());
  const query = useMemories(id, wanted);
  const memories = query.data?.memories ?? [];
  return (
    <div className="stack agents-part">
      <Field label="Search the memory" isLabelHidden>
        <Input value={words} onText={setWords} placeholder="Search the memory" maxLength={500} />
      </Field>
      {query.isPending && <Skeleton rows={4} />}
      {query.error !== null && <ErrorState error={query.error} onRetry={() => query.refetch()} />}
      {query.data && memories.length === 0 && (
        <EmptyState title={wanted === '' ? 'Nothing is remembered yet' : 'Nothing matches'} />
      )}
      <ul className="agents-list">
        {memories.map((memory) => (
          <li key={memory.key}>
            <div className="grow stack">
              <span className="row-wrap">
                <code>{memory.key}</code>
                <Badge tone={memory.signature === 'valid' ? 'green' : 'red'}>
                  signature {memory.signature}
                </Badge>
                {memory.archived && <Badge>archived</Badge>}
                <span className="faint">
                  <When at={memory.saved_at} />
                </span>
              </span>
              <p className="agents-memory" dir="auto">
                {memory.content}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}
