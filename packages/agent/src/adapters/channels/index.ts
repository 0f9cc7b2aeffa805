/** All channels to the owner, over the settings of this server. */
import type { Egress } from '@parley/kit/egress';
import type { SettingsOf } from '@parley/kit';
import type { agentSettings } from '../../settings.ts';
import { createGitHubClient } from '../github/client.ts';
import type { RepoName } from '../github/github.ts';
import { operatorBase } from '../outbound.ts';
import type { AnyChannel, ChannelType } from './channel.ts';
import { createDiscordChannel } from './discord.ts';
import { createGitHubChannel } from './github.ts';
import { createSlackChannel } from './slack.ts';
import { createTelegramChannel } from './telegram.ts';
import { createWebhookChannel } from './webhook.ts';

export type Channels = Readonly<Record<ChannelType, AnyChannel>>;

const SLACK_URL = 'https://slack.com/api';
const TELEGRAM_URL = 'https://api.telegram.org';
const GITHUB_URL = 'https://api.github.com';

export function createChannels(
  egress: Egress,
  settings: Partial<SettingsOf<typeof agentSettings>>,
  now: () => number,
  isDenied: (repo: RepoName) => boolean,
): Channels {
  const { slackUrl = SLACK_URL, discordUrl, telegramUrl = TELEGRAM_URL } = settings;
  const { githubToken: token, githubApiUrl = GITHUB_URL } = settings;
  const base = operatorBase('github-api-url', githubApiUrl);
  const github = token === undefined ? undefined : createGitHubClient({ egress, base, token, now });
  return {
    webhook: createWebhookChannel(egress, now),
    slack: createSlackChannel(egress, operatorBase('slack-url', slackUrl)),
    discord: createDiscordChannel(
      egress,
      discordUrl === undefined ? undefined : operatorBase('discord-url', discordUrl),
    ),
    telegram: createTelegramChannel(egress, operatorBase('telegram-url', telegramUrl)),
    github: createGitHubChannel(github, isDenied),
  };
}
