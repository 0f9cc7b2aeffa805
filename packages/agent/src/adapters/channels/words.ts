/** Notices and questions as plain text, for people who read them in another system. */
import type { AskedQuestion, Notice } from './channel.ts';

/** How many characters of an id people may write instead of all. */
export const CODE_LENGTH = 8;

export function codeOf(id: string): string {
  return id.slice(0, CODE_LENGTH);
}

/** The text, cut with a mark. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

export function headingOf({ level, title, agent }: Notice): string {
  return `[${level}] ${title ?? `From the agent ${agent.name}`}`;
}

export function textOfNotice(notice: Notice): string {
  const { title, message, agent } = notice;
  return [headingOf(notice), message, ...(title === null ? [] : [`From the agent ${agent.name}`])].join(
    '\n\n',
  );
}

export function headingOfQuestion({ id, agent }: AskedQuestion): string {
  return `Question from the agent ${agent.name} (${codeOf(id)})`;
}

/** What is asked; `how` says how to answer. Long ones lose the end of their context, never the way to answer. */
export function bodyOfQuestion(asked: AskedQuestion, how: string, most: number): string {
  const { question, options, context, deadlineAt } = asked;
  const choices = (options ?? []).map((option, index) => `${index + 1}. ${option}`).join('\n');
  const until = new Date(deadlineAt).toISOString().slice(0, 16).replace('T', ' ');
  const end = [choices, `${how} Open until ${until} UTC.`].filter((part) => part !== '').join('\n\n');
  const start = [question, ...(context === null ? [] : [context])].join('\n\n');
  return `${cut(start, Math.max(1, most - end.length - 2))}\n\n${end}`;
}

/** How to answer where replies are read. */
export function howToReply({ options }: AskedQuestion): string {
  return options === null
    ? 'Reply to this message with your answer, or with "decline".'
    : 'Reply to this message with a number or your own words, or with "decline".';
}
