/** Owns the filters of calls: which there are, what can be chosen, and cells that narrow the list to themselves. */
import { Filter as Funnel } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { useNamedAgents, useNamedConnections, useNamedKeys, useNamedPeople } from '../../api/named.ts';
import type { Named as KnownName } from '../../api/named.ts';
import { IconButton } from '../../ui/button.tsx';
import type { Filter } from '../../ui/list-screen.tsx';
import { Menu } from '../../ui/menu.tsx';
import type { MenuEntry } from '../../ui/menu.tsx';
import type { Option } from '../../ui/select.tsx';
import type { ScreenState, Search } from '../../ui/use-screen.ts';
import { durationText } from '../../ui/when.tsx';
import type { CallLine, ErrorGroup, ToolRate } from './queries.ts';

const MOST_OPTIONS = 12;
/** Of what is known besides: a menu is no place to look through hundreds. */
const MOST_KNOWN = 50;

const OUTCOMES: readonly Option[] = [
  { value: 'failed', label: 'Failed', hint: 'error or denied' },
  { value: 'ok', label: 'Ok' },
  { value: 'error', label: 'Error' },
  { value: 'denied', label: 'Denied' },
  { value: 'cancelled', label: 'Cancelled' },
];
const EFFECTS: readonly Option[] = ['read', 'create', 'update', 'delete', 'run'].map(asOption);
const SLOW: readonly Option[] = [100, 1_000, 10_000].map((ms) => ({
  value: String(ms),
  label: `${durationText(ms)} or more`,
}));

function asOption(value: string): Option {
  return { value, label: value };
}

const isVirtual = ({ id }: KnownName) => id.startsWith('vir_');

type Named = readonly [value: string | null | undefined, label: string | null | undefined];

/** The filters, with what the rows that are shown offer, and what the organization has besides. */
export function useCallFilters(calls: readonly CallLine[], search: Search): readonly Filter[] {
  const connections = useNamedConnections();
  const keys = useNamedKeys();
  const agents = useNamedAgents();
  const people = useNamedPeople();
  return useMemo(() => {
    const known: Partial<Record<string, readonly KnownName[]>> = {
      connection: connections.filter((one) => !isVirtual(one)),
      virtualMcp: connections.filter(isVirtual),
      caller: [...keys, ...agents, ...people],
      user: people.map(({ userId, name }) => ({ id: userId, name })),
    };
    const seen = (id: string, of: (call: CallLine) => Named) =>
      optionsOf(calls.map(of), search[id], known[id] ?? []);
    return [
      { id: 'outcome', label: 'Outcome', options: OUTCOMES },
      { id: 'tool', label: 'Tool', options: seen('tool', (call) => [call.toolName, call.toolName]) },
      {
        id: 'connection',
        label: 'Connection',
        options: seen('connection', (call) => [call.connectionId, call.connectionTitle]),
      },
      { id: 'caller', label: 'Caller', options: seen('caller', (call) => [call.callerId, call.callerName]) },
      { id: 'user', label: 'Person', options: seen('user', (call) => [call.userId, call.userName]) },
      {
        id: 'source',
        label: 'Source',
        options: seen('source', (call) => [call.callerSource, call.callerSource]),
      },
      { id: 'code', label: 'Code', options: seen('code', (call) => [call.errorCode, call.errorCode]) },
      { id: 'effect', label: 'Effect', options: EFFECTS },
      { id: 'minMs', label: 'Took', options: slowOptions(search['minMs']) },
      {
        id: 'virtualMcp',
        label: 'Virtual MCP',
        options: seen('virtualMcp', (call) => [call.virtualMcpId, call.virtualMcpId]),
      },
      { id: 'request', label: 'Request', options: search['request'] ? [asOption(search['request'])] : [] },
    ].filter(({ options, id }) => options.length > 0 || search[id]);
  }, [calls, search, connections, keys, agents, people]);
}

function slowOptions(chosen: string | undefined): readonly Option[] {
  if (!chosen || SLOW.some(({ value }) => value === chosen)) return SLOW;
  return [...SLOW, { value: chosen, label: `${durationText(Number(chosen))} or more` }];
}

/** The values that are there, the most frequent first, then those that are known; and the one that is chosen. */
function optionsOf(
  found: readonly Named[],
  chosen: string | undefined,
  known: readonly KnownName[],
): readonly Option[] {
  const names = new Map(known.map(({ id, name }) => [id, name]));
  const counts = new Map<string, { label: string; count: number }>();
  for (const [value, label] of found) {
    if (!value) continue;
    const before = counts.get(value);
    if (before) before.count += 1;
    else counts.set(value, { label: names.get(value) ?? label ?? value, count: 1 });
  }
  const frequent = [...counts]
    .toSorted(([, a], [, b]) => b.count - a.count)
    .slice(0, MOST_OPTIONS)
    .map(([value, { label }]) => ({ value, label }));
  const isListed = new Set(frequent.map(({ value }) => value));
  const others = known
    .filter(({ id }) => !isListed.has(id))
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
    .slice(0, MOST_KNOWN)
    .map(({ id, name }) => ({ value: id, label: name }));
  const options = [...frequent, ...others];
  if (!chosen || options.some(({ value }) => value === chosen)) return options;
  return [...options, { value: chosen, label: counts.get(chosen)?.label ?? names.get(chosen) ?? chosen }];
}

/** What figures of a tool have of a call, to offer the same filters. */
const NO_CALL: Omit<CallLine, 'connectionId' | 'connectionTitle' | 'toolName'> = {
  id: '',
  timestamp: '',
  effect: null,
  outcome: '',
  errorCode: null,
  errorMessage: null,
  durationMs: 0,
  callerId: '',
  callerName: null,
  callerSource: '',
  userId: null,
  userName: null,
  virtualMcpId: null,
};

/** The rate of a tool as a call. */
export function lineOfRate({ connectionId, connectionTitle, toolName }: ToolRate): CallLine {
  return { ...NO_CALL, connectionId, connectionTitle, toolName };
}

/** Alike failures as a call. */
export function lineOfError(group: ErrorGroup): CallLine {
  const { connectionId, connectionTitle, toolName, outcome, code } = group;
  return { ...NO_CALL, connectionId, connectionTitle, toolName, outcome, errorCode: code };
}

/** A cell that narrows the list to what it shows. */
export function FilterCell({
  screen,
  filters,
  what,
  children,
}: {
  readonly screen: ScreenState;
  readonly filters: Search;
  /** What is left, for the hint: "calls of CI". */
  readonly what: string;
  readonly children: ReactNode;
}) {
  return (
    <button
      type="button"
      className="monitoring-filter truncate"
      title={`Only ${what}`}
      onClick={() => screen.setSearch(filters)}
    >
      {children}
    </button>
  );
}

/** Everything that a call can narrow the list to. */
export function narrowings(call: CallLine, screen: ScreenState): MenuEntry[] {
  const only = (label: string, filters: Search): MenuEntry => ({
    label,
    onSelect: () => screen.setSearch(filters),
  });
  const at = new Date(call.timestamp).getTime();
  const around = `${new Date(at - 300_000).toISOString()}..${new Date(at + 300_000).toISOString()}`;
  return [
    { heading: 'Only calls …' },
    only(`of ${call.toolName}`, { tool: call.toolName, connection: call.connectionId }),
    only(`of ${call.connectionTitle ?? call.connectionId}`, { connection: call.connectionId }),
    only(`by ${call.callerName ?? call.callerId}`, { caller: call.callerId }),
    ...(call.userId === null ? [] : [only(`for ${call.userName ?? call.userId}`, { user: call.userId })]),
    only(`from ${call.callerSource}`, { source: call.callerSource }),
    only(`that ended ${call.outcome}`, { outcome: call.outcome }),
    ...(call.errorCode === null ? [] : [only(`with ${call.errorCode}`, { code: call.errorCode })]),
    ...(call.effect === null ? [] : [only(`that ${call.effect}`, { effect: call.effect })]),
    only(`as slow as this or slower`, { minMs: String(Math.max(1, Math.floor(call.durationMs))) }),
    only('within 5 minutes of it', { time: around }),
  ];
}

const NARROW = 'Narrow the list';

/** The menu of a row. */
export function NarrowMenu({ call, screen }: { readonly call: CallLine; readonly screen: ScreenState }) {
  // Rows come by the dozen with each frame that scrolls: a menu is made of the one that is clicked.
  const [isWanted, setWanted] = useState(false);
  if (!isWanted) {
    return (
      <button
        type="button"
        aria-label={NARROW}
        aria-haspopup="menu"
        title={NARROW}
        className="button button-icon button-quiet button-s monitoring-funnel"
        onClick={() => setWanted(true)}
      >
        <Funnel />
      </button>
    );
  }
  return (
    <Menu
      isOpenAtOnce
      trigger={<IconButton size="s" label={NARROW} icon={<Funnel />} className="monitoring-funnel" />}
      items={narrowings(call, screen)}
    />
  );
}
