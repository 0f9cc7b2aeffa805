/** The roadmap: columns by status. */
import type { PublicRoadmap, RoadmapColumn } from '../../services/public/shapes.ts';
import type { Answer } from '../answer.ts';
import { page } from '../answer.ts';
import type { Html, Part } from '../html.ts';
import { html } from '../html.ts';
import type { Visit } from '../visit.ts';
import { count, dot, withQuery } from './parts.ts';

const COLUMN_SIZE = 10;
const LONG_COLUMN_SIZE = 30;

/** Shows a roadmap; undefined when there is none of that name. */
export async function roadmapPage(visit: Visit): Promise<Answer | undefined> {
  const { reading, url } = visit;
  const roadmaps = await reading.roadmaps();
  const slug = url.searchParams.get('roadmap');
  // A roadmap that nobody has filled yet must not hide what the statuses tell.
  const roadmap =
    slug === null ? roadmaps.find(({ hasPosts }) => hasPosts) : roadmaps.find((each) => each.slug === slug);
  const status = url.searchParams.get('status') ?? undefined;
  if (slug !== null && roadmap === undefined) return undefined;
  const columns = await reading.roadmapColumns({
    roadmapId: roadmap?.id,
    status,
    limit: status === undefined ? COLUMN_SIZE : LONG_COLUMN_SIZE,
    cursor: status === undefined ? undefined : (url.searchParams.get('after') ?? undefined),
  });
  if (status !== undefined && columns.length === 0) return undefined;
  return page({
    visit,
    title: roadmap === undefined || roadmaps.length < 2 ? 'Roadmap' : `${roadmap.name} · Roadmap`,
    description: roadmap?.description ?? 'What is planned, what is being built and what is done.',
    canonical:
      roadmap === undefined || slug === null
        ? '/feedback/roadmap'
        : `/feedback/roadmap?roadmap=${roadmap.slug}`,
    section: 'roadmap',
    main: html`<div class="intro">
        <h1>Roadmap</h1>
        <p dir="auto">${roadmap?.description ?? 'What is planned, what is being built and what is done.'}</p>
      </div>
      ${roadmaps.length > 1 && tabs(roadmaps, roadmap)}
      <div class="columns">${columns.map((column) => columnOf(visit, column))}</div>
      ${status !== undefined && html`<nav class="pager" aria-label="More pages"><a href="${withQuery(visit, { status: null, after: null })}">All columns</a></nav>`}`,
  });
}

function tabs(roadmaps: readonly PublicRoadmap[], current: PublicRoadmap | undefined): Part {
  return html`<nav aria-label="Roadmaps">
    <ul class="chips">
      ${roadmaps.map(
        ({ id, slug, name }) =>
          html`<li>
            <a href="/feedback/roadmap?roadmap=${slug}" ${id === current?.id && html` aria-current="page"`}
              ><bdi>${name}</bdi></a
            >
          </li>`,
      )}
    </ul>
  </nav>`;
}

function columnOf(visit: Visit, { status, total, posts, cursor }: RoadmapColumn): Html {
  const id = `column-${status.slug}`;
  return html`<section class="column" aria-labelledby="${id}">
    <h2 id="${id}">${dot(status.color)}<bdi>${status.name}</bdi> <span class="number">${total}</span></h2>
    ${
      posts.length === 0
        ? html`<p class="empty">Nothing here yet.</p>`
        : html`<ol>
            ${posts.map(
              (post) =>
                html`<li class="card">
                  <h3 dir="auto"><a href="/feedback/posts/${post.id}">${post.title}</a></h3>
                  <p class="meta">
                    <span>${count(post.voteCount, 'vote')}</span><bdi>${post.boardName}</bdi>
                  </p>
                </li>`,
            )}
          </ol>`
    }
    ${cursor !== null && html`<p><a rel="next" href="${withQuery(visit, { status: status.slug, after: cursor })}">More of ${status.name}</a></p>`}
  </section>`;
}
