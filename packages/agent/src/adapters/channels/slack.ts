/** Slack: messages by a bot, answers from the thread of a question. */
import { ToolError } from '@parley/kit';
import type { Egress } from '@parley/kit/egress';
import { joinPath } from '@parley/kit/egress';
import * as z from 'zod';
import type { OperatorBase } from '../outbound.ts';
import { ask, jsonOf } from '../outbound.ts';
import type { Channel, Reply } from './channel.ts';
import { bodyOfQuestion, headingOfQuestion, howToReply, textOfNotice } from './words.ts';

const Config = z.strictObject({
  botToken: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]{1,300}$/, 'must be a token of 1 to 300 plain characters'),
  channel: z
    .string()
    .trim()
    .regex(/^[#@]?[\w.-]{1,100}$/, 'must be the id or name of a channel'),
});

type SlackConfig = z.output<typeof Config>;

const Answer = z.object({ ok: z.boolean(), error: z.string().optional() });
const Posted = z.object({ ts: z.string().max(50), channel: z.string().max(100) });
const Thread = z.object({ messages: z.array(z.unknown()).max(1000) });
const Message = z.object({ ts: z.string(), user: z.string().max(100), text: z.string() });
const OfNobody = z.union([z.object({ bot_id: z.string() }), z.object({ subtype: z.string() })]);

const MOST = 30_000;

export function createSlackChannel(egress: Egress, base: OperatorBase): Channel<SlackConfig> {
  const call = async (
    { botToken }: Pick<SlackConfig, 'botToken'>,
    url: URL,
    signal: AbortSignal,
    body?: object,
  ): Promise<unknown> => {
    const answered = await ask(egress, url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${botToken}`,
        ...(body !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
      },
      body: body && JSON.stringify(body),
      signal,
      allow: base.allow,
    });
    const json = jsonOf(answered);
    const { data } = Answer.safeParse(json);
    if (data?.ok === true) return json;
    throw new ToolError(
      'unavailable',
      `Slack refused: ${wordOf(data?.error) ?? `status ${answered.status}`}.`,
    );
  };
  const post = async (config: SlackConfig, text: string, signal: AbortSignal) => {
    const body = { channel: config.channel, text: escaped(text), unfurl_links: false, unfurl_media: false };
    return Posted.safeParse(await call(config, joinPath(base.url, 'chat.postMessage'), signal, body)).data;
  };
  return {
    type: 'slack',
    config: Config,
    async send(config, notice, signal) {
      await post(config, textOfNotice(notice), signal);
    },
    async ask(config, question, signal) {
      const text = bodyOfQuestion(question, howToReply(question), MOST);
      const posted = await post(config, `${headingOfQuestion(question)}\n\n${text}`, signal);
      return posted === undefined ? null : `${posted.channel}/${posted.ts}`;
    },
    async poll(config, asked, _cursor, signal) {
      const replies: Reply[] = [];
      for (const { ref } of asked) {
        const [channel = '', ts = ''] = ref.split('/');
        const url = joinPath(base.url, 'conversations.replies');
        url.search = new URLSearchParams({ channel, ts, limit: '100' }).toString();
        const { messages } = Thread.parse(await call(config, url, signal));
        replies.push(...repliesIn(messages, ts).map((reply) => ({ ...reply, ref })));
      }
      return { replies };
    },
  };
}

function repliesIn(messages: readonly unknown[], ts: string): Omit<Reply, 'ref'>[] {
  return messages.flatMap((given) => {
    const { data } = Message.safeParse(given);
    if (data === undefined || data.ts === ts || OfNobody.safeParse(given).success) return [];
    return [{ text: data.text, by: `slack:${data.user}` }];
  });
}

/** Text that calls nobody: only what stands in angle brackets mentions people. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Slack's word for a failure, where it is one. */
function wordOf(error: string | undefined): string | undefined {
  return error !== undefined && /^[a-z_]{1,60}$/.test(error) ? error : undefined;
}
