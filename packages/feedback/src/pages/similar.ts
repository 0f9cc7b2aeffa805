/** Posts that somebody may have meant: on the form of a new post, while its title is typed and when it is sent. */
import type { SimilarPost } from '../services/public/shapes.ts';
import { tellingWords } from '../search/words.ts';
import type { Answer } from './answer.ts';
import { html } from './html.ts';
import type { Html, Part } from './html.ts';
import { count } from './views/parts.ts';
import type { Visit } from './visit.ts';

const SHOWN = 3;
const CANDIDATES = 10;
const MAX_WORDS = 20;
const MAX_TITLE = 200;

/** Posts whose titles have at least half of the telling words. */
export async function alike(
  { reading }: Visit,
  boardId: string,
  title: string,
): Promise<readonly SimilarPost[]> {
  const words = tellingWords(title.slice(0, MAX_TITLE), MAX_WORDS);
  if (words.length === 0) return [];
  const found = await reading.similar(boardId, { title: title.slice(0, MAX_TITLE), limit: CANDIDATES });
  const isClose = (post: SimilarPost) => {
    const own = tellingWords(post.title, MAX_WORDS);
    const common = words.filter((word) => own.some((other) => isSameWord(word, other)));
    return common.length * 2 >= Math.max(words.length, Math.min(own.length, words.length + 2));
  };
  return found.filter(isClose).slice(0, SHOWN);
}

const STEM = 4;

/** `export` and `exports`, `notify` and `notification` are the same to people. */
function isSameWord(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short === long || (short.length >= STEM && long.startsWith(short));
}

/** The list inside the form; its buttons vote in place of posting. */
export function similarList(title: string, similar: readonly SimilarPost[]): Part {
  return (
    similar.length > 0 &&
    html`<section class="notice similar" aria-labelledby="similar-title">
      <h2 id="similar-title">Somebody may have had this idea already</h2>
      <input type="hidden" name="seen" value="${title}" />
      <ul>
        ${similar.map(item)}
      </ul>
    </section>`
  );
}

function item({ id, title, voteCount }: SimilarPost): Html {
  return html`<li>
    <span><a dir="auto" href="/feedback/posts/${id}">${title}</a> ${count(voteCount, 'vote')}</span>
    <button
      formnovalidate
      formaction="/feedback/posts/${id}/vote"
      name="voted"
      value="yes"
      aria-label="Vote for it instead: ${title}"
    >
      Vote for it instead
    </button>
  </li>`;
}

/** The same list alone, for the script that asks while somebody types. */
export async function similarFragment(visit: Visit, boardId: string): Promise<Answer> {
  const title = (visit.url.searchParams.get('title') ?? '').slice(0, MAX_TITLE).toWellFormed().trim();
  const list = html`${similarList(title, await alike(visit, boardId, title))}`;
  return {
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
    body: list.text,
  };
}
