/** Owns links to other screens of the console. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';

/** A link to a screen: `to` is a path below /console, such as `/tasks/tsk_1`. */
export function ScreenLink({
  to,
  search,
  isButton,
  kind = 'plain',
  className,
  title,
  isCurrent,
  children,
}: {
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  /** True: looks like a button. */
  readonly isButton?: boolean;
  readonly kind?: 'primary' | 'plain' | 'quiet';
  readonly className?: string;
  readonly title?: string;
  /** Given: says whether it leads to where one is, instead of asking the router. */
  readonly isCurrent?: boolean;
  readonly children: ReactNode;
}) {
  const [path = '/', query = ''] = to.split('?');
  const all = { ...Object.fromEntries(new URLSearchParams(query)), ...search };
  return (
    <Link
      to={path}
      search={all}
      title={title}
      {...(isCurrent !== undefined && { 'aria-current': isCurrent ? ('page' as const) : undefined })}
      className={classes(isButton && `button button-m button-${kind}`, className)}
    >
      {children}
    </Link>
  );
}
