/** Owns closing notes of pages on Home: the newest that nobody has taken up. */
import { useQuery } from '@tanstack/react-query';
import { request } from '../../api/request.ts';
import type { Annotation } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ScreenLink } from '../../ui/screen-link.tsx';
import { When } from '../../ui/when.tsx';
import { useClosing } from '../annotations/use-closing.ts';

const MOST = 5;

/** The notes that are pending. */
export function Notes() {
  const { data } = useQuery({
    queryKey: ['annotations', 'pending', MOST],
    queryFn: ({ signal }) =>
      request('GET /api/annotations', { query: { status: 'pending', limit: MOST }, signal }),
  });
  if (!data || data.length === 0) return null;
  return (
    <Card title="Annotations that nobody has taken up">
      <ul className="stack">
        {data.map(({ annotation }) => (
          <Note key={annotation.id} note={annotation} />
        ))}
      </ul>
    </Card>
  );
}

function Note({ note }: { readonly note: Annotation }) {
  const { done, away } = useClosing(note.id);
  return (
    <li className="home-act">
      <div className="grow">
        <ScreenLink to={`/annotations/${note.id}`} className="home-what">
          <bdi>{note.annotationText}</bdi>
        </ScreenLink>
        <div className="small faint">
          <bdi>{note.title || note.url}</bdi>, <When at={note.createdAt} />
        </div>
      </div>
      <Button size="s" isBusy={done.isBusy} onClick={() => done.run()}>
        Resolve
      </Button>
      <Button size="s" isBusy={away.isBusy} onClick={() => away.run()}>
        Dismiss
      </Button>
    </li>
  );
}
