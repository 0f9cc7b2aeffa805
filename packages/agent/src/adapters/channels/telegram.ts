/** Telegram: messages by a bot, answers as replies to them. */
import { ToolError } from '@parley/kit';
import type { Egress } from '@parley/kit/egress';
import * as z from 'zod';
import type { OperatorBase } from '../outbound.ts';
import { ask, jsonOf } from '../outbound.ts';
import type { Asked, Channel, Looked } from './channel.ts';
import { bodyOfQuestion, CODE_LENGTH, cut, headingOfQuestion, howToReply, textOfNotice } from './words.ts';

const Config = z.strictObject({
  // Part of a path, so nothing that could change the path is in it.
  botToken: z
    .string()
    .trim()
    .regex(/^[\w:-]{1,200}$/, 'must be a token of a bot, such as 123456:ABC'),
  chatId: z
    .union([z.int(), z.string().trim()])
    .transform(String)
    .refine((id) => /^(?:-?\d{1,20}|@\w{1,64})$/.test(id), 'must be the number of a chat, or @name'),
});

type TelegramConfig = z.output<typeof Config>;

const Answer = z.object({ ok: z.literal(true), result: z.unknown() });
const Sent = z.object({ message_id: z.int(), chat: z.object({ id: z.int() }) });
const Updates = z.array(z.object({ update_id: z.int(), message: z.unknown() })).max(100);
const Message = Sent.extend({
  text: z.string(),
  from: z.object({ id: z.int(), username: z.string().max(100).optional(), is_bot: z.boolean().optional() }),
  reply_to_message: z.object({ message_id: z.int() }).optional(),
});

const MOST = 4096;

export function createTelegramChannel(egress: Egress, base: OperatorBase): Channel<TelegramConfig> {
  const call = async (
    { botToken }: TelegramConfig,
    method: string,
    body: object,
    signal: AbortSignal,
  ): Promise<unknown> => {
    const root = base.url.href.replace(/\/$/, '');
    const answered = await ask(egress, `${root}/bot${botToken}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
      allow: base.allow,
    });
    const { data } = Answer.safeParse(jsonOf(answered));
    if (data === undefined)
      throw new ToolError('unavailable', `Telegram answered with status ${answered.status}.`);
    return data.result;
  };
  const post = (config: TelegramConfig, text: string, more: object, signal: AbortSignal) =>
    call(
      config,
      'sendMessage',
      { chat_id: config.chatId, text: cut(text, MOST), link_preview_options: { is_disabled: true }, ...more },
      signal,
    );
  return {
    type: 'telegram',
    config: Config,
    async send(config, notice, signal) {
      await post(config, textOfNotice(notice), {}, signal);
    },
    async ask(config, question, signal) {
      const heading = `${headingOfQuestion(question)}\n\n`;
      const text = bodyOfQuestion(question, howToReply(question), MOST - heading.length);
      const sent = await post(config, heading + text, { reply_markup: { force_reply: true } }, signal);
      const { data } = Sent.safeParse(sent);
      return data === undefined ? null : refOf(data.chat.id, data.message_id);
    },
    async poll(config, asked, cursor, signal) {
      const wanted = { limit: 100, timeout: 0, allowed_updates: ['message'] };
      const body = cursor === undefined ? wanted : { ...wanted, offset: cursor };
      const updates = Updates.parse(await call(config, 'getUpdates', body, signal));
      return lookedAt(updates, asked, cursor);
    },
    // A bot hands each message out once, so that one look has to serve everybody who has the bot.
    sharedBy: ({ botToken }) => botToken,
  };
}

function lookedAt(
  updates: z.output<typeof Updates>,
  asked: readonly Asked[],
  cursor: number | undefined,
): Looked {
  const replies = updates.flatMap(({ message }) => {
    const { data } = Message.safeParse(message);
    if (data === undefined || data.from.is_bot === true) return [];
    const ref = meant(data, asked);
    const by = `telegram:${data.from.username ?? data.from.id}`;
    return ref === undefined ? [] : [{ ref, text: data.text, by }];
  });
  const last = updates.at(-1)?.update_id;
  return { replies, cursor: last === undefined ? cursor : last + 1 };
}

/** The question that a message is about: it replies to it, or begins with its code in the same chat. */
function meant(message: z.output<typeof Message>, asked: readonly Asked[]): string | undefined {
  const { chat, reply_to_message: repliedTo, text } = message;
  const ref = repliedTo && refOf(chat.id, repliedTo.message_id);
  const code = text.trimStart().slice(0, CODE_LENGTH).toLowerCase();
  const inChat = asked.filter((each) => each.ref.startsWith(`${chat.id}/`));
  return inChat.find((each) => each.ref === ref || each.code === code)?.ref;
}

function refOf(chatId: number, messageId: number): string {
  return `${chatId}/${messageId}`;
}
