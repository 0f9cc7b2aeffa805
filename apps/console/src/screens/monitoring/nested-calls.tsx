/** Owns the calls inside a call: a tree, each with a bar that says when it ran and for how long. */
import { EffectBadge } from '../../ui/badge.tsx';
import { ScreenLink } from '../../ui/screen-link.tsx';
import { durationText } from '../../ui/when.tsx';
import { OutcomeBadge } from './call-cells.tsx';
import type { NestedCall } from './queries.ts';

const LEAST_SHARE = 0.01;

/** The tree of calls. */
export function NestedCalls({
  calls,
  totalMs,
}: {
  readonly calls: readonly NestedCall[];
  readonly totalMs: number;
}) {
  return (
    <ul className="monitoring-tree">
      {calls.map((call) => (
        <li key={call.id}>
          <div className="monitoring-node">
            <ScreenLink to={`/monitoring/calls/${call.id}`} className="mono truncate">
              {call.toolName}
            </ScreenLink>
            {call.effect !== null && <EffectBadge effect={call.effect} />}
            {call.outcome !== 'ok' && <OutcomeBadge outcome={call.outcome} code={call.errorCode} />}
            <span className="monitoring-lane" aria-hidden>
              <span className="monitoring-lane-bar" style={placeOf(call, totalMs)} />
            </span>
            <span className="number small muted">{durationText(call.durationMs)}</span>
          </div>
          {call.calls.length > 0 && <NestedCalls calls={call.calls} totalMs={totalMs} />}
        </li>
      ))}
    </ul>
  );
}

function placeOf({ startMs, durationMs }: NestedCall, totalMs: number): { left: string; width: string } {
  const total = Math.max(totalMs, 0.001);
  const left = Math.min(1 - LEAST_SHARE, startMs / total);
  const width = Math.max(LEAST_SHARE, Math.min(1 - left, durationMs / total));
  return { left: `${left * 100}%`, width: `${width * 100}%` };
}
