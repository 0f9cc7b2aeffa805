/** Owns one call in full: who and why they may, what went in and came out, where the time went, what it called. */
import { ChevronDown, ChevronUp, CornerLeftUp, Filter as Funnel, Play } from 'lucide-react';
import type { ReactNode } from 'react';
import { EffectBadge } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ShortId } from '../../ui/copy-button.tsx';
import { DetailPane, Facts } from '../../ui/detail-pane.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Menu } from '../../ui/menu.tsx';
import { ScreenLink } from '../../ui/screen-link.tsx';
import { useKeys } from '../../ui/use-keys.ts';
import type { ScreenState } from '../../ui/use-screen.ts';
import { durationText, exactText, When } from '../../ui/when.tsx';
import { bytesText, OutcomeBadge, SourceBadge } from './call-cells.tsx';
import { FilterCell, narrowings } from './filters.tsx';
import { NestedCalls } from './nested-calls.tsx';
import type { Call } from '../../api/schema.ts';
import { useCall } from './queries.ts';

/** What the detail of a call takes; the two steps stay inside the filter. */
export interface CallDetailProps {
  readonly id: string;
  readonly screen: ScreenState;
  readonly onClose: () => void;
  readonly onNewer: (() => void) | undefined;
  readonly onOlder: (() => void) | undefined;
}

/** One call beside the list. */
export function CallDetail({ id, screen, onClose, onNewer, onOlder }: CallDetailProps) {
  const query = useCall(id);
  const call = query.data;
  useKeys({ n: () => onOlder?.(), p: () => onNewer?.() });
  return (
    <DetailPane
      title={<span className="mono">{call?.toolName ?? 'Call'}</span>}
      name={call?.toolName}
      query={query}
      onClose={onClose}
      about={
        call && (
          <>
            <OutcomeBadge outcome={call.outcome} code={call.errorCode} />
            {call.effect !== null && <EffectBadge effect={call.effect} />}
            <span className="number">{durationText(call.durationMs)}</span>
            <When at={call.timestamp} />
          </>
        )
      }
      actions={
        <>
          <IconButton
            label="The newer call"
            shortcut="p"
            icon={<ChevronUp />}
            disabled={!onNewer}
            onClick={onNewer}
          />
          <IconButton
            label="The older call"
            shortcut="n"
            icon={<ChevronDown />}
            disabled={!onOlder}
            onClick={onOlder}
          />
          {call && (
            <Menu
              trigger={<IconButton label="Narrow the list to alike calls" icon={<Funnel />} />}
              items={narrowings(call, screen)}
            />
          )}
        </>
      }
    >
      {call && <Content call={call} screen={screen} />}
    </DetailPane>
  );
}

function Content({ call, screen }: { readonly call: Call; readonly screen: ScreenState }) {
  return (
    <>
      {call.madeBy !== null && (
        <ScreenLink to={`/monitoring/calls/${call.madeBy.id}`} className="monitoring-made-by row">
          <CornerLeftUp aria-hidden />
          Made by <span className="mono">{call.madeBy.toolName}</span>
        </ScreenLink>
      )}
      {call.errorMessage !== null && (
        <div className="monitoring-error" role="note">
          {call.errorMessage}
        </div>
      )}
      <Times call={call} />
      {call.calls.length > 0 && (
        <Part title={`Calls inside it (${countOf(call.calls)})`}>
          <NestedCalls calls={call.calls} totalMs={call.durationMs} />
        </Part>
      )}
      <Part title="Arguments">
        <Body text={call.input} />
      </Part>
      <Part title="Result">
        <Body text={call.output} />
      </Part>
      <Part title="Who and where">
        <Facts facts={factsOf(call, screen)} />
      </Part>
      {call.method !== 'rest' && (
        <div>
          <ScreenLink isButton to={`/tools/${encodeURIComponent(toolPlace(call))}?call=${call.id}`}>
            <Play aria-hidden /> Run it again
          </ScreenLink>
        </div>
      )}
    </>
  );
}

/** What the runner knows a tool by: the endpoint that it is called at, and its name. */
function toolPlace({ connectionId, virtualMcpId, toolName }: Call): string {
  const own = connectionId.endsWith('_self') ? 'self' : connectionId;
  return `${virtualMcpId === null ? own : `virtual-mcp/${virtualMcpId}`}:${toolName}`;
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="stack">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function countOf(calls: Call['calls']): number {
  return calls.reduce((sum, call) => sum + 1 + countOf(call.calls), 0);
}

/** How much of the time was spent at the upstream. */
function Times({ call: { durationMs, upstreamMs } }: { readonly call: Call }) {
  if (upstreamMs === null) return null;
  const share = durationMs === 0 ? 0 : Math.min(1, upstreamMs / durationMs);
  const own = Math.max(0, durationMs - upstreamMs);
  return (
    <div className="stack monitoring-times">
      <div
        className="monitoring-bar"
        role="img"
        aria-label={`${durationText(upstreamMs)} of ${durationText(durationMs)} were spent at the upstream`}
      >
        <span className="monitoring-bar-part" style={{ width: `${share * 100}%` }} />
      </div>
      <div className="small muted number">
        {durationText(upstreamMs)} at the upstream, {durationText(own)} here
      </div>
    </div>
  );
}

/** What was recorded: JSON as a tree, else the text; without secrets, and cut where it was long. */
function Body({ text }: { readonly text: string | null }) {
  if (text === null) return <p className="muted">Nothing was recorded.</p>;
  const value = parsed(text);
  if (value === undefined) return <CodeBlock text={text} isWrapped isShort />;
  return <JsonView value={value} />;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function factsOf(call: Call, screen: ScreenState): readonly (readonly [string, ReactNode] | false)[] {
  const { grant, properties } = call;
  const filter = (filters: Record<string, string>, what: string, text: ReactNode) => (
    <FilterCell screen={screen} filters={filters} what={what}>
      {text}
    </FilterCell>
  );
  return [
    [
      'Caller',
      <span key="caller" className="row-wrap">
        {filter({ caller: call.callerId }, 'calls of this caller', call.callerName ?? call.callerId)}
        <SourceBadge source={call.callerSource} />
        <ShortId id={call.callerId} />
      </span>,
    ],
    call.userId !== null && [
      'Person',
      filter({ user: call.userId }, 'calls for this person', call.userName ?? call.userId),
    ],
    ['Allowed by', <Grant key="grant" call={call} />],
    grant !== null && grant.roles.length > 0 && ['Roles now', grant.roles.join(', ')],
    [
      'Where',
      <span key="where" className="row-wrap">
        {filter(
          { connection: call.connectionId },
          'calls of this',
          call.connectionTitle ?? call.connectionId,
        )}
        <ShortId id={call.connectionId} />
      </span>,
    ],
    call.virtualMcpId !== null && [
      'Virtual MCP',
      <ScreenLink key="virtual" to={`/virtual-mcps/${call.virtualMcpId}`}>
        {call.virtualMcpTitle ?? call.virtualMcpId}
      </ScreenLink>,
    ],
    [
      'Ended',
      <span key="time" title={call.timestamp}>
        {exactText(call.timestamp)}
      </span>,
    ],
    call.errorCode !== null && [
      'Code',
      filter({ code: call.errorCode }, 'calls with this code', call.errorCode),
    ],
    call.requestId !== null && [
      'Request',
      filter({ request: call.requestId }, 'calls of this request', <code>{call.requestId}</code>),
    ],
    [
      'Trace',
      call.traceId === null ? (
        <span key="trace" className="faint">
          The client sent none
        </span>
      ) : (
        <ShortId key="trace" id={call.traceId} />
      ),
    ],
    [
      'Client',
      call.userAgent ?? (
        <span key="client" className="faint">
          unknown
        </span>
      ),
    ],
    call.protocolVersion !== null && ['Protocol', call.protocolVersion],
    call.bytesIn !== null && [
      'Size',
      `${bytesText(call.bytesIn)} in${call.bytesOut === null ? '' : `, ${bytesText(call.bytesOut)} out`}`,
    ],
    properties !== null &&
      Object.keys(properties).length > 0 && [
        'Labels',
        Object.entries(properties)
          .map(([name, value]) => `${name}: ${value}`)
          .join(', '),
      ],
    ['Record', <ShortId key="id" id={call.id} />],
  ];
}

function Grant({ call }: { readonly call: Call }) {
  const { grant, outcome, method } = call;
  const explain = (
    <ScreenLink
      to={`/organization/access?caller=${encodeURIComponent(call.callerId)}&tool=${encodeURIComponent(call.toolName)}`}
    >
      Explain
    </ScreenLink>
  );
  if (method === 'rest')
    return <span className="muted">A route; its grant is in the API&apos;s document</span>;
  if (grant === null)
    return (
      <span className="row-wrap">
        <span className="muted">
          {outcome === 'denied' ? 'No grant covers it' : 'No grant covers it any more'}
        </span>
        {explain}
      </span>
    );
  return (
    <span className="row-wrap">
      <code>{`${grant.resource}:${grant.name}`}</code>
      {explain}
    </span>
  );
}
