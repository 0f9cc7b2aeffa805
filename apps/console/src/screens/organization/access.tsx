/** Owns the question why somebody can call a tool, or cannot. */
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleX, HelpCircle } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { useSection } from '../../ui/sections.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import type { ScreenState } from '../../ui/use-screen.ts';
import { useKeysOfOrganization, useMembers, useTools } from './queries.ts';

/** The part of the screen. */
export function Access({ screen: whole }: { readonly screen: ScreenState }) {
  const screen = useSection(whole, 'access');
  const { caller = '', tool = '', at = '' } = screen.search;
  return (
    <Page
      title="Access"
      description="Why can somebody call a tool, or why not? The same resolver answers that decides."
    >
      <Question key={`${caller} ${tool} ${at}`} screen={screen} />
      {caller !== '' && tool !== '' ? (
        <Answer caller={caller} tool={tool} endpoint={at === '' ? undefined : at} />
      ) : (
        <EmptyState icon={<HelpCircle />} title="Ask about a caller and a tool">
          A caller is a key or a member by name or id, or an agent.
        </EmptyState>
      )}
    </Page>
  );
}

function Question({ screen }: { readonly screen: ScreenState }) {
  const { data: keys = [] } = useKeysOfOrganization();
  const { data: tools = [] } = useTools();
  const { data: people } = useMembers({});
  const members = people?.pages.flatMap((page) => page.members) ?? [];
  const [caller, setCaller] = useState(screen.search['caller'] ?? '');
  const [tool, setTool] = useState(screen.search['tool'] ?? '');
  const [at, setAt] = useState(screen.search['at'] ?? '');
  const active = keys.filter(({ state }) => state === 'active');
  const names = [...new Set([...active, ...members].map(({ name }) => name))];
  // A key is asked about by its name too; two people may have the same one, so they go by their id.
  const idOf = (typed: string) =>
    active.some(({ name }) => name === typed)
      ? typed
      : (members.find(({ name, email }) => name === typed || email === typed)?.id ?? typed);
  return (
    <Card>
      <form
        className="organization-question"
        onSubmit={(event) => {
          event.preventDefault();
          screen.setSearch({ caller: idOf(caller.trim()), tool: tool.trim(), at: at.trim() || undefined });
        }}
      >
        <Field label="Why can" hint="A key, a member or an agent: name or id">
          <Input value={caller} onText={setCaller} list="access-callers" maxLength={128} autoFocus />
        </Field>
        <Field label="call" hint="The name of a tool, resource or prompt">
          <Input className="mono" value={tool} onText={setTool} list="access-tools" maxLength={128} />
        </Field>
        <Field label="at" hint="What stands after /mcp/; empty: everywhere">
          <Input className="mono" value={at} onText={setAt} maxLength={200} />
        </Field>
        <Button kind="primary" type="submit" disabled={caller.trim() === '' || tool.trim() === ''}>
          Explain
        </Button>
        <datalist id="access-callers">
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </datalist>
        <datalist id="access-tools">
          {[...new Set(tools.map(({ name }) => name))].map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </datalist>
      </form>
    </Card>
  );
}

interface Asked {
  readonly caller: string;
  readonly tool: string;
  readonly endpoint: string | undefined;
}

function Answer({ caller, tool, endpoint }: Asked) {
  const query = useQuery({
    queryKey: ['members', 'explain', caller, tool, endpoint],
    queryFn: ({ signal }) => request('GET /api/explain', { query: { caller, tool, endpoint }, signal }),
    retry: false,
  });
  if (query.isPending) return <Skeleton kind="card" />;
  if (query.error) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  const { visible, reason, explanation, missing, grants } = query.data;
  const isListed = missing.reason === 'there';
  const isRight = visible && reason === 'visible' && isListed;
  return (
    <Card>
      <div className="organization-answer" role="status">
        {isRight ? (
          <CircleCheck className="organization-yes" aria-hidden />
        ) : (
          <CircleX className="organization-no" aria-hidden />
        )}
        <div className="stack grow">
          <h2>
            {query.data.caller.name} {isRight ? 'can' : 'cannot'} call <code>{query.data.tool}</code>
          </h2>
          <p>{explanation}</p>
          {!isListed && <p>{missing.text}</p>}
          <div className="row-wrap">
            <Badge tone={isRight ? 'green' : 'amber'}>{reason}</Badge>
            {!isListed && missing.reason !== reason && <Badge tone="amber">{missing.reason}</Badge>}
            {Object.entries(grants ?? {}).map(([resource, names]) =>
              names.map((name) => <Badge key={`${resource} ${name}`}>{`${resource}:${name}`}</Badge>),
            )}
          </div>
        </div>
      </div>
    </Card>
  );
}
