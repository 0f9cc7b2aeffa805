/** What tools of GitHub take: names that can be part of a path, texts and numbers. */
import * as z from 'zod';
import type { RepoName } from '../adapters/github/github.ts';
import { REPO } from '../adapters/github/github.ts';
import { formed, text } from './texts.ts';

export const Owner = formed(/^[A-Za-z0-9](?:-?[A-Za-z0-9]){0,38}$/, 'must be a name on GitHub');

export const Repo = formed(REPO, 'must be owner/name, without .git').describe('owner/name');

// What git does not allow in the name of a branch is refused here.
export const Branch = formed(/^[^\s:~^?*[\\\p{Cc}]{1,255}$/u, 'must be a branch');
export const Head = formed(
  /^(?:[A-Za-z0-9](?:-?[A-Za-z0-9]){0,38}:)?[^\s:~^?*[\\\p{Cc}]{1,255}$/u,
  'must be branch or owner:branch',
);

export const Title = text(256);
export const Body = text(65_536).describe('Markdown');
export const PullNumber = z.int().min(1).describe('Number of the pull request');

export function repoName(repo: string): RepoName {
  const [owner = '', name = ''] = repo.split('/');
  return { owner, name };
}
