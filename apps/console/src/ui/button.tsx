/** Owns buttons: what starts an act. A link that looks like one is `ButtonLink`. */
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import './button.css';
import { classes } from './classes.ts';
import { Tooltip } from './tooltip.tsx';

/** `primary`: the one main act of a screen; `plain`: others; `quiet`: among text; `danger`: takes away. */
export type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger';

/** What a button takes besides what any button takes. */
export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: ButtonKind;
  readonly size?: 's' | 'm';
  readonly icon?: ReactNode;
  /** Shows that it works and takes no click. */
  readonly isBusy?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

/** Starts an act. */
export function Button({
  kind = 'plain',
  size = 'm',
  icon,
  isBusy,
  children,
  className,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      aria-busy={isBusy || undefined}
      {...rest}
      disabled={rest.disabled || isBusy}
      className={classes('button', `button-${kind}`, `button-${size}`, className)}
    >
      {isBusy ? <span className="button-spinner" aria-hidden /> : icon}
      {children !== undefined && <span className="button-text">{children}</span>}
    </button>
  );
}

/** What an icon button takes; `label` is said by screen readers and shown on hover. */
export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon'> {
  readonly label: string;
  readonly icon: ReactNode;
  /** Keys that do the same, shown on hover. */
  readonly shortcut?: string;
}

/** A button that is only a picture. */
export function IconButton({
  label,
  icon,
  shortcut,
  kind = 'quiet',
  size = 'm',
  className,
  isBusy,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip text={label} shortcut={shortcut}>
      <button
        type="button"
        aria-label={label}
        {...rest}
        disabled={rest.disabled || isBusy}
        className={classes('button', 'button-icon', `button-${kind}`, `button-${size}`, className)}
      >
        {isBusy ? <span className="button-spinner" aria-hidden /> : icon}
      </button>
    </Tooltip>
  );
}
