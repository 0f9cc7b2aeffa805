/** The options that the agent toolset reads; known before its code is loaded. */
import type { Settings } from '@parley/kit';

export const agentSettings = {
  searchApiKey: {
    flag: 'search-api-key',
    kind: 'text',
    value: 'KEY',
    help: 'Key of the web search of agents; better given as PARLEY_SEARCH_API_KEY',
    section: 'reach',
  },
  searchUrl: {
    flag: 'search-url',
    kind: 'text',
    value: 'URL',
    help: 'A search provider that speaks the API of Brave Search; default: Brave itself',
    section: 'reach',
  },
  githubToken: {
    flag: 'github-token',
    kind: 'text',
    value: 'TOKEN',
    help: 'Token that agents use on GitHub; better given as PARLEY_GITHUB_TOKEN',
    section: 'reach',
  },
  githubApiUrl: {
    flag: 'github-api-url',
    kind: 'text',
    value: 'URL',
    help: 'The API of a GitHub of your own; default: https://api.github.com',
    section: 'reach',
  },
  githubAllowedOwners: {
    flag: 'github-allowed-owners',
    kind: 'list',
    value: 'ORG',
    help: 'Owners whose pull requests agents may review while nobody watches (repeat, or commas)',
    section: 'reach',
  },
  githubDeny: {
    flag: 'github-deny',
    kind: 'list',
    value: 'REPO',
    help: 'owner/name or owner/*: agents write nothing there (repeat, or commas)',
    section: 'reach',
  },
  githubFooter: {
    flag: 'github-footer',
    kind: 'text',
    value: 'on|off',
    fallback: 'on',
    help: 'Whether what agents write on GitHub ends with a line that names the agent',
    section: 'reach',
  },
  remoteAgents: {
    flag: 'remote-agents',
    kind: 'text',
    value: 'on|off',
    fallback: 'on',
    help: 'Whether agents may find and call agents of other servers',
    section: 'reach',
  },
  a2a: {
    flag: 'a2a',
    kind: 'text',
    value: 'on|off',
    fallback: 'off',
    help: 'Whether agents of other servers may give tasks to an agent here',
    section: 'reach',
  },
  a2aAgent: {
    flag: 'a2a-agent',
    kind: 'text',
    value: 'NAME',
    help: 'The agent that takes those tasks',
    section: 'reach',
  },
} as const satisfies Settings;
