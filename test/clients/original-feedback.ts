/** A client of the feedback API with the shapes that the first `quackback-mcp` had: six tools and five lists over REST. */

/** A list as that client reads it. */
interface Listed {
  readonly data: readonly unknown[];
  readonly pagination: {
    readonly cursor: string | null;
    readonly hasMore: boolean;
    readonly total: number;
  };
}

/** A thing as that client reads it. */
interface Thing {
  readonly id: string;
  readonly [field: string]: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** The five lists. */
export const ORIGINAL_LISTS = ['boards', 'statuses', 'tags', 'roadmaps', 'members'] as const;

/** Creates the client; it knows two variables and nothing of the server behind them. */
export function createOriginalClient({ url, key }: { readonly url: string; readonly key: string }) {
  async function request<T>(method: string, path: string, body?: Fields): Promise<T> {
    const answer = await fetch(`${url.replace(/\/$/, '')}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (answer.ok) return (await answer.json()) as T;
    const failure = (await answer.json().catch(() => ({}))) as { readonly error?: unknown };
    throw new Error(typeof failure.error === 'string' ? failure.error : `HTTP ${answer.status}`);
  }
  const one = async (method: string, path: string, body?: Fields) =>
    (await request<{ data: Thing }>(method, path, body)).data;

  return {
    async searchFeedback({ query, tagIds, ...rest }: Fields & { query?: string; tagIds?: string[] }) {
      const given = { search: query, tagIds: tagIds?.join(','), sort: 'newest', limit: 20, ...rest };
      const params = new URLSearchParams();
      for (const [name, value] of Object.entries(given))
        if (value !== undefined) params.set(name, String(value));
      const { data, pagination } = await request<Listed>('GET', `/posts?${params}`);
      const { cursor, hasMore, total } = pagination;
      return { posts: data as Thing[], nextCursor: cursor, hasMore, total };
    },
    async getPost(postId: string) {
      const [post, comments] = await Promise.all([
        one('GET', `/posts/${postId}`),
        request<{ data: Thing[] }>('GET', `/posts/${postId}/comments`),
      ]);
      return { ...post, comments: comments.data };
    },
    triagePost: (postId: string, change: Fields) => one('PATCH', `/posts/${postId}`, change),
    addComment: (postId: string, comment: Fields) => one('POST', `/posts/${postId}/comments`, comment),
    createPost: (post: Fields) => one('POST', '/posts', post),
    createChangelog: (entry: Fields) => one('POST', '/changelog', entry),
    list: async (noun: (typeof ORIGINAL_LISTS)[number]) =>
      (await request<{ data: Thing[] }>('GET', `/${noun}`)).data,
  };
}
