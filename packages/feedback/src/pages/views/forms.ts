/** Pages that only ask for something: a name, a new post, or other words in one. */
import type { PublicBoard, PublicPostDetail, SimilarPost } from '../../services/public/shapes.ts';
import type { Answer } from '../answer.ts';
import { page } from '../answer.ts';
import type { Html, Part } from '../html.ts';
import { html } from '../html.ts';
import type { Visit } from '../visit.ts';
import { similarList } from '../similar.ts';
import { hidden, nameField } from './parts.ts';

/** Asks who is there, then goes on with what was sent. */
export function namePage(visit: Visit, action: string, sent: URLSearchParams, problem?: string): Answer {
  const kept = [...sent].filter(([name]) => name !== 'csrf' && name !== 'name');
  return page(
    {
      visit,
      title: 'Who are you?',
      main: html`<form class="card write narrow" method="post" action="${action}">
        <h1>Who are you?</h1>
        ${problem !== undefined && html`<p class="notice bad" role="alert">${problem}</p>`}
        ${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
        ${nameField(visit)}
        <button class="button">Continue</button>
      </form>`,
    },
    problem === undefined ? 200 : 400,
  );
}

const ONE_IDEA = 'One idea in a few words.';

interface PostForm {
  readonly title: string;
  readonly content: string;
  readonly problem?: string;
}

/** Asks for a new post; `similar` are those that somebody else may have written before. */
export function newPostPage(
  visit: Visit,
  board: PublicBoard,
  given: PostForm & { readonly similar?: readonly SimilarPost[] } = { title: '', content: '' },
): Answer {
  const { problem, similar = [] } = given;
  return page(
    {
      visit,
      title: `New post · ${board.name}`,
      section: 'boards',
      main: html`<p class="crumb"><a dir="auto" href="/feedback/boards/${board.slug}">${board.name}</a></p>
        <form class="card write narrow" method="post" action="/feedback/boards/${board.slug}/new">
          <h1>New post</h1>
          ${similar.length > 0 && html`<p class="notice" role="status">Nothing is posted yet. Is it one of these?</p>`}
          ${postFields(given, ONE_IDEA, {
            address: `/feedback/boards/${board.slug}/similar`,
            list: similarList(given.title, similar),
          })}
          ${hidden(visit)} ${nameField(visit)}
          <button class="button">${similar.length > 0 ? 'Post anyway' : 'Post it'}</button>
        </form>`,
    },
    problem === undefined ? 200 : 400,
  );
}

/** Asks for other words in an own post. */
export function editPostPage(
  visit: Visit,
  post: Pick<PublicPostDetail, 'id' | 'title'>,
  given: PostForm,
): Answer {
  const path = `/feedback/posts/${post.id}`;
  return page(
    {
      visit,
      title: `Edit · ${post.title}`,
      section: 'boards',
      main: html`<p class="crumb"><a dir="auto" href="${path}">${post.title}</a></p>
        <form class="card write narrow" method="post" action="${path}/edit">
          <h1>Edit post</h1>
          ${postFields(given, ONE_IDEA)} ${hidden(visit, path)}
          <button class="button">Save it</button>
        </form>`,
    },
    given.problem === undefined ? 200 : 400,
  );
}

/** Where the script asks for posts that are alike, and those that are known already. */
interface Suggestions {
  readonly address: string;
  readonly list: Part;
}

function postFields({ title, content, problem }: PostForm, hint: string, suggestions?: Suggestions): Html {
  return html`${problem !== undefined && html`<p class="notice bad" role="alert">${problem}</p>`}
    <label for="title">Title</label>
    <input
      id="title"
      name="title"
      dir="auto"
      required
      maxlength="200"
      value="${title}"
      aria-describedby="title-hint"
    />
    <p class="hint" id="title-hint">${hint}</p>
    ${
      suggestions !== undefined &&
      html`<div id="similar" class="suggested" aria-live="polite" data-from="${suggestions.address}">
        ${suggestions.list}
      </div>`
    }
    <label for="content">Details</label>
    <textarea id="content" name="content" dir="auto" maxlength="10000" rows="8">${content}</textarea>`;
}

/** Says what went wrong, and where to go from there. */
export function problemPage(
  visit: Visit | undefined,
  { status, title, message }: { status: number; title: string; message: string },
): Answer {
  const back = visit !== undefined && html`<p><a href="/feedback">To the boards</a></p>`;
  return page(
    {
      visit,
      title,
      main: html`<div class="intro problem">
        <h1>${title}</h1>
        <p>${message}</p>
        ${back}
      </div>`,
    },
    status,
  );
}
