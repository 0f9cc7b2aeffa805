/** An agent over MCP: finds what waits, tags it, points at duplicates, and writes the changelog of what is done. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Post } from './team.ts';

/** What the agent did. */
export interface Shift {
  readonly triaged: readonly Post[];
  readonly changelogId: string;
  /** The tools that it was given. */
  readonly tools: readonly string[];
}

/** The judgement of this agent; one with a model would read instead of looking for words. */
const RULES: readonly { readonly tag: string; readonly words: RegExp }[] = [
  { tag: 'Design', words: /\b(dark|theme|color)\b/i },
  { tag: 'Bug', words: /\b(crash|broken|error)/i },
  { tag: 'Mobile', words: /\b(phone|android|ios)\b/i },
  { tag: 'Data', words: /\b(export|import|csv)\b/i },
];

/** Works through everything that is open, then tells about everything that is complete. */
export async function work(url: string, key: string): Promise<Shift> {
  const client = await connect(url, key);
  try {
    const desk = await openDesk(client);
    const { posts: open } = await desk.call<{ posts: Post[] }>('search_feedback', {
      status: 'open',
      sort: 'votes',
    });
    const triaged: Post[] = [];
    for (const post of open) triaged.push(await triage(desk, post, triaged));
    const { posts: done } = await desk.call<{ posts: Post[] }>('search_feedback', {
      status: 'complete',
      sort: 'oldest',
    });
    const { id } = await desk.call<{ id: string }>('create_changelog', {
      title: `${done.length} wishes came true`,
      content: done.map(({ title }) => `- **${title}**`).join('\n'),
      publishedAt: new Date().toISOString(),
    });
    const { tools } = await client.listTools();
    return { triaged, changelogId: id, tools: tools.map(({ name }) => name).toSorted() };
  } finally {
    await client.close();
  }
}

/** Gives a post its tags and the next status, and links what is like it. */
async function triage(desk: Desk, { id }: Post, before: readonly Post[]): Promise<Post> {
  const post = await desk.call<Post>('get_post', { postId: id });
  const text = `${post.title} ${post.content}`;
  const tags = RULES.filter(({ words }) => words.test(text)).map(({ tag }) => tag);
  const changed = await desk.call<Post>('triage_post', {
    postId: id,
    statusId: desk.statusId('under_review'),
    tagIds: tags.map((name) => desk.tagId(name)),
  });
  const { posts: alike } = await desk.call<{ posts: Post[] }>('search_feedback', { query: searchOf(post) });
  const isAlike = (other: Post) =>
    other.tags[0]?.name === tags[0] && alike.some((found) => found.id === other.id);
  const earlier = before.find(isAlike);
  if (earlier !== undefined) {
    await desk.call('add_comment', {
      postId: id,
      content: `This looks like "${earlier.title}" (${earlier.id}).`,
    });
  }
  console.log(`${post.title}: ${tags.join(', ') || 'no tag'}${earlier ? `, like "${earlier.title}"` : ''}`);
  return changed;
}

/** Any longer word of the title, as a search understands it. */
function searchOf({ title }: Post): string {
  return title
    .split(/\W+/)
    .filter((word) => word.length > 3)
    .join(' OR ');
}

interface Desk {
  call<Result>(name: string, input: Record<string, unknown>): Promise<Result>;
  statusId(slug: string): string;
  tagId(name: string): string;
}

/** Reads the lists that ids come from. */
async function openDesk(client: Client): Promise<Desk> {
  const read = async <Item>(uri: string): Promise<Item[]> => {
    const { contents } = await client.readResource({ uri });
    const [first] = contents;
    return JSON.parse(first !== undefined && 'text' in first ? first.text : '[]') as Item[];
  };
  const statuses = await read<{ id: string; slug: string }>('quackback://statuses');
  const tags = await read<{ id: string; name: string }>('quackback://tags');
  const idOf = (item: { id: string } | undefined): string => {
    if (item === undefined) throw new Error('The team has not made that status or tag.');
    return item.id;
  };
  return {
    async call(name, input) {
      const { isError, structuredContent, content } = await client.callTool({ name, arguments: input });
      if (isError === true) throw new Error(`${name} answered ${JSON.stringify(content)}`);
      // The server has checked it against the output that the tool declares.
      return structuredContent as never;
    },
    statusId: (slug) => idOf(statuses.find((status) => status.slug === slug)),
    tagId: (name) => idOf(tags.find((tag) => tag.name === name)),
  };
}

async function connect(url: string, key: string): Promise<Client> {
  const client = new Client(
    { name: 'feedback-triage', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' } },
  );
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp/feedback`), { requestInit: { headers } }),
  );
  return client;
}

const [url, key] = process.argv.slice(2);
const isProgram = process.argv[1] === import.meta.filename;
if (isProgram && url !== undefined && key !== undefined) console.log(await work(url, key));
else if (isProgram) console.log('Usage: node agent.ts http://127.0.0.1:4680 qb_...');
