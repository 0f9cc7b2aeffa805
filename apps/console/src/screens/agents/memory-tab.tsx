/** Owns what an agent remembers: found by words, written, forgotten, and the check of everything it signed. */
import { useQuery } from '@tanstack/react-query';
import { Plus, ShieldCheck } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { makeOld } from '../../api/make-old.ts';
import { request } from '../../api/request.ts';
import type { MemoryList } from '../../api/schema.ts';
import { useAct } from '../../api/use-act.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDelete, Dialog } from '../../ui/dialog.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { When } from '../../ui/when.tsx';
import { ChainNotice, checkChain } from './chain-notice.tsx';

type Memory = MemoryList['memories'][number];

const MOST = 50;

function useMemories(id: string, words: string) {
  return useQuery({
    queryKey: ['memory', id, words],
    queryFn: ({ signal }) =>
      request('GET /api/agents/{id}/memories', {
        path: { id },
        query: { query: words, limit: MOST },
        signal,
      }),
  });
}

export function MemoryTab({ id }: { readonly id: string }) {
  const [words, setWords] = useState('');
  const [edited, setEdited] = useState<Memory | 'new'>();
  const [forgotten, setForgotten] = useState<Memory>();
  const wanted = useDeferredValue(words.trim());
  const query = useMemories(id, wanted);
  const [checked, setChecked] = useState<Awaited<ReturnType<typeof checkChain>>>();
  const check = useAct(() => checkChain(id), { onDone: setChecked });
  const path = { id };
  const forget = useAct(
    (key: string) => request('POST /api/agents/{id}/memories/forget', { path, body: { key } }),
    {
      onDone() {
        setForgotten(undefined);
        setChecked(undefined);
        makeOld('memory');
      },
    },
  );
  const memories = query.data?.memories ?? [];
  const more = (query.data?.total ?? 0) - memories.length;
  return (
    <div className="stack agents-part">
      <div className="row-wrap agents-asked">
        <Field label="Search the memory" isLabelHidden className="grow">
          <Input
            type="search"
            value={words}
            onText={setWords}
            placeholder="Search the memory"
            maxLength={500}
          />
        </Field>
        <Button icon={<ShieldCheck />} isBusy={check.isBusy} onClick={() => check.run()}>
          Verify the chain
        </Button>
        <Button icon={<Plus />} onClick={() => setEdited('new')}>
          New memory
        </Button>
      </div>
      {checked && <ChainNotice check={checked} />}
      {query.isPending && <Skeleton rows={4} />}
      {query.error !== null && <ErrorState error={query.error} onRetry={() => query.refetch()} />}
      {query.data && memories.length === 0 && (
        <EmptyState title={wanted === '' ? 'Nothing is remembered yet' : 'Nothing matches'}>
          {wanted === '' && 'The agent keeps what it learns with its tool corvid_save_memory.'}
        </EmptyState>
      )}
      <ul className="agents-list">
        {memories.map((memory) => (
          <li key={memory.key} className="agents-line">
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
              <p className="agents-text" dir="auto">
                {memory.content}
              </p>
            </div>
            <div className="row">
              <Button size="s" aria-label={`Edit ${memory.key}`} onClick={() => setEdited(memory)}>
                Edit
              </Button>
              <Button
                size="s"
                kind="danger"
                aria-label={`Forget ${memory.key}`}
                onClick={() => setForgotten(memory)}
              >
                Forget
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {more > 0 && <p className="muted">{more} older ones are not shown; search for them.</p>}
      {edited !== undefined && (
        <MemoryDialog
          id={id}
          memory={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
      <ConfirmDelete
        isOpen={forgotten !== undefined}
        onClose={() => setForgotten(undefined)}
        isBusy={forget.isBusy}
        onConfirm={() => forgotten && forget.run(forgotten.key)}
        confirmText="Forget"
        title={`Forget “${forgotten?.key ?? ''}”?`}
        gone={['The text; that it was signed and forgotten stays in the chain']}
      />
    </div>
  );
}

function MemoryDialog({
  id,
  memory,
  onClose,
}: {
  readonly id: string;
  readonly memory: Memory | undefined;
  readonly onClose: () => void;
}) {
  const [key, setKey] = useState(memory?.key ?? '');
  const [content, setContent] = useState(memory?.content ?? '');
  const body = { key: key.trim(), content };
  const save = useAct(() => request('PUT /api/agents/{id}/memories', { path: { id }, body }), {
    isQuiet: true,
    onDone() {
      makeOld('memory');
      onClose();
    },
  });
  const isReady = key.trim() !== '' && content.trim() !== '';
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => isReady && save.run()}
      title={memory === undefined ? 'New memory' : `Edit “${memory.key}”`}
      description="The agent signs it as its own word; the audit log says that you wrote it."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={save.isBusy} disabled={!isReady}>
            Save
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Key" isRequired hint={memory === undefined ? 'What it is found by' : undefined}>
          <Input
            className="mono"
            value={key}
            onText={setKey}
            maxLength={200}
            readOnly={memory !== undefined}
          />
        </Field>
        <Field label="Text" isRequired error={save.error?.message}>
          <TextArea rows={8} value={content} onText={setContent} maxLength={65_536} />
        </Field>
      </div>
    </Dialog>
  );
}
