/** Owns the shape of a screen that is no list: a title, actions, and content of a readable width. */
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import './page.css';

/** A page that scrolls, with a heading. */
export function Page({
  title,
  description,
  actions,
  size = 'm',
  children,
}: {
  readonly title: ReactNode;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  /** `m`: as wide as text; `l`: wider; `full`: all of it. */
  readonly size?: 'm' | 'l' | 'full';
  readonly children?: ReactNode;
}) {
  return (
    <div className="page">
      <div className={classes('page-inside', `page-${size}`)}>
        <header className="page-head">
          <div className="grow">
            <h1>{title}</h1>
            {description !== undefined && <p className="muted">{description}</p>}
          </div>
          {actions !== undefined && <div className="row-wrap">{actions}</div>}
        </header>
        {children}
      </div>
    </div>
  );
}
