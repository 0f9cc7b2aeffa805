/** One board: search, sort, filter, vote. */
import type { PostSort } from '../../shapes/posts.ts';
import { POST_SORTS } from '../../shapes/posts.ts';
import type { PublicBoard, PublicPost } from '../../services/public/shapes.ts';
import type { Answer } from '../answer.ts';
import { page } from '../answer.ts';
import type { Html, Part } from '../html.ts';
import { html } from '../html.ts';
import { excerpt } from '../layout.ts';
import type { Visit } from '../visit.ts';
import { author, count, date, dot, pager, statusBadge, tagBadges, voteButton, withQuery } from './parts.ts';

const PAGE_SIZE = 15;
const MAX_SEARCH = 200;
const SORT_NAMES: Readonly<Record<PostSort, string>> = { votes: 'Top', newest: 'Newest', oldest: 'Oldest' };

/** The public board with a slug. */
export async function findBoard({ reading }: Visit, slug: string): Promise<PublicBoard | undefined> {
  return (await reading.boards()).find((board) => board.slug === slug);
}

/** Lists the posts of a board. */
export async function boardPage(visit: Visit, board: PublicBoard): Promise<Answer> {
  const { reading, session, url } = visit;
  const search = (url.searchParams.get('q') ?? '').slice(0, MAX_SEARCH).toWellFormed().trim();
  const status = url.searchParams.get('status') ?? undefined;
  const given = url.searchParams.get('sort');
  const sort = POST_SORTS.find((known) => known === given) ?? 'votes';
  const [posts, statuses, { wordsOf }] = await Promise.all([
    reading.posts({
      boardIds: [board.id],
      status,
      search,
      sort,
      limit: PAGE_SIZE,
      cursor: url.searchParams.get('after') ?? undefined,
    }),
    reading.statuses(),
    import('../markdown.ts'),
  ]);
  const ids = posts.items.map(({ id }) => id);
  const voted = session === undefined ? new Set() : await reading.votedAmong(session, ids);
  const chosen = statuses.find(({ slug }) => slug === status);
  const rows = posts.items.map((post) =>
    postRow(visit, { ...post, content: wordsOf(post.content) }, voted.has(post.id)),
  );
  return page({
    visit,
    title: search === '' ? board.name : `${search} · ${board.name}`,
    description: board.description ?? `Ideas and votes on ${board.name}.`,
    canonical: `/feedback/boards/${board.slug}`,
    section: 'boards',
    main: html`<div class="head">
        <div>
          <h1 dir="auto">${board.name}</h1>
          ${board.description !== null && html`<p dir="auto">${board.description}</p>`}
        </div>
        <a class="button" href="/feedback/boards/${board.slug}/new">New post</a>
      </div>
      ${
        url.searchParams.get('sent') === 'pending' &&
        html`<p class="notice" role="status">
          Thank you. The team looks at your post before it appears here.
        </p>`
      }
      ${searchForm(visit, search)}
      <div class="filters">
        ${sortLinks(visit, sort)}
        ${choice('Status', [
          {
            label: 'All',
            href: withQuery(visit, { status: null, after: null }),
            isChosen: chosen === undefined,
          },
          ...statuses.map(({ name, slug, color }) => ({
            label: [dot(color), html`<bdi>${name}</bdi>`],
            href: withQuery(visit, { status: slug, after: null }),
            isChosen: slug === status,
          })),
        ])}
      </div>
      <p class="meta" role="status">${summary(posts.total, search, chosen?.name)}</p>
      ${
        rows.length === 0
          ? empty(board, search !== '' || status !== undefined)
          : html`<ol class="posts">
              ${rows}
            </ol>`
      }
      ${pager(visit, 'after', posts.cursor)}`,
  });
}

function searchForm(visit: Visit, search: string): Html {
  const kept = ['sort', 'status'].map((name) => ({ name, value: visit.url.searchParams.get(name) }));
  return html`<form class="search" role="search" action="${visit.url.pathname}">
    <label class="unseen" for="q">Search posts</label>
    <input
      id="q"
      type="search"
      name="q"
      dir="auto"
      value="${search}"
      maxlength="${MAX_SEARCH}"
      placeholder="Search posts"
    />
    ${kept.map(({ name, value }) => value !== null && html`<input type="hidden" name="${name}" value="${value}" />`)}
    <button>Search</button>
  </form>`;
}

function sortLinks(visit: Visit, sort: PostSort): Part {
  return choice(
    'Sort',
    (['votes', 'newest', 'oldest'] as const).map((each) => ({
      label: SORT_NAMES[each],
      href: withQuery(visit, { sort: each === 'votes' ? null : each, after: null }),
      isChosen: each === sort,
    })),
  );
}

function choice(name: string, links: readonly { label: Part; href: string; isChosen: boolean }[]): Part {
  return html`<nav aria-label="${name}">
    <ul class="chips">
      ${links.map(
        ({ label, href, isChosen }) =>
          html`<li><a href="${href}" ${isChosen && html` aria-current="true"`}>${label}</a></li>`,
      )}
    </ul>
  </nav>`;
}

function summary(total: number, search: string, status: string | undefined): string {
  const found = search === '' ? count(total, 'post') : `${count(total, 'post')} for “${search}”`;
  return status === undefined ? found : `${found}, ${status}`;
}

function empty({ slug }: PublicBoard, isNarrowed: boolean): Part {
  return isNarrowed
    ? html`<p class="empty">No post fits. <a href="/feedback/boards/${slug}">Show all posts</a></p>`
    : html`<p class="empty">
        Nobody has posted yet. <a href="/feedback/boards/${slug}/new">Be the first</a>
      </p>`;
}

function postRow(visit: Visit, post: PublicPost, hasVoted: boolean): Html {
  return html`<li class="card post" id="${post.id}">
    ${voteButton(visit, post, hasVoted)}
    <div>
      <h2 dir="auto"><a href="/feedback/posts/${post.id}">${post.title}</a></h2>
      ${post.content !== '' && html`<p class="excerpt" dir="auto">${excerpt(post.content, 180)}</p>`}
      <p class="meta">
        ${statusBadge(post.status)}${tagBadges(post.tags)} <span>${count(post.commentCount, 'comment')}</span
        ><span>${author(post.authorName, post.isTeamMember)}, ${date(post.createdAt)}</span>
      </p>
    </div>
  </li>`;
}
