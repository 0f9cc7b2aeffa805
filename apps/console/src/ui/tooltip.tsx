/** Owns the hint that a pointer or the focus brings up over a control. */
import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement } from 'react';
import { Kbd } from './kbd.tsx';
import './tooltip.css';

/** What a hint takes; the child must be one element that takes a ref. */
export interface TooltipProps {
  readonly text: string;
  readonly shortcut?: string;
  readonly children: ReactElement<Record<string, unknown>>;
}

/** Shows a short text over its child on hover and focus. */
export function Tooltip({ text, shortcut, children }: TooltipProps) {
  return (
    <Base.Root>
      <Base.Trigger render={children} delay={400} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} className="tooltip-position">
          <Base.Popup className="tooltip">
            {text}
            {shortcut && <Kbd keys={shortcut} />}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
