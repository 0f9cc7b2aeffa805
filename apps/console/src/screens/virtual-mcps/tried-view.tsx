/** Owns what came of a test run: what it returned or failed with, and what the code wrote. */
import { Badge } from '../../ui/badge.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Notice } from '../../ui/notice.tsx';
import { durationText } from '../../ui/when.tsx';
import type { TriedTool } from '../../api/schema.ts';

export function TriedView({ tried }: { readonly tried: TriedTool }) {
  const { error, returnValue, consoleLogs, durationMs } = tried;
  return (
    <div className="stack" role="status">
      <div className="row">
        <Badge tone={error === null ? 'green' : 'red'}>{error === null ? 'it returned' : error.code}</Badge>
        <span className="small muted number">{durationText(durationMs)}</span>
      </div>
      {error !== null && (
        <Notice tone="red">
          <span className="virtual-pre">{error.message}</span>
        </Notice>
      )}
      {returnValue !== undefined && <JsonView value={returnValue} />}
      {error === null && returnValue === undefined && <p className="muted">It returned nothing.</p>}
      {consoleLogs.length > 0 && (
        <ul className="virtual-console mono small" aria-label="Console of the code">
          {consoleLogs.map((entry, index) => (
            <li key={index} className={`virtual-console-${entry.type}`}>
              {entry.type === 'log' ? '' : `${entry.type}: `}
              {entry.content}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
