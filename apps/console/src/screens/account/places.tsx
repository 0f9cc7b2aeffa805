/** Owns where one is signed in, and signing out there. */
import { useQuery } from '@tanstack/react-query';
import { LogOut } from 'lucide-react';
import { request } from '../../api/request.ts';
import type { Device } from '../../api/schema.ts';
import { makeOld } from '../../api/make-old.ts';
import { useAct } from '../../api/use-act.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import { When } from '../../ui/when.tsx';

/** The browsers, this one first. */
export function Places() {
  const query = useQuery({
    queryKey: ['sessions', 'mine'],
    queryFn: ({ signal }) => request('GET /api/sessions', { signal }),
  });
  const end = useAct(
    async (places: readonly Device[]) => {
      for (const { id } of places) await request('DELETE /api/sessions/{id}', { path: { id } });
      makeOld('sessions');
      return places.length;
    },
    {
      onDone: (count) =>
        toast({ text: count === 1 ? 'Signed out there.' : `Signed out in ${count} places.` }),
    },
  );
  const others = query.data?.filter(({ isCurrent }) => !isCurrent) ?? [];
  const all = [...(query.data?.filter(({ isCurrent }) => isCurrent) ?? []), ...others];
  return (
    <Card
      title="Where you are signed in"
      actions={
        others.length > 1 && (
          <Button size="s" icon={<LogOut />} isBusy={end.isBusy} onClick={() => end.run(others)}>
            Sign out everywhere else
          </Button>
        )
      }
    >
      {query.isPending ? (
        <Skeleton rows={2} />
      ) : query.error ? (
        <ErrorState error={query.error} onRetry={() => query.refetch()} />
      ) : (
        <ul className="account-list">
          {all.map((place) => (
            <li key={place.id} className="row">
              <div className="grow">
                <div className="strong">{place.device}</div>
                <div className="small muted">
                  Signed in <When at={place.createdAt} />, seen <When at={place.seenAt} />
                </div>
              </div>
              {place.isCurrent ? (
                <Badge tone="green">this browser</Badge>
              ) : (
                <Button size="s" isBusy={end.isBusy} onClick={() => end.run([place])}>
                  Sign out
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
