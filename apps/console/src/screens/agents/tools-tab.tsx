/** Owns the tools of an agent in a session of a kind, and the reason why each of the others is missing. */
import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Switch } from '../../ui/checkbox.tsx';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { SOURCES, useTools } from './queries.ts';

const SOURCE_OPTIONS = SOURCES.map((value) => ({ value, label: value }));

export function ToolsTab({ id }: { readonly id: string }) {
  const [source, setSource] = useState<string>('api');
  const [isUnattended, setUnattended] = useState(false);
  const query = useTools(id, { source, isUnattended });
  return (
    <div className="stack agents-part">
      <div className="row-wrap">
        <Field label="In a session from">
          <Select value={source} onChange={setSource} options={SOURCE_OPTIONS} />
        </Field>
        <Switch isChecked={isUnattended} onChange={setUnattended}>
          Nobody watches
        </Switch>
      </div>
      {query.isPending && <Skeleton rows={6} />}
      {query.error !== null && <ErrorState error={query.error} onRetry={() => query.refetch()} />}
      {query.data && (
        <>
          <h3 className="agents-head">Has {query.data.tools.length}</h3>
          <ul className="agents-names">
            {query.data.tools.map((name) => (
              <li key={name}>
                <code>{name}</code>
              </li>
            ))}
          </ul>
          {query.data.removed.length > 0 && <h3 className="agents-head">Has not</h3>}
          <ul className="agents-names">
            {query.data.removed.map(({ name, reason }) => (
              <li key={name}>
                <code>{name}</code> <Badge tone="amber">{reason.replaceAll('_', ' ')}</Badge>
              </li>
            ))}
          </ul>
          {query.data.unknown.length > 0 && (
            <p className="muted">Listed, but no tool has these names: {query.data.unknown.join(', ')}</p>
          )}
        </>
      )}
    </div>
  );
}
