/** Owns what is open beside a list: a heading, actions, content; on a narrow window it takes the whole place. */
import { ArrowLeft, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { faultOf } from '../api/query.ts';
import { useOpenedName } from '../frame/page-title.ts';
import { IconButton } from './button.tsx';
import { classes } from './classes.ts';
import './detail-pane.css';
import { ErrorState, Skeleton } from './states.tsx';
import { useKeys } from './use-keys.ts';
import { useIsWide } from './use-media.ts';

/** What a detail takes. */
export interface DetailPaneProps {
  readonly title: ReactNode;
  /** The title as plain words, where it is more than that: for the tab and the places one was at. */
  readonly name?: string | undefined;
  /** Badges, ids and times under the title. */
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly onClose: () => void;
  /** Given: a skeleton or an error stands in for the content. */
  readonly query?: {
    readonly isPending: boolean;
    /** What was read before stays when reading it again fails. */
    readonly data?: unknown;
    readonly error: Error | null;
    readonly refetch: () => unknown;
  };
  /** `l`: more than half of the place. */
  readonly size?: 'm' | 'l';
  /** What stays at the bottom: an answer box. */
  readonly footer?: ReactNode;
  readonly children?: ReactNode;
}

/** The open thing beside its list; Escape closes it. */
export function DetailPane({
  title,
  name = typeof title === 'string' ? title : undefined,
  about,
  actions,
  onClose,
  query,
  size = 'm',
  footer,
  children,
}: DetailPaneProps) {
  const isWide = useIsWide();
  const pane = useRef<HTMLElement>(null);
  const fault = query === undefined ? null : faultOf(query);
  const isKnown = query === undefined || (!query.isPending && fault === null);
  useOpenedName(isKnown ? name : undefined);
  useKeys({ Escape: onClose });
  // Opened by a key: the next Tab goes on in here, not at the top of the page.
  useEffect(() => {
    if (document.activeElement === document.body) pane.current?.focus();
  }, []);
  return (
    <aside ref={pane} tabIndex={-1} className={classes('detail', `detail-${size}`)} aria-label="Details">
      <header className="detail-head">
        {!isWide && <IconButton label="Back to the list" icon={<ArrowLeft />} onClick={onClose} />}
        <div className="grow">
          <h2 className="detail-title">{title}</h2>
          {about !== undefined && <div className="detail-about">{about}</div>}
        </div>
        {actions !== undefined && <div className="row">{actions}</div>}
        {isWide && <IconButton label="Close" shortcut="Escape" icon={<X />} onClick={onClose} />}
      </header>
      <div className="detail-body">
        {query?.isPending ? (
          <Skeleton rows={8} />
        ) : fault ? (
          <ErrorState error={fault} onRetry={() => query?.refetch()} />
        ) : (
          children
        )}
      </div>
      {footer !== undefined && <footer className="detail-foot">{footer}</footer>}
    </aside>
  );
}

/** Names and values in two columns. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [string, ReactNode] | false | undefined)[];
}) {
  return (
    <dl className="facts">
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact[0]} className="facts-line">
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
