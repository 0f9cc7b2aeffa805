/** What visitors do: every form of the pages ends here. */
import type { IncomingMessage } from 'node:http';
import { HttpRefusal } from '@parley/http';
import { dropToken, hasToken, keepToken, sessionToken } from '@parley/http/pages';
import type { Actor } from '../actor.ts';
import { notFound, RuleBroken } from '../faults.ts';
import type { FeedbackServices } from '../services/index.ts';
import type { PublicPostDetail } from '../services/public/shapes.ts';
import { TEAM_NAME } from '../services/people/visitors.ts';
import { CreateComment, CreatePost } from '../shapes/posts.ts';
import type { Answer } from './answer.ts';
import { redirect } from './answer.ts';
import { nameOf, textOf } from './form.ts';
import { alike } from './similar.ts';
import { findBoard } from './views/board.ts';
import { anchorOf } from './views/comments.ts';
import { editPostPage, namePage, newPostPage } from './views/forms.ts';
import { COMMENT_PAGE_SIZE } from './views/post.ts';
import type { Visit } from './visit.ts';
import { actorOfSession, isHttps, placeOf } from './visit.ts';

/** One form that was sent, by whom. */
export interface Sent {
  readonly req: IncomingMessage;
  readonly visit: Visit;
  readonly form: URLSearchParams;
  readonly services: FeedbackServices;
  /** Throws when this address made too many visitors already. */
  countVisitor(): void;
}

/** Does what a form asks for; the parameter is the slug or id in its address. */
export type Action = (sent: Sent, parameter: string) => Promise<Answer>;

const MAX_NAME = 60;

/** What is wrong with the texts of a post, in words for people. */
function postProblem({ title, content }: { readonly title: string; readonly content: string }): string {
  if (title === '') return 'Give your post a title.';
  if (title.length > 200) return 'This title is too long. Keep it to 200 characters.';
  if (content.length > 10_000) return 'This text is too long. Keep it to 10,000 characters.';
  return 'This post cannot be taken as it is. Use plain letters and signs.';
}

/** Runs an action as the visitor; somebody without a name gives it first, and nothing that was typed is lost. */
async function asVisitor(sent: Sent, act: (actor: Actor) => Promise<Answer>): Promise<Answer> {
  const { visit, form, services, req } = sent;
  if (visit.session !== undefined) {
    requireToken(sent, visit.session.csrfToken);
    return act(await actorOfSession(services, visit.session));
  }
  const name = nameOf(form);
  if (!form.has('name')) return namePage(visit, visit.url.pathname, form);
  if (name === '' || name.length > MAX_NAME)
    return namePage(visit, visit.url.pathname, form, `Give a name of 1 to ${MAX_NAME} characters.`);
  if (await services.visitors.isReserved(visit.reading.site.organizationId, name))
    return namePage(visit, visit.url.pathname, form, TEAM_NAME);
  sent.countVisitor();
  const { token } = await services.visitors.welcome(visit.reading.site.organizationId, name);
  const session = await services.identity.sessions.find(token);
  if (session === undefined) throw notFound('Visitor');
  const answer = await act(await actorOfSession(services, session));
  const cookie = await keepToken(req, token, isHttps(req, visit));
  return { ...answer, headers: { ...answer.headers, 'set-cookie': cookie } };
}

/** Runs an action on what somebody made before; who has no session any more signs in first. */
async function asAuthor(sent: Sent, act: (actor: Actor) => Promise<Answer>): Promise<Answer> {
  if (sent.visit.session !== undefined) return asVisitor(sent, act);
  return redirect(`/feedback/sign-in?${new URLSearchParams({ next: placeOf(sent.form.get('next')) })}`);
}

/** Throws unless everybody may see the post; asked before a visitor is made for it. */
async function requirePost({ reading }: Visit, id: string): Promise<PublicPostDetail> {
  const post = await reading.post(id);
  if (post === undefined) throw notFound('Post');
  return post;
}

function requireToken({ form }: Sent, csrfToken: string): void {
  if (!hasToken(form, csrfToken))
    throw new HttpRefusal(403, 'This form is out of date. Go back, reload the page and try again.');
}

const signIn: Action = (sent) => asVisitor(sent, async () => redirect(placeOf(sent.form.get('next'))));

const signOut: Action = async (sent) => {
  const { visit, services, req } = sent;
  const token = await sessionToken(req);
  if (visit.session !== undefined && token !== undefined) {
    requireToken(sent, visit.session.csrfToken);
    await services.identity.sessions.close(token);
  }
  return redirect('/feedback', { 'set-cookie': await dropToken(req, isHttps(req, visit)) });
};

const createPost: Action = async (sent, slug) => {
  const { visit, form, services } = sent;
  const board = await findBoard(visit, slug);
  if (board === undefined) throw notFound('Board');
  const given = { title: textOf(form, 'title'), content: textOf(form, 'content') };
  const parsed = CreatePost.safeParse({ ...given, boardId: board.id });
  if (!parsed.success) {
    return newPostPage(visit, board, { ...given, problem: postProblem(given) });
  }
  // A person who was shown similar posts for this very title has made up their mind.
  const similar = form.get('seen') === given.title ? [] : await alike(visit, board.id, given.title);
  if (similar.length > 0) return newPostPage(visit, board, { ...given, similar });
  return asVisitor(sent, async (actor) => {
    const { id, isPending } = await services.visitors.submit(actor, parsed.data);
    return redirect(isPending ? `/feedback/boards/${board.slug}?sent=pending` : `/feedback/posts/${id}`);
  });
};

const editPost: Action = async (sent, id) => {
  const { visit, form, services } = sent;
  const post = await requirePost(visit, id);
  const given = { title: textOf(form, 'title'), content: textOf(form, 'content') };
  const parsed = CreatePost.pick({ title: true, content: true }).safeParse(given);
  if (!parsed.success) return editPostPage(visit, post, { ...given, problem: postProblem(given) });
  return asAuthor(sent, async (actor) => {
    const { isPending } = await services.visitors.edit(actor, id, parsed.data);
    return redirect(isPending ? `/feedback/boards/${post.boardSlug}?sent=pending` : `/feedback/posts/${id}`);
  });
};

const follow: Action = async (sent, id) => {
  const { visit, form, services } = sent;
  await requirePost(visit, id);
  return asAuthor(sent, async (actor) => {
    await services.following.follow(actor, id, form.get('follow') !== 'no');
    return redirect(placeOf(form.get('next')));
  });
};

const vote: Action = async (sent, id) => {
  const { services, form, req } = sent;
  await requirePost(sent.visit, id);
  return asVisitor(sent, async (actor) => {
    const wanted = form.get('voted');
    const result =
      wanted === 'yes' || wanted === 'no'
        ? await services.votes.set(actor, id, wanted === 'yes')
        : await services.votes.toggle(actor, id);
    if (req.headers.accept === 'application/json') {
      const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
      return { status: 200, headers, body: JSON.stringify(result) };
    }
    // Without a place to come back to, the post itself is where the vote is seen.
    const place = placeOf(form.get('next') ?? `/feedback/posts/${id}`);
    return redirect(place.startsWith('/feedback/posts/') ? place : `${place}#${id}`);
  });
};

const comment: Action = async (sent, postId) => {
  const { form, services, visit } = sent;
  const parentId = form.get('parent');
  const parsed = CreateComment.safeParse({ content: textOf(form, 'content'), parentId });
  if (!parsed.success) throw new RuleBroken('Write a comment of 1 to 5,000 characters.');
  await requirePost(visit, postId);
  return asVisitor(sent, async (actor) => {
    const { content } = parsed.data;
    const made = await services.comments.create(actor, postId, { content, parentId });
    const all = await visit.reading.comments(postId);
    const page = Math.floor(all.findIndex(({ id }) => id === made.id) / COMMENT_PAGE_SIZE) + 1;
    return redirect(`/feedback/posts/${postId}${page > 1 ? `?page=${page}` : ''}#${anchorOf(made.id)}`);
  });
};

const editComment: Action = async (sent, id) => {
  const content = textOf(sent.form, 'content');
  return asAuthor(sent, async (actor) => {
    await sent.services.comments.update(actor, id, { content });
    return redirect(`${placeOf(sent.form.get('next'))}#${anchorOf(id)}`);
  });
};

const deleteComment: Action = (sent, id) =>
  asAuthor(sent, async (actor) => {
    await sent.services.comments.delete(actor, id);
    return redirect(placeOf(sent.form.get('next')));
  });

const deletePost: Action = async (sent, id) => {
  const { visit, services } = sent;
  const post = await requirePost(visit, id);
  return asAuthor(sent, async (actor) => {
    await services.posts.delete(actor, id);
    return redirect(`/feedback/boards/${post.boardSlug}`);
  });
};

const react: Action = (sent) =>
  asAuthor(sent, async (actor) => {
    const [wanted, id = '', emoji = ''] = (sent.form.get('set') ?? '').split(' ');
    await sent.services.comments.react(actor, id, emoji, wanted !== 'off');
    return redirect(`${placeOf(sent.form.get('next'))}#${anchorOf(id)}`);
  });

/** The forms by address below `/feedback`. */
export const ACTIONS = new Map<string, Action>(
  Object.entries({
    '/sign-in': signIn,
    '/sign-out': signOut,
    '/boards/:at/new': createPost,
    '/posts/:at/vote': vote,
    '/posts/:at/comments': comment,
    '/posts/:at/edit': editPost,
    '/posts/:at/follow': follow,
    '/posts/:at/delete': deletePost,
    '/comments/:at/edit': editComment,
    '/comments/:at/delete': deleteComment,
    '/reactions': react,
  }),
);
