/** Owns the shape of every list: title, filters in the address, saved views, table, and what is open beside it. */
import { ListFilter, Search as SearchIcon, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import { CopyButton } from './copy-button.tsx';
import { DataTable } from './data-table.tsx';
import type { DataTableProps } from './data-table.tsx';
import { Input } from './field.tsx';
import './list-screen.css';
import { Menu } from './menu.tsx';
import { SavedViews } from './saved-views.tsx';
import type { Option } from './select.tsx';
import { EmptyState, ErrorState, Skeleton } from './states.tsx';
import { useKeys } from './use-keys.ts';
import type { ScreenState } from './use-screen.ts';

/** A filter: its id is its name in the address. */
export interface Filter {
  readonly id: string;
  readonly label: string;
  readonly options: readonly Option[];
}

/** The part of a query that a list needs: any result of `useQuery` fits. */
export interface ListQuery {
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

/** What a list takes. Rows come filtered: by the server, or with `matches` here. Whatever `bulk` adds, they can be copied. */
export interface ListScreenProps<T> extends Omit<
  DataTableProps<T>,
  'label' | 'sort' | 'onSort' | 'onOpen' | 'openKey'
> {
  readonly title: string;
  /** The name under which views are saved. */
  readonly viewsOf: string;
  readonly screen: ScreenState;
  readonly query: ListQuery;
  readonly actions?: ReactNode;
  readonly filters?: readonly Filter[];
  readonly filterPlaceholder?: string;
  /** True: no field for free text. */
  readonly hasNoText?: boolean;
  /** Shown when there is nothing at all: say what to do first. */
  readonly empty: ReactNode;
  /** `name` or `-name`, when the address says nothing. */
  readonly defaultSort?: string;
  /** What is open: a `DetailPane`. Absent: nothing opens. */
  readonly detail?: ReactNode;
  /** Rows can be opened; by default by their key. */
  readonly canOpen?: boolean;
  readonly onOpen?: (row: T) => void;
  /** Between the filters and the table. */
  readonly notice?: ReactNode;
}

/** A list with everything that every list has. */
export function ListScreen<T>(props: ListScreenProps<T>) {
  const { title, screen, query, actions, detail, canOpen = true, keyOf, defaultSort, notice } = props;
  const isFiltered = hasFilters(props);
  const open = props.onOpen ?? ((row: T) => screen.open(keyOf(row)));
  const bulk = (rows: readonly T[], clear: () => void) => (
    <>
      {props.bulk?.(rows, clear)}
      <CopyButton text={() => JSON.stringify(rows, null, 2)}>Copy as JSON</CopyButton>
    </>
  );
  return (
    <div className={classes('list', Boolean(detail) && 'list-with-detail')}>
      <div className="list-main">
        <header className="list-head">
          <h1 className="list-title">{title}</h1>
          {actions !== undefined && <div className="row list-actions">{actions}</div>}
        </header>
        <Toolbar {...props} />
        {notice}
        {query.isPending ? (
          <Skeleton kind="row" rows={12} />
        ) : query.error && (props.rows.length === 0 || isRefused(query.error)) ? (
          <ErrorState error={query.error} onRetry={() => query.refetch()} />
        ) : props.rows.length === 0 ? (
          isFiltered ? (
            <NothingFound onClear={() => screen.setSearch(cleared(props))} />
          ) : (
            props.empty
          )
        ) : (
          <DataTable
            {...props}
            bulk={bulk}
            label={title}
            sort={screen.search['sort'] ?? defaultSort}
            onSort={(sort) => screen.setSearch({ sort })}
            onOpen={canOpen ? open : undefined}
            openKey={screen.id}
          />
        )}
      </div>
      {detail}
    </div>
  );
}

/** What was read before is not theirs any more. */
function isRefused(error: Error): boolean {
  return error instanceof ApiError && (error.status === 403 || error.status === 404);
}

function hasFilters<T>({ screen, filters = [] }: ListScreenProps<T>): boolean {
  return ['q', ...filters.map((filter) => filter.id)].some((id) => screen.search[id]);
}

function cleared<T>({ filters = [] }: ListScreenProps<T>): Record<string, undefined> {
  return Object.fromEntries(['q', ...filters.map((filter) => filter.id)].map((id) => [id, undefined]));
}

function NothingFound({ onClear }: { readonly onClear: () => void }) {
  return (
    <EmptyState
      title="Nothing matches"
      icon={<ListFilter />}
      action={<Button onClick={onClear}>Clear the filters</Button>}
    >
      There are entries, but none that fit these filters.
    </EmptyState>
  );
}

function Toolbar<T>({ screen, filters = [], hasNoText, filterPlaceholder, viewsOf }: ListScreenProps<T>) {
  const set = filters.filter((filter) => screen.search[filter.id]);
  const unset = filters.filter((filter) => !screen.search[filter.id] && filter.options.length > 0);
  return (
    <div className="list-tools">
      {!hasNoText && <TextFilter screen={screen} placeholder={filterPlaceholder ?? 'Filter'} />}
      {set.map((filter) => (
        <Chip key={filter.id} filter={filter} screen={screen} />
      ))}
      {unset.length > 0 && (
        <Menu
          align="start"
          trigger={
            <Button size="s" kind="quiet" icon={<ListFilter />}>
              Filter
            </Button>
          }
          items={unset.flatMap((filter) => [
            { heading: filter.label },
            ...filter.options.map((option) => ({
              label: option.label,
              hint: option.hint,
              icon: option.icon,
              onSelect: () => screen.setSearch({ [filter.id]: option.value }),
            })),
          ])}
        />
      )}
      <SavedViews screenName={viewsOf} screen={screen} />
    </div>
  );
}

/** Waits for the end of a word, so that the address does not change with every letter. */
const TYPING_MS = 150;

function TextFilter({ screen, placeholder }: { readonly screen: ScreenState; readonly placeholder: string }) {
  const fromAddress = screen.search['q'] ?? '';
  const [text, setText] = useState(fromAddress);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => setText(fromAddress), [fromAddress]);
  useEffect(() => {
    if (text === fromAddress) return undefined;
    const timer = setTimeout(() => screen.setSearch({ q: text }, { isReplaced: true }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, fromAddress, screen]);
  useKeys({ '/': () => input.current?.focus() });
  return (
    <div className="list-text">
      <Input
        ref={input}
        type="search"
        value={text}
        onText={setText}
        placeholder={placeholder}
        aria-label={placeholder}
        icon={<SearchIcon />}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            setText('');
            input.current?.blur();
          }
        }}
      />
    </div>
  );
}

function Chip({ filter, screen }: { readonly filter: Filter; readonly screen: ScreenState }) {
  const value = screen.search[filter.id] ?? '';
  const label = filter.options.find((option) => option.value === value)?.label ?? value;
  return (
    <span className="chip">
      <Menu
        align="start"
        trigger={
          <button type="button" className="chip-text">
            <span className="muted">{filter.label}:</span> {label}
          </button>
        }
        items={filter.options.map((option) => ({
          label: option.label,
          isChecked: option.value === value,
          onSelect: () => screen.setSearch({ [filter.id]: option.value }),
        }))}
      />
      <button
        type="button"
        className="chip-remove"
        aria-label={`Remove the filter ${filter.label}`}
        onClick={() => screen.setSearch({ [filter.id]: undefined })}
      >
        <X />
      </button>
    </span>
  );
}
