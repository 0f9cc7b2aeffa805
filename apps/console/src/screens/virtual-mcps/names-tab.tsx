/** Owns the names that a virtual MCP shows: whose each is, which gave way to another, and what is left out and why. */
import { useMemo, useState } from 'react';
import { Badge, EffectBadge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Input } from '../../ui/field.tsx';
import { ScreenLink } from '../../ui/screen-link.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Search } from 'lucide-react';
import type { PartProps } from './detail.tsx';
import type { DescribedVirtualMcp } from '../../api/schema.ts';
import type { ShownTool, VirtualMcp } from './types.ts';

interface NameRow extends ShownTool {
  /** The title of whoever has the bare name. */
  readonly gaveWayTo: string | undefined;
  /** True: it waits for approval, so that nobody has it. */
  readonly isHeld: boolean;
}

/** Something that a member has and nobody sees here. */
interface LeftOut {
  readonly key: string;
  readonly name: string;
  readonly member: string;
  readonly why: string;
}

const MOST_SHOWN = 200;

export function NamesTab({ virtual, described }: PartProps) {
  const [filter, setFilter] = useState('');
  const [sort, setSort] = useState('name');
  const rows = useMemo(() => rowsOf(virtual, described), [virtual, described]);
  const leftOut = useMemo(() => leftOutOf(described), [described]);
  const shown = rows.filter((row) =>
    `${row.name} ${row.upstreamName} ${row.connection?.title ?? ''}`
      .toLowerCase()
      .includes(filter.toLowerCase()),
  );
  const columns = useMemo(() => columnsFor(virtual.id), [virtual.id]);
  if (rows.length === 0 && leftOut.length === 0)
    return (
      <EmptyState title="It shows nothing">
        Its members have no tools, or none of them was read yet.
      </EmptyState>
    );
  return (
    <div className="stack">
      <div className="virtual-filter">
        <Input
          type="search"
          value={filter}
          onText={setFilter}
          placeholder="Filter"
          aria-label="Filter the names"
          icon={<Search />}
        />
      </div>
      <div className="virtual-table">
        <DataTable
          rows={shown}
          columns={columns}
          keyOf={(row) => row.name}
          label="Names"
          sort={sort}
          onSort={setSort}
          isInline={shown.length <= MOST_SHOWN}
        />
      </div>
      {leftOut.length > 0 && (
        <Card title="Not shown" description="What members have and clients do not get, with the reason.">
          <ul className="virtual-left">
            {leftOut.slice(0, MOST_SHOWN).map((each) => (
              <li key={each.key} className="row-wrap">
                <span className="mono virtual-isolated">{each.name}</span>
                <span className="muted">of {each.member}</span>
                <Badge>{each.why}</Badge>
              </li>
            ))}
            {leftOut.length > MOST_SHOWN && <li className="muted">and {leftOut.length - MOST_SHOWN} more</li>}
          </ul>
        </Card>
      )}
    </div>
  );
}

function rowsOf({ collisions = [] }: VirtualMcp, { shown, members }: DescribedVirtualMcp): NameRow[] {
  const titles = new Map(members.map(({ connectionId, title }) => [connectionId, title]));
  const beaten = new Map(collisions.map((each) => [each.exposed_name, each.winner_connection_id]));
  const held = new Set(
    members.flatMap(({ connectionId, tools }) =>
      (tools ?? []).filter(({ isHeld }) => isHeld).map(({ name }) => `${connectionId} ${name}`),
    ),
  );
  return shown.map((tool) => {
    const winner = beaten.get(tool.name);
    const isHeld = held.has(`${tool.connection?.id ?? ''} ${tool.upstreamName}`);
    return {
      ...tool,
      isHeld,
      gaveWayTo: winner === undefined ? undefined : (titles.get(winner) ?? 'a tool in code'),
    };
  });
}

function leftOutOf({ shown, members }: DescribedVirtualMcp): LeftOut[] {
  const there = new Set(
    shown.map(({ connection, upstreamName }) => `${connection?.id ?? ''} ${upstreamName}`),
  );
  return members.flatMap(({ connectionId, title, status, tools }) =>
    (tools ?? [])
      .filter(({ name }) => !there.has(`${connectionId} ${name}`))
      .map((tool) => ({
        key: `${connectionId} ${tool.name}`,
        name: tool.name,
        member: title,
        why: !tool.isSelected
          ? 'not chosen'
          : tool.isHeld
            ? 'held until it is approved'
            : status === 'inactive'
              ? 'the member is off'
              : 'the member is not there now',
      })),
  );
}

function columnsFor(id: string): Column<NameRow>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      width: 'minmax(120px, 3fr)',
      cell: (row) => (
        <ScreenLink
          to={`/tools/${encodeURIComponent(`virtual-mcp/${id}:${row.name}`)}`}
          className="mono truncate virtual-isolated"
        >
          {row.name}
        </ScreenLink>
      ),
      sortValue: (row) => row.name,
    },
    {
      id: 'from',
      header: 'From',
      width: 'minmax(100px, 2fr)',
      cell: (row) =>
        row.connection === null ? (
          <Badge tone="accent">in code</Badge>
        ) : (
          <span
            className="truncate virtual-isolated"
            title={`${row.upstreamName} of ${row.connection.title}`}
          >
            {row.upstreamName !== row.name && <span className="mono">{row.upstreamName} of </span>}
            {row.connection.title}
          </span>
        ),
      sortValue: (row) => row.connection?.title ?? '',
    },
    {
      id: 'effect',
      header: 'Effect',
      width: '68px',
      cell: (row) => <EffectBadge effect={row.effect} />,
      sortValue: (row) => row.effect,
    },
    {
      id: 'marks',
      header: 'Marks',
      width: '124px',
      cell: (row) => (
        <span className="row">
          {row.gaveWayTo !== undefined && (
            <Badge tone="amber" title={`${row.gaveWayTo} has the name that it would have`}>
              collision
            </Badge>
          )}
          {row.isHeld && (
            <Badge tone="amber" title="It waits for approval, so that nobody has it">
              held
            </Badge>
          )}
        </span>
      ),
      sortValue: (row) => (row.gaveWayTo === undefined ? 2 : 0) - (row.isHeld ? 1 : 0),
    },
    {
      id: 'tokens',
      header: 'Tokens',
      width: '70px',
      align: 'end',
      isWideOnly: true,
      cell: (row) =>
        row.tokens === null ? (
          <span className="faint" title={row.isHeld ? 'Nobody has it' : 'Your grants do not give it to you'}>
            –
          </span>
        ) : (
          <span className="number">{row.tokens.toLocaleString('en')}</span>
        ),
      sortValue: (row) => row.tokens,
    },
  ];
}
