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
  return <ErrorState error={error} onRetry={reset} />;
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
