/** What web search is asked, whoever answers it. */

export const FRESHNESS = ['pd', 'pw', 'pm', 'py'] as const;

export type Freshness = (typeof FRESHNESS)[number];

export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly description: string;
  /** How old the page is, in the words of the provider. */
  readonly age?: string | undefined;
}

export interface SearchOptions {
  readonly count: number;
  readonly freshness?: Freshness | undefined;
  readonly signal: AbortSignal;
}

/** Throws `ToolError` with `provider_failed` or `unavailable`. */
export interface SearchProvider {
  search(query: string, options: SearchOptions): Promise<SearchResult[]>;
}
