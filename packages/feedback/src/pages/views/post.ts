/** One post with everything that was said about it. */
import type { PublicComment, PublicPostDetail } from '../../services/public/shapes.ts';
import type { Answer } from '../answer.ts';
import { page } from '../answer.ts';
import type { Html, Part } from '../html.ts';
import { html } from '../html.ts';
import { excerpt } from '../layout.ts';
import type { Markdown } from '../markdown.ts';
import type { Visit } from '../visit.ts';
import { hereOf } from '../visit.ts';
import { commentForm, commentList, reactionForm } from './comments.ts';
import { author, count, date, hidden, statusBadge, tagBadges, voteButton, withQuery } from './parts.ts';

export const COMMENT_PAGE_SIZE = 20;

/** Shows a post. */
export async function postPage(visit: Visit, post: PublicPostDetail): Promise<Answer> {
  const { reading, session, url } = visit;
  const [comments, voted, isFollowed, isChangeable, { markdown }] = await Promise.all([
    reading.comments(post.id, session),
    session === undefined ? new Set<string>() : reading.votedAmong(session, [post.id]),
    session !== undefined && reading.isFollowing(session, post.id),
    session !== undefined && reading.isOwnUntouched(session, post.id),
    import('../markdown.ts'),
  ]);
  const pages = Math.max(1, Math.ceil(comments.length / COMMENT_PAGE_SIZE));
  const given = Number(url.searchParams.get('page') ?? '1');
  const number = Number.isInteger(given) ? Math.min(pages, Math.max(1, given)) : 1;
  const shown = comments.slice((number - 1) * COMMENT_PAGE_SIZE, number * COMMENT_PAGE_SIZE);
  return page({
    visit,
    title: post.title,
    description: post.content === '' ? `${post.title}, on ${post.boardName}.` : post.content,
    canonical: `/feedback/posts/${post.id}`,
    section: 'boards',
    main: html`<p class="crumb">
        <a dir="auto" href="/feedback/boards/${post.boardSlug}">${post.boardName}</a>
      </p>
      <article class="card post whole">
        ${voteButton(visit, post, voted.has(post.id))}
        <div>
          <h1 dir="auto">${post.title}</h1>
          <p class="meta">
            ${statusBadge(post.status)}${tagBadges(post.tags)}<span
              >${author(post.authorName, post.isTeamMember)}, ${date(post.createdAt)}</span
            >
          </p>
          <div class="prose" dir="auto">${markdown(post.content, { top: 2, keepsLines: true })}</div>
          ${
            session !== undefined &&
            html`<div class="acts">
              ${followForm(visit, post, isFollowed)}
              ${isChangeable && html`<a href="/feedback/posts/${post.id}/edit">Edit this post</a>`}
            </div>`
          }
          ${isChangeable && deleteForm(visit, post)}
        </div>
      </article>
      ${officialResponse(post, markdown)} ${pinned(post, comments, markdown)}
      <section class="comments" aria-labelledby="comments">
        <h2 id="comments">${count(comments.filter(({ isDeleted }) => !isDeleted).length, 'comment')}</h2>
        ${commentList({ visit, post, all: comments, shown, markdown })} ${pageLinks(visit, number, pages)}
        ${commentForm(visit, post)} ${session !== undefined && reactionForm(visit)}
      </section>`,
  });
}

function officialResponse(post: PublicPostDetail, markdown: Markdown): Part {
  if (post.officialResponse === null) return null;
  const { officialResponseAuthorName: name, officialResponseAt: at } = post;
  return html`<section class="card official" aria-labelledby="official">
    <h2 id="official">Official response</h2>
    <div class="prose" dir="auto">${markdown(post.officialResponse, { top: 3, keepsLines: true })}</div>
    <p class="meta"><span>${author(name ?? 'The team', true)}${at !== null && [', ', date(at)]}</span></p>
  </section>`;
}

function pinned(
  { pinnedCommentId }: PublicPostDetail,
  comments: readonly PublicComment[],
  markdown: Markdown,
): Part {
  const comment = comments.find(({ id, isDeleted }) => id === pinnedCommentId && !isDeleted);
  return (
    comment !== undefined &&
    html`<section class="card official" aria-labelledby="pinned">
      <h2 id="pinned">Pinned comment</h2>
      <div class="prose" dir="auto">${markdown(comment.content, { top: 3, keepsLines: true })}</div>
      <p class="meta">
        <span>${author(comment.authorName, comment.isTeamMember)}, ${date(comment.createdAt)}</span>
      </p>
    </section>`
  );
}

function followForm(visit: Visit, { id }: PublicPostDetail, isFollowed: boolean): Html {
  return html`<form method="post" action="/feedback/posts/${id}/follow">
    ${hidden(visit, hereOf(visit))}
    <button name="follow" value="${isFollowed ? 'no' : 'yes'}">
      ${isFollowed ? 'Stop following' : 'Follow this post'}
    </button>
  </form>`;
}

function deleteForm(visit: Visit, post: PublicPostDetail): Html {
  return html`<details class="delete">
    <summary>Delete this post</summary>
    <form method="post" action="/feedback/posts/${post.id}/delete">
      ${hidden(visit)}
      <p>&ldquo;<bdi>${excerpt(post.title, 60)}</bdi>&rdquo; will be gone for everybody.</p>
      <button class="danger">Delete it</button>
    </form>
  </details>`;
}

function pageLinks(visit: Visit, number: number, pages: number): Part {
  if (pages === 1) return null;
  const to = (page: number) =>
    withQuery(visit, { page: page === 1 ? null : String(page), reply: null, edit: null, react: null });
  return html`<nav class="pager" aria-label="Pages of comments">
    ${number > 1 && html`<a rel="prev" href="${to(number - 1)}#comments">Earlier comments</a>`}
    <span>Page ${number} of ${pages}</span>
    ${number < pages && html`<a rel="next" href="${to(number + 1)}#comments">Later comments</a>`}
  </nav>`;
}
