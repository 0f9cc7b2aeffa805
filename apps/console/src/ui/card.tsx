/** Owns a box with a heading that groups what belongs together. */
import type { ReactNode } from 'react';
import './card.css';
import { classes } from './classes.ts';

/** What a card takes. */
export interface CardProps {
  readonly title?: ReactNode;
  readonly description?: ReactNode;
  /** Buttons at the right of the heading. */
  readonly actions?: ReactNode;
  readonly footer?: ReactNode;
  /** True: what is inside reaches the border, for tables and lists. */
  readonly isFlush?: boolean;
  readonly className?: string;
  readonly children?: ReactNode;
}

/** A box with an optional heading, actions and footer. */
export function Card({ title, description, actions, footer, isFlush, className, children }: CardProps) {
  return (
    <section className={classes('card', className)}>
      {(title !== undefined || actions !== undefined) && (
        <header className="card-head">
          <div className="grow">
            {title !== undefined && <h2 className="card-title">{title}</h2>}
            {description !== undefined && <p className="card-description">{description}</p>}
          </div>
          {actions !== undefined && <div className="row">{actions}</div>}
        </header>
      )}
      {children !== undefined && <div className={isFlush ? 'card-flush' : 'card-body'}>{children}</div>}
      {footer !== undefined && <footer className="card-foot">{footer}</footer>}
    </section>
  );
}
