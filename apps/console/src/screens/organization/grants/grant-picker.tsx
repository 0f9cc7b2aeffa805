/** Owns choosing what a key or a role may do: by resource, by effect, tool by tool. */
import { ChevronRight, Search } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Tool } from '../../../api/schema.ts';
import { Badge, EffectBadge } from '../../../ui/badge.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { classes } from '../../../ui/classes.ts';
import { Input } from '../../../ui/field.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import type { Grants } from '../queries.ts';
import { useTools } from '../queries.ts';
import type { Resource } from './grants.ts';
import { EFFECTS, resourcesOf, withName, withNames } from './grants.ts';

/** What the picker takes. */
export interface GrantPickerProps {
  readonly grants: Grants;
  readonly onChange: (grants: Grants) => void;
}

/** Resources that open to their tools, with a box each. */
export function GrantPicker({ grants, onChange }: GrantPickerProps) {
  const query = useTools();
  const [text, setText] = useState('');
  const resources = useMemo(() => resourcesOf(query.data ?? []), [query.data]);
  const wanted = text.trim().toLowerCase();
  if (query.isPending) return <Skeleton rows={6} />;
  if (query.error) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  return (
    <div className="grants stack">
      <Input
        type="search"
        aria-label="Find a tool"
        placeholder="Find a tool"
        icon={<Search />}
        value={text}
        onText={setText}
      />
      <div className="grants-list">
        {resources.map((resource) => (
          <ResourceChoice
            key={resource.id}
            resource={resource}
            wanted={wanted}
            grants={grants}
            onChange={onChange}
          />
        ))}
        {resources.every(({ tools }) => tools.every((tool) => !isFound(tool, wanted))) && (
          <p className="grants-head muted" role="status">
            No tool has this in its name.
          </p>
        )}
      </div>
    </div>
  );
}

function isFound({ name, title }: Tool, wanted: string): boolean {
  return `${name} ${title}`.toLowerCase().includes(wanted);
}

function ResourceChoice({
  resource,
  wanted,
  grants,
  onChange,
}: GrantPickerProps & { readonly resource: Resource; readonly wanted: string }) {
  const [isOpen, setOpen] = useState(false);
  const shown = resource.tools.filter((tool) => isFound(tool, wanted));
  if (wanted !== '' && shown.length === 0) return null;
  const names = grants[resource.id] ?? [];
  const isAll = names.includes('*');
  const count = names.filter((name) => name !== '*').length;
  const isShown = isOpen || wanted !== '';
  return (
    <section className="grants-resource">
      <div className="grants-head">
        <Checkbox
          label={`All tools of ${resource.title}`}
          isChecked={isAll}
          isMixed={!isAll && count > 0}
          onChange={(isOn) => onChange(withName(grants, resource.id, '*', isOn))}
        />
        <button
          type="button"
          className="grants-title"
          aria-expanded={isShown}
          onClick={() => setOpen(!isOpen)}
        >
          <span className="strong truncate">{resource.title}</span>
          <span className="small muted">
            {isAll ? 'all' : `${count} of ${resource.tools.length}`}
            {isAll && count > 0 ? ` and ${count} by name` : ''}
          </span>
          <ChevronRight className={classes('grants-arrow', isShown && 'grants-arrow-open')} aria-hidden />
        </button>
      </div>
      {isShown &&
        EFFECTS.map((effect) => (
          <EffectChoice
            key={effect}
            resource={resource}
            tools={shown.filter((tool) => tool.effect === effect)}
            grants={grants}
            onChange={onChange}
          />
        ))}
    </section>
  );
}

function EffectChoice({
  resource,
  tools,
  grants,
  onChange,
}: GrantPickerProps & { readonly resource: Resource; readonly tools: readonly Tool[] }) {
  const [first] = tools;
  if (!first) return null;
  const names = grants[resource.id] ?? [];
  const isAll = names.includes('*');
  const chosen = tools.filter(({ name }) => names.includes(name)).length;
  return (
    <div className="grants-effect">
      <Checkbox
        isChecked={chosen === tools.length}
        isMixed={chosen > 0 && chosen < tools.length}
        onChange={(isOn) =>
          onChange(
            withNames(
              grants,
              resource.id,
              tools.map(({ name }) => name),
              isOn,
            ),
          )
        }
      >
        <EffectBadge effect={first.effect} /> <span className="small muted">{tools.length}</span>
      </Checkbox>
      <ul>
        {tools.map((tool) => {
          const isGiven = isAll && !tool.isPrivileged;
          return (
            <li key={tool.name}>
              <Checkbox
                isChecked={isGiven || names.includes(tool.name)}
                isDisabled={isGiven}
                onChange={(isOn) => onChange(withName(grants, resource.id, tool.name, isOn))}
              >
                <span title={tool.description}>{tool.title || tool.name}</span>{' '}
                {tool.isPrivileged && <Badge tone="amber">dangerous</Badge>}
              </Checkbox>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
