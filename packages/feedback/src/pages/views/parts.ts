/** Small pieces that several pages show: dates, statuses, votes, forms, links to the next page. */
import type { PublicPost, PublicStatus } from '../../services/public/shapes.ts';
import type { Html, Part } from '../html.ts';
import { html } from '../html.ts';
import type { Visit } from '../visit.ts';
import { hereOf } from '../visit.ts';

const DAY = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** A day for people, with the moment for machines. */
export function date(at: string | number): Html {
  const moment = new Date(at);
  return html`<time datetime="${moment.toISOString()}">${DAY.format(moment)}</time>`;
}

/** A dot in a colour that was chosen by the team; style attributes are not allowed here. */
export function dot(color: string): Html {
  return html`<svg class="dot" width="8" height="8" aria-hidden="true">
    <circle cx="4" cy="4" r="4" fill="${color}" />
  </svg>`;
}

/** Who wrote something, with a mark where it is the word of the team. */
export function author(name: string | null, isTeamMember: boolean): Part {
  return [html`<bdi>${name ?? 'Somebody'}</bdi>`, isTeamMember && html` <span class="team">Team</span>`];
}

export function statusBadge(status: PublicStatus | null): Part {
  return status !== null && html`<span class="badge">${dot(status.color)}<bdi>${status.name}</bdi></span>`;
}

export function tagBadges(tags: PublicPost['tags']): Part {
  return tags.map(({ name, color }) => html`<span class="tag">${dot(color)}<bdi>${name}</bdi></span>`);
}

/** The button that votes and takes the vote back; somebody without a name is asked for it next. */
export function voteButton(
  visit: Visit,
  post: Pick<PublicPost, 'id' | 'title' | 'voteCount'>,
  hasVoted: boolean,
): Html {
  const label = `${hasVoted ? 'Take back your vote for' : 'Vote for'} ${post.title}`;
  return html`<form class="vote" method="post" action="/feedback/posts/${post.id}/vote">
    ${hidden(visit, hereOf(visit))}
    <button
      name="voted"
      value="${hasVoted ? 'no' : 'yes'}"
      aria-pressed="${hasVoted ? 'true' : 'false'}"
      aria-label="${label}, ${count(post.voteCount, 'vote')}"
    >
      <svg width="12" height="8" viewBox="0 0 12 8" aria-hidden="true"><path d="M6 0l6 8H0z" /></svg>
      <span>${post.voteCount}</span>
    </button>
  </form>`;
}

/** What every form carries: the token of the session, and where to go after it. */
export function hidden({ session }: Visit, next?: string): Part {
  return [
    session !== undefined && html`<input type="hidden" name="csrf" value="${session.csrfToken}" />`,
    next !== undefined && html`<input type="hidden" name="next" value="${next}" />`,
  ];
}

/** Asks for a name, once. */
export function nameField({ session }: Visit): Part {
  return (
    session === undefined &&
    html`<label for="name">Your name</label>
      <input
        id="name"
        name="name"
        dir="auto"
        required
        maxlength="60"
        autocomplete="nickname"
        aria-describedby="name-hint"
      />
      <p class="hint" id="name-hint">Shown with what you write. No account and no e-mail needed.</p>`
  );
}

/** `1 vote`, `2 votes`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** The same address with other values of the query; null takes one out. */
export function withQuery({ url }: Visit, changes: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams(url.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return text === '' ? url.pathname : `${url.pathname}?${text}`;
}

/** Links to the first and the next page. */
export function pager(visit: Visit, name: string, cursor: string | null): Part {
  const isFirst = !visit.url.searchParams.has(name);
  if (isFirst && cursor === null) return null;
  return html`<nav class="pager" aria-label="More pages">
    ${!isFirst && html`<a href="${withQuery(visit, { [name]: null })}">First page</a>`}
    ${cursor !== null && html`<a rel="next" href="${withQuery(visit, { [name]: cursor })}">Next page</a>`}
  </nav>`;
}
