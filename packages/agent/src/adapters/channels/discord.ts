/** Discord: messages by a webhook of a Discord channel, which carries no answers back. */
import { ToolError } from '@parley/kit';
import type { Egress } from '@parley/kit/egress';
import * as z from 'zod';
import type { OperatorBase } from '../outbound.ts';
import { ask } from '../outbound.ts';
import type { Channel } from './channel.ts';
import { checkUrl, MOST_URL } from './check-url.ts';
import { bodyOfQuestion, codeOf, cut, headingOf, headingOfQuestion } from './words.ts';

const Config = z.strictObject({ webhookUrl: z.string().trim().min(1).max(MOST_URL) });

type DiscordConfig = z.output<typeof Config>;

const MOST_TITLE = 256;
const MOST = 4096;

/** `own` is a Discord that the operator named; the addresses that agents give may lead to it, wherever it is. */
export function createDiscordChannel(egress: Egress, own: OperatorBase | undefined): Channel<DiscordConfig> {
  const allow = own?.allow ?? [];
  const post = async ({ webhookUrl }: DiscordConfig, title: string, text: string, signal: AbortSignal) => {
    const embed = { title: cut(title, MOST_TITLE), description: cut(text, MOST) };
    const { status } = await ask(egress, webhookUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ embeds: [embed], allowed_mentions: { parse: [] } }),
      signal,
      allow,
    });
    if (status < 200 || status > 299)
      throw new ToolError('unavailable', `Discord answered with status ${status}.`);
  };
  return {
    type: 'discord',
    config: Config,
    check: ({ webhookUrl }) => checkUrl(egress, 'webhookUrl', webhookUrl, allow),
    send: (config, notice, signal) => {
      const text = `${cut(notice.message, MOST - 200)}\n\nFrom the agent ${notice.agent.name}`;
      return post(config, headingOf(notice), text, signal);
    },
    async ask(config, question, signal) {
      const how = `Answer question ${codeOf(question.id)} in Parley: replies here are not read.`;
      await post(config, headingOfQuestion(question), bodyOfQuestion(question, how, MOST), signal);
      return null;
    },
  };
}
