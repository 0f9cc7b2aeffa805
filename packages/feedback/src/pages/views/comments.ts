/** Comments as nested lists, with replies, reactions and the forms for them. */
import { EMOJIS } from '../../shapes/posts.ts';
import { MAX_LEVELS } from '../../services/comments/depth.ts';
import type { PublicComment, PublicPostDetail } from '../../services/public/shapes.ts';
import type { Html, Part } from '../html.ts';
import { html } from '../html.ts';
import type { Markdown } from '../markdown.ts';
import type { Visit } from '../visit.ts';
import { date, hidden, nameField, withQuery } from './parts.ts';

/** What a list of comments is made from. */
export interface Thread {
  readonly visit: Visit;
  readonly post: Pick<PublicPostDetail, 'id'>;
  readonly all: readonly PublicComment[];
  /** Those of this page, in the order of the thread. */
  readonly shown: readonly PublicComment[];
  readonly markdown: Markdown;
}

const REACTION_FORM = 'react';

export function anchorOf(id: string): string {
  return `c-${id.slice(id.lastIndexOf('_') + 1)}`;
}

/** The comments of a page; one whose parent is on another page says whom it answers. */
export function commentList(thread: Thread): Part {
  const { shown } = thread;
  if (shown.length === 0) return html`<p class="empty">Nobody has said anything yet.</p>`;
  const here = new Set(shown.map(({ id }) => id));
  const replies = Map.groupBy(shown, ({ parentId }) =>
    parentId !== null && here.has(parentId) ? parentId : null,
  );
  // At most one page of them, so the depth is bounded too.
  const list = (comments: readonly PublicComment[] | undefined): Part =>
    comments !== undefined &&
    html`<ol>
      ${comments.map(
        (comment) =>
          html`<li id="${anchorOf(comment.id)}">
            ${one(thread, comment, here)}${list(replies.get(comment.id))}
          </li>`,
      )}
    </ol>`;
  return html`<div class="thread">${list(replies.get(null))}</div>`;
}

function one(thread: Thread, comment: PublicComment, here: ReadonlySet<string>): Html {
  const { visit, all, markdown } = thread;
  if (comment.isDeleted) return html`<p class="comment gone">This comment was deleted.</p>`;
  const parent = all.find(({ id }) => id === comment.parentId);
  const { searchParams } = visit.url;
  return html`<article class="comment">
    <p class="meta">
      <strong dir="auto">${comment.authorName ?? 'Somebody'}</strong
      >${comment.isTeamMember && html`<span class="team">Team</span>`}<span
        >${date(comment.createdAt)}${comment.editedAt !== null && ' (edited)'}</span
      >
    </p>
    ${parent !== undefined && !here.has(parent.id) && html`<p class="meta">In reply to <bdi>${parent.authorName ?? 'a comment'}</bdi></p>`}
    ${
      comment.isOwn && searchParams.get('edit') === comment.id
        ? editForm(visit, comment)
        : html`<div class="prose" dir="auto">${markdown(comment.content, { top: 3, keepsLines: true })}</div>`
    }
    <div class="acts">
      ${reactions(visit, comment)}
      ${
        comment.depth < MAX_LEVELS - 1 &&
        html`<a
          href="${withQuery(visit, { reply: comment.id, edit: null, react: null })}#reply"
          aria-label="Reply to ${comment.authorName ?? 'this comment'}"
          >Reply</a
        >`
      }
      ${comment.isOwn && html`<a href="${withQuery(visit, { edit: comment.id, reply: null, react: null })}#edit">Edit</a>`}
    </div>
    ${searchParams.get('reply') === comment.id && replyForm(thread, comment)}
  </article>`;
}

/** What was given already, and on demand the rest to choose from; all of it for every comment would be a heavy page. */
function reactions(visit: Visit, { id, authorName, reactions: given }: PublicComment): Part {
  if (visit.session === undefined)
    return given.map(({ emoji, count }) => html`<span class="reaction">${emoji} ${count}</span>`);
  const button = (emoji: string, count: number, isOn: boolean) =>
    html`<button
      form="${REACTION_FORM}"
      name="set"
      value="${isOn ? 'off' : 'on'} ${id} ${emoji}"
      aria-pressed="${isOn ? 'true' : 'false'}"
    >
      ${emoji}${count > 0 && ` ${count}`}
    </button>`;
  const rest = EMOJIS.filter((emoji) => !given.some((reaction) => reaction.emoji === emoji));
  return [
    given.map(({ emoji, count, hasReacted }) => button(emoji, count, hasReacted)),
    visit.url.searchParams.get('react') === id
      ? rest.map((emoji) => button(emoji, 0, false))
      : html`<a
          href="${withQuery(visit, { react: id, edit: null, reply: null })}#${anchorOf(id)}"
          aria-label="React to ${authorName ?? 'this comment'}"
          >React</a
        >`,
  ];
}

/** The one form that all reaction buttons of a page belong to. */
export function reactionForm(visit: Visit): Html {
  return html`<form id="${REACTION_FORM}" method="post" action="/feedback/reactions">
    ${hidden(visit, withQuery(visit, { react: null }))}
  </form>`;
}

function area(id: string, text = '', isFocused = false): Html {
  return html`<textarea
    id="${id}"
    name="content"
    dir="auto"
    required
    maxlength="5000"
    rows="4"
    ${isFocused && html` autofocus`}
  >
${text}</textarea>`;
}

/** A new comment on the post itself. */
export function commentForm(visit: Visit, { id }: Thread['post']): Part {
  if (visit.url.searchParams.has('reply')) return null;
  return html`<form class="write" method="post" action="/feedback/posts/${id}/comments">
    ${hidden(visit)} <label for="comment">Your comment</label>${area('comment')} ${nameField(visit)}
    <button class="button">Comment</button>
  </form>`;
}

function replyForm({ visit, post }: Thread, comment: PublicComment): Html {
  return html`<form class="write" id="reply" method="post" action="/feedback/posts/${post.id}/comments">
    ${hidden(visit)}
    <input type="hidden" name="parent" value="${comment.id}" />
    <label for="reply-text">Your reply to <bdi>${comment.authorName ?? 'this comment'}</bdi></label
    >${area('reply-text', '', true)} ${nameField(visit)}
    <p class="row">
      <button class="button">Reply</button
      ><a href="${withQuery(visit, { reply: null })}#${anchorOf(comment.id)}">Cancel</a>
    </p>
  </form>`;
}

function editForm(visit: Visit, comment: PublicComment): Html {
  const back = withQuery(visit, { edit: null });
  return html`<form class="write" id="edit" method="post" action="/feedback/comments/${comment.id}/edit">
    ${hidden(visit, back)}
    <label for="edit-text">Your comment</label>${area('edit-text', comment.content, true)}
    <p class="row">
      <button class="button">Save</button><a href="${back}#${anchorOf(comment.id)}">Cancel</a>
    </p>
    <details class="delete">
      <summary>Delete this comment</summary>
      <p>It will be gone for everybody.</p>
      <button class="danger" formnovalidate formaction="/feedback/comments/${comment.id}/delete">
        Delete it
      </button>
    </details>
  </form>`;
}
