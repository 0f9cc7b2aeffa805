/** What agents may do on GitHub: which repositories, how often, and under whose name. */
import { ToolError } from '@parley/kit';
import type { GitHub, RepoName, ReviewEvent } from '../../adapters/github/github.ts';
import { REPO } from '../../adapters/github/github.ts';
import type { Acting } from '../../session.ts';
import type { Uses } from './uses.ts';

export interface GitHubRules {
  /** Owners whose pull requests are reviewed while nobody watches. */
  readonly allowedOwners: readonly string[];
  /** `owner/name` or `owner/*`: nothing is written there. */
  readonly deny: readonly string[];
  readonly hasFooter: boolean;
}

export interface GitHubDesk {
  /** For looking only. */
  reading(): GitHub;
  /** For one write, which counts. */
  writing(acting: Acting, repo?: RepoName): Promise<GitHub>;
  /** For a review, which has rules of its own while nobody watches. */
  reviewing(acting: Acting, repo: RepoName, event: ReviewEvent): Promise<GitHub>;
  /** The text with a last line that names the agent. */
  signed(acting: Acting, text: string): string;
}

const RATE = { limit: 30, spanMs: 3_600_000, what: '30 writes to GitHub an hour' };
const ALL_OF_OWNER = /^[a-z0-9](?:-?[a-z0-9]){0,38}\/\*$/;

export function createGitHubDesk(github: GitHub | undefined, rules: GitHubRules, uses: Uses): GitHubDesk {
  const isDenied = deniedBy(rules.deny);
  const allowed = new Set(rules.allowedOwners.map((owner) => owner.toLowerCase()));
  const reading = (): GitHub => {
    if (github !== undefined) return github;
    throw new ToolError('unavailable', 'GitHub is not set up. Ask the operator to set PARLEY_GITHUB_TOKEN.');
  };
  const writing: GitHubDesk['writing'] = async ({ organizationId, agentId }, repo) => {
    const own = reading();
    if (repo !== undefined && isDenied(repo))
      throw new ToolError('forbidden', 'The operator does not let agents write to this repository.');
    await uses.take({ organizationId, kind: 'github_write', subject: agentId }, RATE);
    return own;
  };
  return {
    reading,
    writing,
    async reviewing(acting, repo, event) {
      reading();
      if (acting.unattended && event === 'APPROVE')
        throw new ToolError(
          'forbidden',
          'Nothing is approved while nobody is watching. Use COMMENT instead.',
        );
      if (acting.unattended && !allowed.has(repo.owner.toLowerCase()))
        throw new ToolError(
          'forbidden',
          'While nobody is watching, only repositories of the owners in PARLEY_GITHUB_ALLOWED_OWNERS are reviewed.',
        );
      return writing(acting, repo);
    },
    signed: ({ name }, text) => (rules.hasFooter ? `${text}\n\n${footerOf(name)}` : text),
  };
}

/** In a code span, where a name mentions nobody and links nowhere. */
function footerOf(name: string): string {
  const plain = name.replaceAll(/[`\s]+/g, ' ').trim();
  return `Written by the agent \`${plain}\` with Parley.`;
}

/** Which repositories agents write nothing to; a wrong entry stops the start. */
export function deniedBy(deny: readonly string[]): (repo: RepoName) => boolean {
  const denied = new Set(deny.map(deniedOf));
  return ({ owner, name }) => {
    const who = owner.toLowerCase();
    return denied.has(`${who}/*`) || denied.has(`${who}/${name.toLowerCase()}`);
  };
}

function deniedOf(text: string): string {
  const entry = text.toLowerCase();
  if (ALL_OF_OWNER.test(entry) || REPO.test(entry)) return entry;
  throw new Error(`--github-deny: "${text.slice(0, 150)}" is neither owner/name (without .git) nor owner/*.`);
}
