/** The changelog: what was published, newest first. */
import type { PublicChange } from '../../services/public/shapes.ts';
import type { Answer } from '../answer.ts';
import { page } from '../answer.ts';
import type { Html } from '../html.ts';
import { html } from '../html.ts';
import { siteName } from '../layout.ts';
import type { Markdown } from '../markdown.ts';
import type { Visit } from '../visit.ts';
import { date, pager } from './parts.ts';

const PAGE_SIZE = 10;

/** Lists the entries. */
export async function changelogPage(visit: Visit): Promise<Answer> {
  const { reading, url } = visit;
  const [changes, { markdown }] = await Promise.all([
    reading.changes({ limit: PAGE_SIZE, cursor: url.searchParams.get('after') ?? undefined }),
    import('../markdown.ts'),
  ]);
  return page({
    visit,
    title: 'Changelog',
    description: `What is new at ${siteName(reading.site)}.`,
    canonical: '/feedback/changelog',
    section: 'changelog',
    main: html`<div class="intro">
        <h1>Changelog</h1>
        <p>What is new. <a href="/changelog.xml">Follow it by RSS</a></p>
      </div>
      ${changes.items.length === 0 && html`<p class="empty">Nothing has been published yet.</p>`}
      ${changes.items.map((change) => entry(change, 2, markdown))} ${pager(visit, 'after', changes.cursor)}`,
  });
}

/** Shows one entry. */
export async function changePage(visit: Visit, change: PublicChange): Promise<Answer> {
  const { markdown } = await import('../markdown.ts');
  return page({
    visit,
    title: change.title,
    description: change.content,
    canonical: `/feedback/changelog/${change.id}`,
    section: 'changelog',
    main: html`<p class="crumb"><a href="/feedback/changelog">Changelog</a></p>
      ${entry(change, 1, markdown)}`,
  });
}

function entry(change: PublicChange, level: 1 | 2, markdown: Markdown): Html {
  const title = html`<a href="/feedback/changelog/${change.id}">${change.title}</a>`;
  return html`<article class="entry">
    <p class="meta">${date(change.publishedAt)}</p>
    <div>
      ${level === 1 ? html`<h1 dir="auto">${change.title}</h1>` : html`<h2 dir="auto">${title}</h2>`}
      ${
        change.labels.length > 0 &&
        html`<ul class="labels">
          ${change.labels.map((label) => html`<li class="badge" dir="auto">${label}</li>`)}
        </ul>`
      }
      <div class="prose" dir="auto">${markdown(change.content, { top: level + 1 })}</div>
      ${
        change.posts.length > 0 &&
        html`<p class="meta">
          <span>About</span>${change.posts.map(
            ({ id, title: name }) => html`<a dir="auto" href="/feedback/posts/${id}">${name}</a>`,
          )}
        </p>`
      }
    </div>
  </article>`;
}
