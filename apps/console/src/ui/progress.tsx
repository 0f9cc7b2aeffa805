/** Owns showing how far something is. */
import type { Tone } from './badge.tsx';
import './progress.css';

/** A bar; without a total it moves to show that something happens. */
export function Progress({
  done,
  total,
  label,
  tone = 'accent',
}: {
  readonly done: number;
  readonly total?: number | null;
  readonly label: string;
  readonly tone?: Tone;
}) {
  const isKnown = typeof total === 'number' && total > 0;
  const share = isKnown ? Math.max(0, Math.min(1, done / total)) : 0;
  return (
    <div
      className={`progress progress-${tone}${isKnown ? '' : ' progress-unknown'}`}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={isKnown ? Math.round(share * 100) : undefined}
    >
      <div className="progress-bar" style={isKnown ? { transform: `scaleX(${share})` } : undefined} />
    </div>
  );
}
