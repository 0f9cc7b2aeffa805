/** Owns what a screen shows before it is loaded, when it fails, and when there is none. */
import type { ErrorComponentProps } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { EmptyState, ErrorState, Skeleton } from '../ui/states.tsx';
import { ScreenLink } from '../ui/screen-link.tsx';

/** While the module of a screen comes. */
export function ScreenPending() {
  return (
    <div className="frame-pending">
      <Skeleton kind="title" />
      <Skeleton kind="row" rows={10} />
    </div>
  );
}

/** A screen that broke; the frame around it still works. */
export function ScreenFault({ error, reset }: ErrorComponentProps) {
  if (!isReplaced(error)) return <ErrorState error={error} onRetry={reset} />;
  const words = 'A newer version of the console has come meanwhile. It is loaded when you try again.';
  return <ErrorState error={new Error(words)} onRetry={() => location.reload()} />;
}

/** As browsers say that a file with code is not there. */
function isReplaced(error: unknown): boolean {
  return error instanceof Error && /dynamically imported module|module script failed/.test(error.message);
}

/** An address that leads nowhere. */
export function ScreenMissing() {
  return (
    <EmptyState
      icon={<Compass />}
      title="There is no such page"
      action={
        <ScreenLink to="/" isButton>
          Go home
        </ScreenLink>
      }
    >
      The address may be old, or it leads to something that you may not see.
    </EmptyState>
  );
}
