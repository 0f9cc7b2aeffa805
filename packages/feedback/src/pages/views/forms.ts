/** Pages that only ask for something: a name, or a new post. */
import type { PublicBoard } from '../../services/public-shapes.ts';
import type { Answer } from '../answer.ts';
import { page } from '../answer.ts';
import { html } from '../html.ts';
import type { Visit } from '../visit.ts';
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

/** Asks for a new post. */
export function newPostPage(
  visit: Visit,
  board: PublicBoard,
  given: { title: string; content: string; problem?: string } = { title: '', content: '' },
): Answer {
  const { title, content, problem } = given;
  return page(
    {
      visit,
      title: `New post · ${board.name}`,
      section: 'boards',
      main: html`<p class="crumb"><a href="/feedback/boards/${board.slug}">${board.name}</a></p>
        <form class="card write narrow" method="post" action="/feedback/boards/${board.slug}/new">
          <h1>New post</h1>
          ${problem !== undefined && html`<p class="notice bad" role="alert">${problem}</p>`} ${hidden(visit)}
          <label for="title">Title</label>
          <input
            id="title"
            name="title"
            required
            maxlength="200"
            value="${title}"
            aria-describedby="title-hint"
          />
          <p class="hint" id="title-hint">
            One idea in a few words. Search first: somebody may have had it already.
          </p>
          <label for="content">Details</label>
          <textarea id="content" name="content" maxlength="10000" rows="8">${content}</textarea>
          ${nameField(visit)}
          <button class="button">Post it</button>
        </form>`,
    },
    problem === undefined ? 200 : 400,
  );
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
