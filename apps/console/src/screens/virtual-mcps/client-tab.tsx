/** Owns connecting a client to a virtual MCP: the mode with its cost, the address, and the configuration to copy. */
import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useId, useState } from 'react';
import { request } from '../../api/request.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { classes } from '../../ui/classes.ts';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { NewKeyDialog } from '../organization/keys/new-key-dialog.tsx';
import type { PartProps } from './detail.tsx';
import type { Mode } from './types.ts';

const MODES: Readonly<Record<Mode, { readonly title: string; readonly text: string }>> = {
  passthrough: { title: 'All tools', text: 'Clients see every tool itself.' },
  smart_tool_selection: {
    title: 'Search and call',
    text: 'Three tools find, describe and call all others: for many tools and small contexts.',
  },
  code_execution: {
    title: 'Code',
    text: 'Three tools find, describe and run code over all others, in a sandbox.',
  },
};

export function ClientTab({ virtual, described }: PartProps) {
  const [mode, setMode] = useState<Mode>('passthrough');
  const [isMaking, setMaking] = useState(false);
  const group = useId();
  const [clientId, setClientId] = useState<string>();
  const query = useQuery({
    queryKey: ['virtual-mcps', 'clients', virtual.id, mode],
    queryFn: ({ signal }) =>
      request('GET /api/clients', {
        query: { endpoint: `virtual-mcp/${virtual.id}`, mode: mode === 'passthrough' ? undefined : mode },
        signal,
      }),
  });
  const address = `${location.origin}/mcp/virtual-mcp/${virtual.id}${mode === 'passthrough' ? '' : `?mode=${mode}`}`;
  const clients = query.data ?? [];
  const open = clients.find(({ id }) => id === clientId) ?? clients[0];
  return (
    <div className="stack-l">
      <fieldset className="modes">
        <legend className="field-label">Mode</legend>
        {described.modes.map((each) => (
          <div key={each.mode} className={classes('mode', mode === each.mode && 'mode-chosen')}>
            <input
              id={`${group}-${each.mode}`}
              type="radio"
              name={group}
              value={each.mode}
              checked={mode === each.mode}
              onChange={() => setMode(each.mode)}
            />
            <span className="grow">
              <span className="row">
                <label htmlFor={`${group}-${each.mode}`} className="strong grow mode-label">
                  {MODES[each.mode].title}
                </label>
                <span className="small muted number">
                  {each.tools.toLocaleString('en')} tools, about {each.tokens.toLocaleString('en')} tokens
                </span>
              </span>
              <span className="small muted">{MODES[each.mode].text}</span>
            </span>
          </div>
        ))}
      </fieldset>
      <CodeBlock title="Address" text={address} isWrapped />
      {query.isPending ? (
        <Skeleton rows={6} />
      ) : query.error ? (
        <ErrorState error={query.error} onRetry={() => query.refetch()} />
      ) : (
        <Card
          title="Configuration of a client"
          description="PARLEY_KEY stands for a key that has grants on the tools of the members."
          actions={
            <Button icon={<KeyRound />} onClick={() => setMaking(true)}>
              Make a key
            </Button>
          }
        >
          <div className="stack">
            <Tabs
              value={open?.id ?? ''}
              onChange={setClientId}
              tabs={clients.map(({ id, title }) => ({ id, label: title }))}
              label="Client"
            />
            {open && <CodeBlock title={open.where} text={open.text} />}
          </div>
        </Card>
      )}
      {isMaking && (
        <NewKeyDialog needed={neededFor({ virtual, described })} onClose={() => setMaking(false)} />
      )}
    </div>
  );
}

/** The grants of a key that has all that clients see here: the tools of the members, and those in code. */
function neededFor({ virtual, described }: Pick<PartProps, 'virtual' | 'described'>) {
  const inCode = described.shown.filter(({ connection }) => connection === null).map(({ name }) => name);
  const ofMembers = virtual.connections.map(({ connection_id: id, selected_tools: names }) => {
    const isSelf = described.members.some((member) => member.connectionId === id && member.isSelf);
    return [isSelf ? 'self' : id, names ?? ['*']] as const;
  });
  const all = [...ofMembers, [virtual.id, inCode] as const];
  return Object.fromEntries(all.filter(([, names]) => names.length > 0));
}
