/** The options that the agent toolset reads; known before its code is loaded. */
import type { Settings } from '@parley/kit';

export const agentSettings = {
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
  githubDeny: {
    flag: 'github-deny',
    kind: 'list',
    value: 'REPO',
    help: 'owner/name or owner/*: agents write nothing there (repeat, or commas)',
    section: 'reach',
  },
  slackUrl: {
    flag: 'slack-url',
    kind: 'text',
    value: 'URL',
    help: 'Where agents reach Slack; default: https://slack.com/api',
    section: 'reach',
  },
  discordUrl: {
    flag: 'discord-url',
    kind: 'text',
    value: 'URL',
    help: 'A Discord of your own, which the webhooks of agents may lead to',
    section: 'reach',
  },
  telegramUrl: {
    flag: 'telegram-url',
    kind: 'text',
    value: 'URL',
    help: 'Where agents reach Telegram; default: https://api.telegram.org',
    section: 'reach',
  },
} as const satisfies Settings;
