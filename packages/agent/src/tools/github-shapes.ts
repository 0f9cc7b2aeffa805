/** What tools of GitHub take: names that can be part of a path, texts and numbers. */
import * as z from 'zod';
import type { RepoName } from '../adapters/github/github.ts';
import { formed, text } from './texts.ts';

const OWNER = '[A-Za-z0-9](?:-?[A-Za-z0-9]){0,38}';
/** What git does not allow in the name of a branch is refused here. */
const REF = '[^\\s:~^?*\\[\\\\\\u0000-\\u001f\\u007f]{1,255}';

export const Owner = formed(new RegExp(`^${OWNER}$`), 'must be a name on GitHub');

const REPO = new RegExp(`^${OWNER}/(?!\\.{1,2}$)[A-Za-z0-9._-]{1,100}$`);
export const Repo = formed(REPO, 'must be owner/name').describe('owner/name');

export const Branch = formed(new RegExp(`^${REF}$`), 'must be a branch');
export const Head = formed(new RegExp(`^(?:${OWNER}:)?${REF}$`), 'must be branch or owner:branch');

export const Title = text(256);
export const Body = text(65_536).describe('Markdown');
export const PullNumber = z.int().min(1).describe('Number of the pull request');

export function repoName(repo: string): RepoName {
  const [owner = '', name = ''] = repo.split('/');
  return { owner, name };
}
