/** Owns the tools of an agent in a session of a kind, with what decides about each of them. */
import { useState } from 'react';
import type { Agent, AgentTools } from '../../api/schema.ts';
import { Badge } from '../../ui/badge.tsx';
import { Switch } from '../../ui/checkbox.tsx';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { GivenSets } from './given-sets.tsx';
import { SOURCES, useProjects, useTools } from './queries.ts';

const SOURCE_WORDS: Readonly<Record<(typeof SOURCES)[number], string>> = {
  web: 'the console',
  api: 'a key',
  mcp: 'a client at this machine',
  agent: 'another agent',
  schedule: 'a schedule',
  webhook: 'a webhook',
  remote: 'another server',
};
const SOURCE_OPTIONS = SOURCES.map((value) => ({ value, label: SOURCE_WORDS[value] }));
const ANY = 'none';

const REASONS: Readonly<Record<string, string>> = {
  not_granted: 'not granted',
  not_in_set: 'in no list',
  unattended: 'nobody watches',
  not_registered: 'not there',
  agent_missing: 'agent gone',
  capability: 'lacks a capability',
};
const REASON_WORDS: Readonly<Record<string, string>> = {
  not_granted: 'The person behind the agent does not hold it.',
  unattended: 'It is blocked while nobody watches, whatever lists say.',
  not_registered: 'There is no such tool on this server now.',
  agent_missing: 'The agent, or the person behind it, is gone.',
  capability: 'Its plugin has not been granted what it needs.',
};

export function ToolsTab({ agent }: { readonly agent: Agent }) {
  const [source, setSource] = useState<string>('api');
  const [project, setProject] = useState(ANY);
  const [isUnattended, setUnattended] = useState(false);
  const projects = useProjects();
  const query = useTools(agent.id, {
    source,
    isUnattended,
    ...(project !== ANY && { project }),
  });
  return (
    <div className="stack agents-part">
      <GivenSets agent={agent} />
      <div className="row-wrap agents-asked">
        <Field label="In a session from">
          <Select value={source} onChange={setSource} options={SOURCE_OPTIONS} />
        </Field>
        <Field label="In the project">
          <Select
            value={project}
            onChange={setProject}
            options={[
              { value: ANY, label: 'no project' },
              ...projects.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        </Field>
        <Switch isChecked={isUnattended} onChange={setUnattended}>
          Nobody watches
        </Switch>
      </div>
      {query.isPending && <Skeleton rows={6} />}
      {query.error !== null && <ErrorState error={query.error} onRetry={() => query.refetch()} />}
      {query.data && <Report report={query.data} />}
    </div>
  );
}

function Report({ report: { tools, removed, unknown, prompt, why } }: { readonly report: AgentTools }) {
  return (
    <>
      <h3>Has {tools.length}</h3>
      {tools.length === 0 && <EmptyState title="No tools in such a session" />}
      <ul className="agents-tools">
        {tools.map((name) => (
          <li key={name}>
            <code>{name}</code>
            <span className="small muted">{why[name]}</span>
          </li>
        ))}
      </ul>
      {removed.length > 0 && <h3>Has not {removed.length}</h3>}
      <ul className="agents-tools">
        {removed.map(({ name, reason }) => (
          <li key={name}>
            <span className="row-wrap">
              <code>{name}</code>
              <Badge tone="amber">{REASONS[reason] ?? reason.replaceAll('_', ' ')}</Badge>
            </span>
            <span className="small muted">{REASON_WORDS[reason] ?? why[name]}</span>
          </li>
        ))}
      </ul>
      {unknown.length > 0 && (
        <p className="muted">Listed, but no tool has these names: {unknown.join(', ')}</p>
      )}
      {prompt !== '' && (
        <section className="stack">
          <h3>What its bundles tell it</h3>
          <p className="agents-text muted" dir="auto">
            {prompt}
          </p>
        </section>
      )}
    </>
  );
}
