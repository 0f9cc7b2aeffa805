/** The pages by address. */
import { notFound } from '../../faults.ts';
import { splitId } from '../../ids.ts';
import type { AnyAnswer } from '../answer.ts';
import { redirect } from '../answer.ts';
import { similarFragment } from '../similar.ts';
import type { Visit } from '../visit.ts';
import { placeOf } from '../visit.ts';
import { boardPage, findBoard } from './board.ts';
import { boardsPage } from './boards.ts';
import { brandFile, imageFile } from './brand.ts';
import { changelogPage, changePage } from './changelog.ts';
import { editPostPage, namePage, newPostPage } from './forms.ts';
import { postPage } from './post.ts';
import { roadmapPage } from './roadmap.ts';

/** Makes a page; the parameter is the slug or id in its address. Undefined: there is no such page. */
export type PageView = (visit: Visit, parameter: string) => Promise<AnyAnswer | undefined>;

const board: PageView = async (visit, slug) => {
  const found = await findBoard(visit, slug);
  return found && boardPage(visit, found);
};

const newPost: PageView = async (visit, slug) => {
  const found = await findBoard(visit, slug);
  return found && newPostPage(visit, found);
};

const similar: PageView = async (visit, slug) => {
  const found = await findBoard(visit, slug);
  return found && similarFragment(visit, found.id);
};

const post: PageView = async (visit, id) => {
  if (splitId(id)?.prefix !== 'post') throw notFound('Post');
  const found = await visit.reading.post(id);
  if (found !== undefined) return postPage(visit, found);
  // Links to a duplicate lead on to where its votes and comments went.
  const canonical = await visit.reading.mergedInto(id);
  const target = canonical === undefined ? undefined : await visit.reading.post(canonical);
  if (target === undefined) throw notFound('Post');
  return redirect(`/feedback/posts/${target.id}`, {}, 302);
};

const editPost: PageView = async (visit, id) => {
  const { reading, session } = visit;
  const found = splitId(id)?.prefix === 'post' ? await reading.post(id) : undefined;
  if (found === undefined) throw notFound('Post');
  const isChangeable = session !== undefined && (await reading.isOwnUntouched(session, id));
  return isChangeable ? editPostPage(visit, found, found) : redirect(`/feedback/posts/${id}`, {}, 302);
};

const change: PageView = async (visit, id) => {
  const found = splitId(id)?.prefix === 'changelog' ? await visit.reading.change(id) : undefined;
  return found && changePage(visit, found);
};

const signIn: PageView = async (visit) => {
  const next = placeOf(visit.url.searchParams.get('next'));
  if (visit.session !== undefined) return redirect(next);
  return namePage(visit, '/feedback/sign-in', new URLSearchParams({ next }));
};

/** By address below `/feedback`. */
export const PAGES = new Map<string, PageView>(
  Object.entries({
    '/': boardsPage,
    '/boards/:at': board,
    '/boards/:at/new': newPost,
    '/boards/:at/similar': similar,
    '/posts/:at': post,
    '/posts/:at/edit': editPost,
    '/roadmap': roadmapPage,
    '/changelog': changelogPage,
    '/changelog/:at': change,
    '/sign-in': signIn,
    '/brand.css': brandFile,
    '/logo': (visit) => imageFile(visit, 'logo'),
    '/favicon': (visit) => imageFile(visit, 'favicon'),
  }),
);
