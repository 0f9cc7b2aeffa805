/** Owns taking several rows of a list away: says what will be gone, asks, and tries each of them. */
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { useAct } from '../api/use-act.ts';
import { Button } from './button.tsx';
import { ConfirmDelete } from './dialog.tsx';
import { eachOf } from './each-of.ts';
import { toast } from './toast-store.ts';

const MOST_NAMED = 20;

/** The button for the bar of selected rows. */
export function BulkDelete<T>({
  rows,
  noun,
  verb = 'Delete',
  icon = <Trash2 />,
  goneOf,
  remove,
  onDone,
}: {
  readonly rows: readonly T[];
  /** "webhook" and "webhooks". */
  readonly noun: readonly [string, string];
  readonly verb?: string;
  readonly icon?: ReactNode;
  /** What will be gone with one of them. */
  readonly goneOf: (row: T) => ReactNode;
  readonly remove: (row: T) => Promise<unknown>;
  /** All have been tried: reads the list again and clears the selection. */
  readonly onDone: () => void;
}) {
  const [isAsking, setAsking] = useState(false);
  const named = rows.length === 1 ? `1 ${noun[0]}` : `${rows.length} ${noun[1]}`;
  const act = useAct(async () => {
    try {
      await eachOf(rows, remove);
      toast({ text: `${verb === 'Delete' ? 'Deleted' : 'Removed'}: ${named}.` });
    } finally {
      // Those that went are gone, whatever became of the others.
      setAsking(false);
      onDone();
    }
  });
  return (
    <>
      <Button size="s" kind="danger" icon={icon} disabled={rows.length === 0} onClick={() => setAsking(true)}>
        {verb}
      </Button>
      <ConfirmDelete
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => act.run()}
        isBusy={act.isBusy}
        confirmText={verb}
        title={`${verb} ${named}?`}
        gone={rows.slice(0, MOST_NAMED).map(goneOf)}
      >
        {rows.length > MOST_NAMED && <p className="muted">and {rows.length - MOST_NAMED} more.</p>}
      </ConfirmDelete>
    </>
  );
}
