/** A stand-in that answers like the Bot API of Telegram: messages to any chat, updates that are handed out once. */
import type { RecordingServer } from './recording-server.ts';
import { startRecordingServer } from './recording-server.ts';

export const TELEGRAM_TOKEN = '4242:telegram-secret_token';

export interface TelegramApi extends RecordingServer {
  /** Somebody writes to the bot; as a reply to the last message unless they say otherwise. */
  write(text: string, more?: object): void;
}

export async function startTelegramApi(): Promise<TelegramApi> {
  let updates: { update_id: number; message: object }[] = [];
  let messageId = 0;
  let updateId = 100;
  let chat = { id: 0, type: 'private' };
  const server = await startRecordingServer(({ path, body }) => {
    const [, bot, method] = path.split('/');
    if (bot !== `bot${TELEGRAM_TOKEN}`)
      return { status: 401, body: { ok: false, error_code: 401, description: 'Unauthorized' } };
    const given = body as { chat_id?: string; text?: string; offset?: number };
    if (method === 'sendMessage') {
      messageId += 1;
      chat = { ...chat, id: Number(given.chat_id) };
      return { body: { ok: true, result: { message_id: messageId, chat, text: given.text, date: 1 } } };
    }
    if (method === 'getUpdates') {
      updates = updates.filter(({ update_id }) => update_id >= (given.offset ?? 0));
      return { body: { ok: true, result: updates } };
    }
    return { status: 404, body: { ok: false, error_code: 404, description: 'Not Found' } };
  });
  return {
    ...server,
    write(text, more = { reply_to_message: { message_id: messageId } }) {
      const from = { id: 7, is_bot: false, username: 'ada' };
      updates.push({
        update_id: updateId,
        message: { message_id: 9000 + updateId, chat, from, text, ...more },
      });
      updateId += 1;
    },
  };
}
