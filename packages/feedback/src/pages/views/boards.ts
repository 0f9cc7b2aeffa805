/** The front page: every public board. */
import type { Answer } from '../answer.ts';
import { page } from '../answer.ts';
import { html } from '../html.ts';
import { siteName } from '../layout.ts';
import type { Visit } from '../visit.ts';
import { count } from './parts.ts';

export async function boardsPage(visit: Visit): Promise<Answer> {
  const boards = await visit.reading.boards();
  const name = siteName(visit.reading.site);
  const items = boards.map(
    (board) =>
      html`<li class="card">
        <h2 dir="auto"><a href="/feedback/boards/${board.slug}">${board.name}</a></h2>
        ${board.description !== null && html`<p dir="auto">${board.description}</p>`}
        <p class="meta">${count(board.postCount, 'post')}</p>
      </li>`,
  );
  return page({
    visit,
    title: name,
    description: `Ideas, votes and news: tell ${name} what you need and see what is planned.`,
    canonical: '/feedback',
    section: 'boards',
    main: html`<div class="intro">
        <h1>What should be better?</h1>
        <p>Post an idea, vote for those of others, and follow what becomes of them.</p>
      </div>
      ${
        boards.length === 0
          ? html`<p class="empty">There are no boards yet.</p>`
          : html`<ul class="grid">
              ${items}
            </ul>`
      }`,
  });
}
