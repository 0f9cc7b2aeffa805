/** A product team over REST: makes a board, posts what customers said, finishes some work, and hires an agent. */

/** What the example reads of a post. */
export interface Post {
  readonly id: string;
  readonly title: string;
  readonly content: string;
  readonly statusId: string;
  readonly voteCount: number;
  readonly commentCount: number;
  readonly tags: readonly { readonly name: string }[];
  readonly officialResponse?: string | null;
}

/** REST with one key. */
export interface Api {
  get<Data>(path: string): Promise<Data>;
  post<Data>(path: string, body: unknown): Promise<Data>;
  patch<Data>(path: string, body: unknown): Promise<Data>;
}

/** Opens the API of a server. */
export function openApi(url: string, key: string): Api {
  const send = async <Data>(method: string, path: string, body?: unknown): Promise<Data> => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { data, error } = (await answer.json()) as { data: Data; error?: { message: string } };
    if (error !== undefined) throw new Error(`${method} ${path}: ${error.message}`);
    return data;
  };
  return {
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, body),
    patch: (path, body) => send('PATCH', path, body),
  };
}

// What customers said; the first is wanted by most, two are the same wish, the last two are done.
const WISHES = [
  { title: 'Dark mode', content: 'White is hard on the eyes at night.' },
  { title: 'App crashes when I rotate the phone', content: 'Since the last update, every time. Android 16.' },
  { title: 'Export to CSV', content: 'For our accountant, once a month.' },
  { title: 'A dark theme', content: 'Could the app be dark at night, like my phone?' },
  { title: 'Search with accents', content: 'Searching for Zoe should find Zoë.' },
  { title: 'Undo for deleted notes', content: 'I deleted the wrong one.' },
];

/** Tags that the agent may choose from. */
const TAGS = ['Design', 'Bug', 'Mobile', 'Data'];

/** What the team leaves to the agent. */
export interface Workplace {
  readonly boardId: string;
  /** The key of the agent: six tools of feedback, and nothing else. */
  readonly agentKey: string;
}

/** Sets everything up. */
export async function workAsTeam(api: Api): Promise<Workplace> {
  const board = await api.post<{ id: string }>('/boards', { name: 'Ideas' });
  for (const name of TAGS) await api.post('/tags', { name });
  const statuses = await api.get<{ id: string; slug: string }[]>('/statuses');
  const complete = statuses.find(({ slug }) => slug === 'complete');
  const posts: Post[] = [];
  for (const wish of WISHES) posts.push(await api.post<Post>('/posts', { boardId: board.id, ...wish }));
  await api.post(`/posts/${posts[0]?.id}/vote`, {});
  for (const { id } of posts.slice(-2)) await api.patch(`/posts/${id}`, { statusId: complete?.id });
  const { key } = await api.post<{ key: string }>('/keys', {
    name: 'Triage agent',
    role: 'admin',
    grants: {
      feedback: [
        'search_feedback',
        'get_post',
        'triage_post',
        'add_comment',
        'create_changelog',
        'statuses',
        'tags',
      ],
    },
  });
  return { boardId: board.id, agentKey: key };
}
