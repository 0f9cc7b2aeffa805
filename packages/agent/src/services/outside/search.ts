/** Web search for agents: one query, or a topic from several sides. */
import { ToolError } from '@parley/kit';
import type { Freshness, SearchProvider, SearchResult } from '../../adapters/search/search.ts';
import type { Acting } from '../../session.ts';
import type { Uses } from './uses.ts';

export interface Research {
  readonly queries: { readonly query: string; readonly ok: boolean; readonly results: SearchResult[] }[];
  /** How many were found, and how many of them are different. */
  readonly total: number;
  readonly unique: number;
}

export interface WebSearch {
  search(acting: Acting, wanted: WantedSearch, signal: AbortSignal): Promise<SearchResult[]>;
  research(acting: Acting, wanted: WantedResearch, signal: AbortSignal): Promise<Research>;
}

export interface WantedSearch {
  readonly query: string;
  readonly count: number;
  readonly freshness?: Freshness | undefined;
}

export interface WantedResearch {
  readonly topic: string;
  readonly questions: readonly string[];
}

const RATE = { limit: 60, spanMs: 3_600_000, what: '60 searches an hour' };
const MAX_QUERY = 400;
const MAX_QUERIES = 5;
const RESULTS_EACH = 5;
const ANGLES = ['benefits', 'challenges', 'examples', 'latest news'];

export function createWebSearch(provider: SearchProvider | undefined, uses: Uses): WebSearch {
  /** The provider, for so many queries. */
  const provided = async ({ organizationId, agentId }: Acting, count: number): Promise<SearchProvider> => {
    if (provider === undefined)
      throw new ToolError(
        'unavailable',
        'Web search is not set up. Ask the operator to set PARLEY_SEARCH_API_KEY.',
      );
    await uses.take({ organizationId, kind: 'search', subject: agentId }, { ...RATE, count });
    return provider;
  };
  return {
    async search(acting, { query, ...options }, signal) {
      const own = await provided(acting, 1);
      return own.search(query, { ...options, signal });
    },
    async research(acting, wanted, signal) {
      const queries = queriesOf(wanted);
      const own = await provided(acting, queries.length);
      const ends = await Promise.allSettled(
        queries.map((query) => own.search(query, { count: RESULTS_EACH, signal })),
      );
      signal.throwIfAborted();
      const failures = ends.flatMap((end) => (end.status === 'rejected' ? [refusalOf(end.reason)] : []));
      if (failures.length === ends.length) throw allFailed(failures[0]);
      return merged(queries, ends);
    },
  };
}

function queriesOf({ topic, questions }: WantedResearch): string[] {
  const more = questions.length > 0 ? questions : ANGLES.map((angle) => `${topic} ${angle}`);
  const all = [topic, ...more].map((query) => query.slice(0, MAX_QUERY));
  return [...new Set(all)].slice(0, MAX_QUERIES);
}

function merged(queries: readonly string[], ends: PromiseSettledResult<SearchResult[]>[]): Research {
  const seen = new Set<string>();
  let total = 0;
  const shown = ends.map((end, at) => {
    const found = end.status === 'fulfilled' ? end.value : [];
    total += found.length;
    const results = found.filter(({ url }) => {
      const key = normalUrl(url);
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    });
    return { query: queries[at] ?? '', ok: end.status === 'fulfilled', results };
  });
  return { queries: shown, total, unique: seen.size };
}

/** The same for addresses that lead to the same page. */
function normalUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const { hostname, port, pathname, searchParams } = new URL(text);
  const kept = [...searchParams].filter(([name]) => !name.startsWith('utm_'));
  const path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
  const query = new URLSearchParams(kept.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const host = hostname.startsWith('www.') ? hostname.slice('www.'.length) : hostname;
  return `${host}:${port}${path}?${query.toString()}`;
}

/** What the provider refused with; any other fault is none of its own. */
function refusalOf(reason: unknown): ToolError {
  if (reason instanceof ToolError) return reason;
  throw reason;
}

function allFailed(first: ToolError | undefined): ToolError {
  const message = 'Every query of the search failed. Try again later.';
  return new ToolError('provider_failed', message, first?.data);
}
