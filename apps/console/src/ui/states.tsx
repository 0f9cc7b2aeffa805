/** Owns what stands where data would be: nothing yet, still loading, could not be read. */
import { Inbox, RotateCw, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import { CopyButton } from './copy-button.tsx';
import './states.css';

/** What an empty place takes: what would be here, what to do first. */
export interface EmptyStateProps {
  readonly icon?: ReactNode;
  readonly title: string;
  readonly children?: ReactNode;
  /** The button that starts it. */
  readonly action?: ReactNode;
}

/** Says what would be here and what to do first. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="state">
      <div className="state-icon" aria-hidden>
        {icon ?? <Inbox />}
      </div>
      <h2 className="state-title">{title}</h2>
      {children !== undefined && <div className="state-text">{children}</div>}
      {action !== undefined && <div className="row-wrap state-action">{action}</div>}
    </div>
  );
}

/** Says what went wrong, with the id under which the server knows it, and tries again. */
export function ErrorState({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const message = error instanceof Error ? error.message : String(error);
  const about = error instanceof ApiError ? error : undefined;
  return (
    <div className="state" role="alert">
      <div className="state-icon state-icon-error" aria-hidden>
        <TriangleAlert />
      </div>
      <h2 className="state-title">This could not be read</h2>
      <div className="state-text">{message}</div>
      {about && (
        <div className="state-about small faint">
          {about.code}
          {about.requestId !== undefined && (
            <>
              {' · request '}
              <code>{about.requestId}</code>
              <CopyButton text={about.requestId} label="Copy the request id" />
            </>
          )}
        </div>
      )}
      {onRetry && (
        <Button icon={<RotateCw />} onClick={onRetry}>
          Retry
        </Button>
      )}
    </div>
  );
}

/** Grey bars of the size of what is coming. */
export function Skeleton({
  rows = 1,
  kind = 'line',
  className,
}: {
  readonly rows?: number;
  readonly kind?: 'line' | 'row' | 'card' | 'title';
  readonly className?: string;
}) {
  return (
    <div className={classes('skeleton', className)} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_none, index) => (
        <div key={index} className={`skeleton-${kind}`}>
          <span className="skeleton-bar" />
        </div>
      ))}
    </div>
  );
}
