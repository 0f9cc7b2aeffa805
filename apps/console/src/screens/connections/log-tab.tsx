/** Owns what the program of a connection wrote to its standard error. */
import { useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { request } from '../../api/request.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';

const EVERY_MS = 3_000;

export function LogTab({ id }: { readonly id: string }) {
  const query = useQuery({
    queryKey: ['connections', 'log', id],
    queryFn: ({ signal }) => request('GET /api/connections/{id}/log', { path: { id }, signal }),
    refetchInterval: EVERY_MS,
    staleTime: 0,
  });
  if (query.isPending) return <Skeleton rows={8} />;
  if (query.error) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  const text = query.data.text.trimEnd();
  return (
    <div className="stack">
      <div className="row">
        <p className="small muted grow">
          The last 64 KiB that the program wrote to its standard error, without its secrets; read every 3
          seconds. With several servers each has its own.
        </p>
        <Button size="s" icon={<RefreshCw />} onClick={() => query.refetch()}>
          Read now
        </Button>
      </div>
      {text === '' ? (
        <EmptyState title="It has written nothing">
          The program starts with the first call or test, and ends when it is idle.
        </EmptyState>
      ) : (
        <CodeBlock text={text} title="Standard error" isWrapped />
      )}
    </div>
  );
}
