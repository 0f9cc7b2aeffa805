/** Owns a sentence that should be seen where it belongs: something waits, failed, or went well. */
import { CircleAlert, CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import './notice.css';

/** What a notice takes. */
export interface NoticeProps {
  readonly tone: 'green' | 'amber' | 'red';
  /** Buttons under the sentence. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A sentence on a soft colour; what failed is said aloud. */
export function Notice({ tone, actions, children }: NoticeProps) {
  return (
    <div className={classes('notice', `notice-${tone}`)} role={tone === 'red' ? 'alert' : 'status'}>
      {tone === 'green' ? <CircleCheck aria-hidden /> : <CircleAlert aria-hidden />}
      <div className="grow">
        {children}
        {actions !== undefined && <div className="row-wrap notice-actions">{actions}</div>}
      </div>
    </div>
  );
}
